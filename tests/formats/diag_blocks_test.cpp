// SPDX-License-Identifier: BSD-3-Clause
// Blocks along the diagonal: what stands in them and what does not, by hand and beside split_diagonal_blocks,
// and products of both parts.
#include "gossamer/partition.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/diag_blocks/format.hpp"
#include "gossamer/gossamer.hpp"
#include "plans/storage.hpp"
#include "support/stored_arrays.hpp"
#include "support/vectors.hpp"
#include "unit/helpers.hpp"

namespace gossamer::formats {
namespace {

using gossamer_test::expect_error;
using gossamer_test::small_csr;
using gossamer_test::to_vector;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_support::array_names;
using testing_support::on_cpu;
using testing_support::on_cuda;
using testing_support::poisoned;
using testing_support::random_vector;

/// Blocks of two: rows and columns 0, 1 | 2, 3 | 4, 5, of which the last has one row.
///
///     .  1 |  2  . |  .  .      diagonals -1, 0 and 1 of the blocks     the rest, by rows
///     3  . |  .  . |  .  .
///    ------+-------+------            .  .  1                             2
///     .  7 |  6  5 |  4  .            3  .  .
///     .  . |  .  . |  .  .            .  6  5                             4 7
///    ------+-------+------            .  .  .
///     .  . |  . 10 |  9  8            .  9  8                             10
small_csr<double, std::int32_t> five_rows() {
  return {.rows = 5,
          .cols = 6,
          .row_ptr = {0, 2, 3, 7, 7, 10},
          .col = {1, 2, 0, 4, 3, 2, 1, 5, 4, 3},
          .val = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
}

TEST(diag_blocks, by_hand) {
  const auto a = five_rows();
  const auto s = diag_blocks::build(a.view(), {.block = 2}, on_cuda);
  EXPECT_EQ(s.meta.inside, 6);
  EXPECT_THAT(to_vector(s.blocks.offset), ElementsAre(-1, 0, 1));
  EXPECT_THAT(to_vector(s.blocks.valid), ElementsAre(0b00010u, 0b10100u, 0b10101u));
  const std::vector<std::vector<double>> vals{{0, 3, 0, 0, 0}, {0, 0, 6, 0, 9}, {1, 0, 5, 0, 8}};
  ASSERT_EQ(s.blocks.val.size(), 3u * 32);
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t i = 0; i < 32; ++i)
      EXPECT_EQ(s.blocks.val[d * 32 + i], i < 5 ? vals[d][i] : 0.0) << d << " " << i;
  }
  EXPECT_THAT(to_vector(s.gpu_rest.row_ptr), ElementsAre(0, 1, 1, 3, 3, 4));
  EXPECT_THAT(to_vector(s.gpu_rest.col), ElementsAre(2, 4, 1, 3));
  EXPECT_THAT(to_vector(s.gpu_rest.val), ElementsAre(2, 4, 7, 10));
  EXPECT_TRUE(s.gpu_rest.row_ptr.owned() && s.gpu_rest.col.owned() && s.gpu_rest.val.owned())
      << "what they were split into is gone";
  EXPECT_THAT(array_names(s), testing::IsSupersetOf({"blocks_offset", "blocks_valid", "blocks_val",
                                                     "rest_row_ptr", "rest_col", "rest_val"}));
}

TEST(diag_blocks, without_blocks_or_rest_is_the_other_over_the_callers_arrays) {
  const auto a = five_rows();
  const auto all = diag_blocks::build(a.view(), {.block = 6}, on_cpu);
  EXPECT_THAT(array_names(all), ElementsAre("blocks_offset", "blocks_valid", "blocks_val"));
  EXPECT_THAT(to_vector(all.blocks.offset), ElementsAre(-1, 0, 1, 2));
  EXPECT_EQ(diag_blocks::passes<f64>(all.view(), isa::baseline).size(), 1u);

  const small_csr<double, std::int32_t> corner{
      .rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {1, 0}, .val = {1, 2}};
  const auto none = diag_blocks::build(corner.view(), {.block = 1}, on_cpu);
  EXPECT_THAT(array_names(none).front(), StartsWith("rest_"));
  EXPECT_EQ(none.cpu_rest.row_ptr.data(), corner.row_ptr.data());
  EXPECT_EQ(none.cpu_rest.val.data(), corner.val.data());
  EXPECT_EQ(diag_blocks::passes<f64>(none.view(), isa::baseline).size(), 1u);

  const auto both = diag_blocks::build(a.view(), {.block = 2}, on_cpu);
  EXPECT_EQ(diag_blocks::passes<f64>(both.view(), isa::baseline).size(), 2u);
}

/// Bands, blocks of three, columns anywhere, rows that differ; wide, tall and square.
std::vector<csr_matrix<double, std::int64_t>> several() {
  std::vector<csr_matrix<double, std::int64_t>> all;
  for (const char* spec : {"stencil(nx=9,ny=9,points=9)", "uniform(rows=90,cols=41,per_row=9)",
                           "uniform(rows=41,cols=90,per_row=9)", "power_law(rows=100,mean=9)"})
    all.push_back(bench_support::generate<double>(spec));
  return all;
}

/// Algorithm 4 is there twice: as a function that has the parts in CSR, and as this format.
TEST(diag_blocks, are_those_of_split_diagonal_blocks) {
  for (const auto& a : several()) {
    for (const std::int64_t block : {1, 5, 16, 32, 64}) {
      const auto both = split_diagonal_blocks(a.view(), block);
      for (const exec::target& target : {on_cpu, on_cuda}) {
        const auto s = diag_blocks::build(a.view(), {.block = block}, target);
        ASSERT_TRUE(s.meta.is_split()) << block;
        EXPECT_EQ(s.blocks.meta.diagonals, both.diagonals);
        EXPECT_EQ(s.blocks.meta.nnz, both.blocks.view().nnz());
        const auto expect_rest = [&](const auto& rest) {
          EXPECT_EQ(to_vector(rest.row_ptr), to_vector(both.rest.row_ptr));
          EXPECT_EQ(to_vector(rest.col), to_vector(both.rest.col));
          EXPECT_EQ(to_vector(rest.val), to_vector(both.rest.val));
        };
        if (target.kind == device_set::cpu)
          expect_rest(s.cpu_rest);
        else
          expect_rest(s.gpu_rest);
      }
    }
  }
}

/// A payload, a negative zero and an entry that stands three times, in a block and outside of one; 5 does not
/// divide the 32 rows of dia's words.
TEST(diag_blocks, gives_every_bit_back) {
  const auto nan = std::bit_cast<double>(std::uint64_t{0x7ff8dead0000beef});
  small_csr<double> a{.rows = 40, .cols = 44, .row_ptr = {0}, .col = {}, .val = {}};
  std::vector<std::pair<std::int32_t, double>>
      expected;  // of each row by column, and of one column in the row's order
  for (std::int32_t i = 0; i < 40; ++i) {
    const std::int32_t first = i - i % 5;
    const std::int32_t outside = (first + 7) % 44;
    for (const auto& [col, val] : std::vector<std::pair<std::int32_t, double>>{
             {i, nan}, {outside, -0.0}, {i, 1.0 + i}, {outside, nan}, {i, -0.0}, {first + 4, 0.0}}) {
      a.col.push_back(col);
      a.val.push_back(val);
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  }
  const auto s = diag_blocks::build(a.view(), {.block = 5}, on_cpu);
  EXPECT_EQ(s.meta.inside, 4 * 40);
  const auto back = diag_blocks::to_csr(s);
  EXPECT_EQ(back.cols, 44);
  EXPECT_EQ(to_vector(back.row_ptr), a.row_ptr);
  const auto bits_by_column = [](const auto& matrix, std::size_t row, std::int32_t col) {
    std::vector<std::uint64_t> bits;
    for (std::size_t k = 6 * row; k < 6 * row + 6; ++k)
      if (matrix.col[k] == col) bits.push_back(std::bit_cast<std::uint64_t>(matrix.val[k]));
    return bits;
  };
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::int32_t j = 0; j < 44; ++j)
      ASSERT_EQ(bits_by_column(a, i, j), bits_by_column(back, i, j)) << i << " " << j;
  }
}

