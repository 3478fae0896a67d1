// SPDX-License-Identifier: BSD-3-Clause
// cached_x: its arrays for a small matrix, the layout of GPU plans followed step by step on the host, the way
// back to CSR, and what is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/cached_x/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/stored_arrays.hpp"

namespace gossamer::formats::cached_x_tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::battery;
using testing_support::battery_entry;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;

constexpr auto by_panels = cached_x_columns::panels;
constexpr auto by_frequency = cached_x_columns::frequent;
constexpr auto stored_encoded = cached_x::stored_values::encoded;
constexpr auto stored_whole = cached_x::stored_values::whole;

/// y = A x as the GPU's kernels calculate it, one lane after another.
template <class V>
std::vector<double> followed(const cached_x_storage<V, host_buffer>& s, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(s.meta.rows), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> slots(static_cast<std::size_t>(s.meta.carries.slots));
  std::int64_t panel = 0;
  double open = 0;
  for (std::int64_t c = 0; c < s.meta.chunks; ++c) {
    if (c % s.meta.segment == 0) open = 0;
    while (s.meta.panels > 0 && c >= s.panel_chunk[static_cast<std::size_t>(panel) + 1]) ++panel;
    auto piece = static_cast<std::size_t>(s.chunk_piece.data()[c]);
    for (int k = 0; k < cached_x_chunk; ++k) {
      const std::int64_t slot = c * cached_x_chunk + k;
      std::int64_t column = 0;
      if (s.meta.panels > 0) {
        column = panel * s.meta.width + s.column.data()[slot];
      } else {
        const std::uint32_t code = s.wide_column.data()[slot];
        column = (code & cached_x_is_frequent) != 0 ? s.frequent[code & ~cached_x_is_frequent] : code;
      }
      open += static_cast<double>(cached_x_value(s, slot)) * x[static_cast<std::size_t>(column)];
      if ((s.ends.data()[c * cached_x_lanes + k / 8] >> k % 8 & 1) == 0) continue;
      const std::int32_t target = s.target[piece++];
      (target >= 0 ? y[static_cast<std::size_t>(target)] : slots[static_cast<std::size_t>(~target)]) = open;
      open = 0;
    }
    EXPECT_EQ(piece, static_cast<std::size_t>(s.chunk_piece.data()[c + 1]));
  }
  for (const std::int32_t row : s.empty_row.span()) y[static_cast<std::size_t>(row)] = 0;
  for (std::size_t r = 0; r < s.carries.row.size(); ++r) {
    double sum = 0;
    for (std::int64_t slot = s.carries.first[r]; slot < s.carries.last[r]; ++slot)
      sum += slots[static_cast<std::size_t>(slot)];
    y[static_cast<std::size_t>(s.carries.row[r])] = sum;
  }
  return y;
}

template <offset O>
void expect_product(const csr_view<double, O>& a, const cached_x_storage<double, host_buffer>& s) {
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1 + static_cast<double>(j % 7) / 8;
  EXPECT_TRUE((bench_support::verify<double, O>(a, 1.0, x, 0.0, {}, followed(s, x)).passed()));
}

template <value V, offset O>
void expect_back(const csr_view<V, O>& a, const cached_x_storage<V, host_buffer>& s) {
  const auto back = cached_x::to_csr(s);
  ASSERT_TRUE(std::equal(a.row_ptr.begin(), a.row_ptr.end(), back.row_ptr.span().begin()));
  ASSERT_TRUE(std::equal(a.col.begin(), a.col.end(), back.col.span().begin()));
  ASSERT_EQ(a.val.size(), back.val.size());
  EXPECT_TRUE(a.val.empty() || std::memcmp(a.val.data(), back.val.data(), a.val.size_bytes()) == 0);
}

const cached_x::options settings[] = {
    {.columns = by_panels, .cache_kib = 1, .values = stored_encoded},
    {.columns = by_panels, .cache_kib = 128, .values = stored_encoded},
    {.columns = by_panels, .cache_kib = 1, .values = stored_whole},
    {.columns = by_frequency, .cache_kib = 1, .values = stored_encoded},
    {.columns = by_frequency, .cache_kib = 192, .values = stored_encoded},
    {.columns = by_frequency, .cache_kib = 1, .values = stored_whole},
};

TEST(cached_x, the_layout_of_gpu_plans_multiplies_and_converts_back) {
  for (const battery_entry& entry : battery()) {
    SCOPED_TRACE(entry.name);
    const auto a = entry.matrix.view();
    for (const cached_x::options& o : settings) {
      SCOPED_TRACE(testing::Message() << "columns " << static_cast<int>(o.columns) << ", KiB " << o.cache_kib
                                      << ", values " << static_cast<int>(o.values));
      const auto s = cached_x::build(a, o, on_cuda);
      expect_product(a, s);
      expect_back(a, s);
      EXPECT_TRUE(s.meta.striped);
      EXPECT_GE(
          cached_x::measure(a, measure_rows(a), o, on_cuda).bytes,
          static_cast<std::int64_t>(s.val.size() * sizeof(double) + s.target.size() * sizeof(std::int32_t)));
    }
  }
}

TEST(cached_x, a_segment_has_several_chunks_if_there_are_many) {
  constexpr std::int64_t one_more = 4224 + 1;
  EXPECT_EQ(formats::cached_x_segment(by_frequency, 4224), 1);
  EXPECT_EQ(formats::cached_x_segment(by_frequency, one_more), 2);
  EXPECT_EQ(formats::cached_x_segment(by_panels, one_more), 1);
  const auto a = bench_support::generate<double>("uniform(rows=68k,per_row=16)");
  const auto s = cached_x::build(a.view(), settings[3], on_cuda);
  EXPECT_EQ(s.meta.chunks, 4250);
  EXPECT_EQ(s.meta.segment, 2);
  EXPECT_EQ(s.carries.row.size(), 0) << "rows end with chunks";
  expect_product(a.view(), s);
  expect_back(a.view(), s);
  const auto uneven = bench_support::generate<double>("rmat(scale=16,edge_factor=17)");
  const auto cut = cached_x::build(uneven.view(), settings[5], on_cuda);
  EXPECT_EQ(cut.meta.segment, 2);
  EXPECT_GT(cut.carries.row.size(), 1000u);
  EXPECT_LT(cut.carries.row.size(), 2200u) << "at most one row across each cut between segments";
  expect_product(uneven.view(), cut);
  expect_back(uneven.view(), cut);
}

/// 4 1 . . . 2      panels of 128 columns: 0 to 5 here are 0, 1, 130, 131, 260 and 261
/// . . . . . .
/// . 1 4 4 1 .
/// . . . 4 . .
struct two_shared_rows {
  std::vector<std::int64_t> row_ptr{0, 3, 3, 7, 8};
  std::vector<std::int32_t> col{0, 1, 261, 1, 130, 131, 260, 131};
  std::vector<double> val{4, 1, 2, 1, 4, 4, 1, 4};
  [[nodiscard]] csr_view<double, std::int64_t> view() const {
    return {.rows = 4, .cols = 262, .row_ptr = row_ptr, .col = col, .val = val};
  }
};