TEST(diag_blocks, counts_the_bytes_of_its_parts) {
  const auto a = five_rows();
  const row_statistics s = measure_rows(a.view());
  // Four diagonals of a word and 32 slots, and no rest.
  EXPECT_EQ(diag_blocks::measure(a.view(), s, {.block = 6}, on_cpu).bytes, 4 * (32 * 8 + 4 + 4));
  for (const std::int64_t block : {1, 2, 3, 6}) {
    for (const exec::target& target : {on_cpu, on_cuda}) {
      const footprint predicted = diag_blocks::measure(a.view(), s, {.block = block}, target);
      EXPECT_TRUE(predicted.exact);
      EXPECT_EQ(gossamer::plans::bytes_of(diag_blocks::build(a.view(), {.block = block}, target)),
                predicted.bytes)
          << block;
    }
  }
}

/// Of 40,000 rows every hundredth has an entry in its block, ten diagonals in all: 1000 slots an entry.
TEST(diag_blocks, names_the_refusing_part) {
  small_csr<float> a{.rows = 40'000, .cols = 80'000, .row_ptr = {0}, .col = {}, .val = {}};
  for (std::int32_t i = 0; i < 40'000; ++i) {
    a.col.push_back(i % 100 == 0 ? i / 32 * 32 + i / 100 % 10 : i + 40'000);
    a.val.push_back(1);
    a.row_ptr.push_back(i + 1);
  }
  const row_statistics s = measure_rows(a.view());
  const auto refusal = [&](const diag_blocks::options& o) {
    return diag_blocks::measure(a.view(), s, o, on_cpu).refusal;
  };
  EXPECT_THAT(refusal({}), StartsWith("blocks: "));
  EXPECT_THAT(refusal({}), HasSubstr("of 40000 rows need "));
  EXPECT_THAT(refusal({}), HasSubstr("for 400 nonzeros"));
  EXPECT_THAT(refusal({}), HasSubstr("max_padding = 10"));
  EXPECT_THAT(refusal({.block = 1}), IsEmpty());  // one diagonal is 40,000 slots, and 65,536 are free
  expect_error(errc::unsupported, StartsWith("unsupported: diag_blocks: blocks: "),
               [&] { static_cast<void>(inspect(a.view(), gossamer::cpu{}, {.format = "diag_blocks"})); });
}

TEST(diag_blocks, takes_sizes_that_are_some) {
  const auto block = [](const std::string& text) {
    return parse_options<diag_blocks>({{"block", text}}, device_set::cpu).block;
  };
  EXPECT_EQ(diag_blocks::options{}.block, 32);
  EXPECT_EQ(block("1"), 1);
  EXPECT_EQ(block("1073741824"), 1 << 30);
  for (const char* text : {"0", "-32", "1073741825", "2.5", "", "auto"})
    expect_error(errc::invalid_argument, HasSubstr("from 1 to 1073741824"), [&] { block(text); });
}

/// Where there are both parts, the second pass reads and writes y again.
TEST(diag_blocks, costs_two_passes_where_it_splits) {
  const row_statistics s{.rows = 300, .cols = 200, .nnz = 1000};
  const machine m{.bandwidth_gbs = 1};
  const auto cost = [&](std::int64_t inside) {
    diag_blocks_footprint size;
    size.bytes = 5000;
    size.inside = inside;
    return diag_blocks::cost<double, std::int64_t>(s, {}, on_cpu, m, size);
  };
  EXPECT_DOUBLE_EQ(cost(0), m.starts.first_seconds + (5000 + 500 * 8) * 1e-9);
  EXPECT_DOUBLE_EQ(cost(1000), cost(0));
  EXPECT_NEAR(cost(999), cost(0) + m.starts.next_seconds + 600 * 8 * 1e-9, 1e-15);
}

TEST(diag_blocks, candidates_differ) {
  std::set<option_texts> seen;
  for (const diag_blocks::options& o : diag_blocks::candidates({}, on_cuda))
    EXPECT_TRUE(seen.insert(texts_of(o, device_set::cuda)).second);
  EXPECT_THAT(diag_blocks::candidates({}, on_cpu), testing::SizeIs(testing::Ge(2u)));
}

/// A product with each beta and the same after new values, where blocks do not end with dia's words of 32
/// rows, and where they do.
void expect_right(const resource& where) {
  for (const auto& a : several()) {
    const auto x = random_vector<double>(a.cols, 5);
    for (const char* block : {"1", "5", "32", "64", "1000"}) {
      auto plan = inspect(a.view(), where,
                          {.format = "diag_blocks", .options = {{"block", block}}, .values_change = true});
      auto now = a.view();
      std::vector<double> values(now.val.begin(), now.val.end());
      now.val = values;
      for (int round = 0; round < 2; ++round) {
        for (const double beta : {0.0, 1.0, -0.5}) {
          const auto y = beta == 0 ? poisoned<double>(a.rows) : random_vector<double>(a.rows, 6);
          auto got = y;
          plan.multiply(1.5, x, beta, got);
          const bench_support::verification v =
              bench_support::verify<double, std::int64_t>(now, 1.5, x, beta, y, got);
          EXPECT_TRUE(v.passed()) << "row " << v.row << " beta " << beta << " " << plan.describe();
        }
        for (double& value : values) value = 1 - 2 * value;
        plan.update_values(values);
      }
    }
  }
}

TEST(diag_blocks, multiplies_both_parts) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512})
    if (runs_here(level)) expect_right(gossamer::cpu{.threads = 2, .level = level});
}

TEST(diag_blocks, multiplies_both_parts_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_right(gossamer::cuda{0});
}

}  // namespace
}  // namespace gossamer::formats