TEST(cached_x, arrays_of_a_small_matrix_by_panels) {
  const two_shared_rows a;
  const auto s = cached_x::build(a.view(), {.columns = by_panels, .cache_kib = 1}, on_cpu);
  EXPECT_EQ(s.meta.width, 128);
  EXPECT_EQ(s.meta.panels, 3);
  EXPECT_THAT(list(s.panel_chunk), ElementsAre(0, 1, 2, 3));
  // Panel 0: row 0 twice, row 2. Panel 1: row 2 twice, row 3. Panel 2: row 0, row 2.
  EXPECT_THAT(list(s.chunk_piece), ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(s.ends[0], 0b110);
  EXPECT_EQ(s.ends[32], 0b110);
  EXPECT_EQ(s.ends[64], 0b11);
  EXPECT_THAT(list(s.target), ElementsAre(~0, ~2, ~3, 3, ~1, ~4));
  EXPECT_THAT(list(s.empty_row), ElementsAre(1));
  EXPECT_THAT(list(s.carries.row), ElementsAre(0, 2));
  EXPECT_THAT(list(s.carries.first), ElementsAre(0, 2));
  EXPECT_THAT(list(s.carries.last), ElementsAre(2, 5));
  EXPECT_EQ(s.meta.carries.longest, 3);
  EXPECT_EQ(s.column[256], 2);  // 130 in the panel from 128 on
  EXPECT_EQ(s.column[513], 4);
  EXPECT_EQ(s.val[256], 4);
  EXPECT_TRUE(s.entry.empty());
}

TEST(cached_x, values_are_stored_as_whole_numbers_of_a_table_on_a_gpu) {
  two_shared_rows a;
  const auto build = [&](cached_x::stored_values values) {
    return cached_x::build(a.view(), {.columns = by_frequency, .cache_kib = 1, .values = values}, on_cuda);
  };
  EXPECT_EQ(build(stored_encoded).meta.values, cached_x_values::table);
  EXPECT_THAT(list(build(stored_encoded).val), ElementsAre(4, 1, 2));
  EXPECT_EQ(build(stored_encoded).code[2], 2);
  EXPECT_EQ(build(stored_whole).meta.values, cached_x_values::full);
  a.val.assign(8, 0.5);
  EXPECT_EQ(build(stored_encoded).meta.values, cached_x_values::constant);
  EXPECT_THAT(list(build(stored_encoded).val), ElementsAre(0.5));
  a.val[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(build(stored_encoded).meta.values, cached_x_values::full);
}

TEST(cached_x, the_most_frequent_columns_are_cached_and_of_equals_the_first) {
  const two_shared_rows a;
  EXPECT_THAT(most_frequent_columns(a.view(), 2), ElementsAre(1, 131));
  EXPECT_THAT(most_frequent_columns(a.view(), 3), ElementsAre(0, 1, 131));
  EXPECT_THAT(most_frequent_columns(a.view(), 100), ElementsAre(0, 1, 130, 131, 260, 261));
}

/// Entries of one panel stay in the order of their row, whatever their columns.
TEST(cached_x, rows_that_are_not_in_the_order_of_panels_keep_theirs) {
  two_shared_rows a;
  std::swap(a.col[0], a.col[1]);
  EXPECT_TRUE(cached_x::build(a.view(), {.cache_kib = 1}, on_cpu).entry.empty());
  std::swap(a.col[0], a.col[2]);
  const auto s = cached_x::build(a.view(), {.cache_kib = 1}, on_cpu);
  EXPECT_FALSE(s.entry.empty());
  expect_back(a.view(), s);
}

TEST(cached_x, the_entries_before_each_piece_are_counted_if_values_are_replaced) {
  const two_shared_rows a;
  const auto s =
      cached_x::build(a.view(), {.columns = by_panels, .cache_kib = 1, .values = stored_whole}, on_cuda);
  EXPECT_THAT(list(s.piece_entry), ElementsAre(0, 0, 1, 0, 2, 3));
  EXPECT_TRUE(
      cached_x::build(a.view(), {.columns = by_panels, .cache_kib = 1, .values = stored_encoded}, on_cuda)
          .piece_entry.empty());
}

TEST(cached_x, more_shared_memory_than_a_block_may_have_is_refused) {
  const two_shared_rows a;
  const row_statistics rows = measure_rows(a.view());
  exec::target hopper = on_cuda;
  hopper.compute_capability = 90;
  EXPECT_EQ(cached_x::resolve({}, rows, hopper).cache_kib, 128);
  EXPECT_EQ(cached_x::resolve({.columns = by_frequency}, rows, hopper).cache_kib, 160);
  exec::target ada = on_cuda;
  ada.compute_capability = 89;
  EXPECT_EQ(cached_x::resolve({}, rows, ada).cache_kib, 97);
  try {
    static_cast<void>(cached_x::resolve({.cache_kib = 300}, rows, hopper));
    FAIL() << "300 KiB are accepted";
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::unsupported);
    EXPECT_THAT(problem.what(), HasSubstr("cache_kib = \"300\""));
    EXPECT_THAT(problem.what(), HasSubstr("at most 225 on this device, where a thread block has 227 KiB"));
  }
}

/// Columns have 16 bits, so a panel in f32 has 256 KiB at most.
TEST(cached_x, settings_with_equal_panels_are_equal) {
  const auto a = bench_support::generate<float>("uniform(rows=200,cols=90k,per_row=50)");
  const auto b = bench_support::generate<double>("uniform(rows=200,cols=90k,per_row=50)");
  const auto kib_of = [](const auto& matrix, const char* asked) {
    const auto made =
        inspect(matrix.view(), cpu{}, {.format = "cached_x", .options = {{"cache_kib", asked}}});
    for (const auto& [name, text] : made.options())
      if (name == "cache_kib") return text;
    return std::string();
  };
  EXPECT_EQ(kib_of(a, "512"), "256");
  EXPECT_EQ(kib_of(a, "auto"), "256");
  EXPECT_EQ(kib_of(a, "255"), "255");
  EXPECT_EQ(kib_of(b, "512"), "512");
  EXPECT_EQ(cached_x::fit_to_values<float>({.columns = by_frequency, .cache_kib = 512}).cache_kib, 512);
  const machine_description machine{
      .kind = device_set::cpu, .level = isa::baseline, .threads = 2, .cache_bytes = 1 << 20};
  const auto settings_of = [&](const auto& matrix) {
    const auto all =
        rank_formats(matrix.view(), measure_rows(matrix.view()), machine, {.every_setting = true});
    return std::count_if(all.begin(), all.end(),
                         [](const candidate& each) { return each.setting.format == "cached_x"; });
  };
  EXPECT_EQ(settings_of(a), 1);
  EXPECT_EQ(settings_of(b), 2);
}

/// With panels, an entry's index in its row has 31 bits.
TEST(cached_x, a_row_of_two_billion_entries_is_refused_with_panels) {
  const two_shared_rows a;
  row_statistics rows = measure_rows(a.view());
  const auto refusal = [&](cached_x_columns columns) {
    const cached_x::options o{.columns = columns, .cache_kib = 1};
    EXPECT_EQ(cached_x::least(a.view(), rows, o, on_cuda).refusal,
              cached_x::measure(a.view(), rows, o, on_cuda).refusal);
    return cached_x::measure(a.view(), rows, o, on_cuda).refusal;
  };
  rows.max = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(refusal(by_panels), "");
  ++rows.max;
  EXPECT_EQ(refusal(by_panels), "a row of 2147483648 entries; with panels, they are numbered in 31 bits");
  EXPECT_EQ(refusal(by_frequency), "");
}

/// Work units of 32 chunks begin anywhere in a panel.
TEST(cached_x, units_of_chunks_find_their_panels) {
  const auto a = bench_support::generate<double>("uniform(rows=3000,cols=20k,per_row=64)");
  const auto s = cached_x::build(a.view(), {.columns = by_panels, .cache_kib = 1}, on_cpu);
  std::vector<bool> begins(static_cast<std::size_t>(s.meta.chunks) + 1);
  for (const std::int32_t chunk : s.panel_chunk.span()) begins[static_cast<std::size_t>(chunk)] = true;
  int between = 0;
  for (std::size_t chunk = 32; chunk + 1 < begins.size(); chunk += 32)
    between += !begins[chunk] && begins[chunk + 1] ? 1 : 0;
  EXPECT_GT(between, 0) << "no unit begins with the last chunk of a panel";
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<double>(j);
  const auto view = s.view();
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto pass = cached_x::passes<f64>(view, level).front();
    ASSERT_GT(pass.units, 20);
    const auto products_of = [&](std::int64_t units) {
      std::vector<double> y(static_cast<std::size_t>(a.rows));
      std::vector<double> sums(static_cast<std::size_t>(s.meta.carries.slots));
      const product<f64> p{.alpha = 1, .x = x.data(), .beta = 0, .y = y.data()};
      for (std::int64_t u = 0; u < pass.units; u += units)
        pass.run(view, p, u, std::min(u + units, pass.units), sums.data());
      for (std::size_t r = 0; r < s.carries.row.size(); ++r)
        y[static_cast<std::size_t>(s.carries.row[r])] =
            std::accumulate(sums.begin() + s.carries.first[r], sums.begin() + s.carries.last[r], 0.0);
      return y;
    };
    const auto together = products_of(pass.units);
    EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, together).passed()));
    for (const std::int64_t units : {1, 2, 5}) EXPECT_EQ(products_of(units), together) << units << " units";
  }
}

TEST(cached_x, lanes_load_values_side_by_side) {
  for (const int size : {4, 8}) {
    std::vector<int> place(cached_x_chunk);
    for (int k = 0; k < cached_x_chunk; ++k) ++place[static_cast<std::size_t>(cached_x_place(k, size))];
    EXPECT_THAT(place, Each(1));
    EXPECT_EQ(cached_x_place(1, size), 1);
    EXPECT_EQ(cached_x_place(8, size), 16 / size);  // lane 1 behind lane 0
  }
}

}  // namespace
}  // namespace gossamer::formats::cached_x_tests
