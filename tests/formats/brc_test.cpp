// SPDX-License-Identifier: BSD-3-Clause
// Blocked row-column against paper 000: its example, its Algorithm 1 taken literally, its Table 1; and
// products of blocks of every shape.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/make_pattern.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/brc/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/paper_matrices.hpp"
#include "support/stored_arrays.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using formats::brc;
using formats::brc_accumulate;
using formats::brc_cut;
using formats::brc_segment;
using formats::brc_widths;
using formats::unbounded_number;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;
using testing_support::paper_000;
using matrix = csr_matrix<double, std::int64_t>;

template <class Matrix>
auto built(const Matrix& a, brc::options o, const exec::target& target) {
  return brc::build(a.view(), brc::resolve(o, measure_rows(a.view()), target), target);
}

/// Section 3.1 with three rows a block: the rows 2, 0, 1 and 3. Padding repeats the column before it in the
/// block, marked.
TEST(brc_arrays, of_blocked_row) {
  const auto s = built(paper_000(), {.block_rows = 3, .block_width = unbounded_number}, on_cuda);
  EXPECT_THAT(list(s.row_perm), ElementsAre(2, 0, 1, 3, -1, -1));
  EXPECT_THAT(list(s.nnz_per_block), ElementsAre(5, 1));
  EXPECT_THAT(list(s.block_offset), ElementsAre(0, 15, 18));
  EXPECT_THAT(list(s.col), ElementsAre(0, 1, 2, 1, 3, 4, 2, ~2, ~2, 4, ~4, ~4, 5, ~5, ~5, 3, ~3, ~3));
  EXPECT_THAT(list(s.val), ElementsAre(5, 1, 3, 6, 2, 4, 7, 0, 0, 8, 0, 0, 9, 0, 0, 10, 0, 0));
  EXPECT_EQ(s.carries.row.size() + s.unit_block.size(), 0u);
}

/// Figure 2: the blocks of rows 2, 0, 1 and 3, 2, 2. Lane 0 of the second has no lane before it to take a
/// column from.
TEST(brc_arrays, of_figure_2) {
  const auto s =
      built(paper_000(), {.block_rows = 3, .block_width = 2, .accumulate = brc_accumulate::atomic}, on_cuda);
  EXPECT_THAT(list(s.row_perm), ElementsAre(2, 0, 1, 3, 2, 2));
  EXPECT_THAT(list(s.nnz_per_block), ElementsAre(2, 2));
  EXPECT_THAT(list(s.block_offset), ElementsAre(0, 6, 12));
  EXPECT_THAT(list(s.col), ElementsAre(0, 1, 2, 1, 3, 4, 3, 2, 5, ~3, 4, ~4));
  EXPECT_THAT(list(s.val), ElementsAre(5, 1, 3, 6, 2, 4, 10, 7, 9, 0, 8, 0));
  EXPECT_EQ(s.meta.carries.slots, 0);
}

/// The same with sums that are added in order: row 2 is the one that is cut, and its three segments are slots
/// 0, 1, 2.
TEST(brc_arrays, of_figure_2_in_order) {
  const auto s = built(paper_000(), {.block_rows = 3, .block_width = 2}, on_cpu);
  EXPECT_THAT(list(s.row_perm), ElementsAre(-2, 0, 1, 3, -3, -4));
  EXPECT_THAT(list(s.carries.row), ElementsAre(2));
  EXPECT_THAT(list(s.carries.first), ElementsAre(0));
  EXPECT_THAT(list(s.carries.last), ElementsAre(3));
  EXPECT_EQ(s.meta.carries.slots, 3);
  EXPECT_EQ(s.meta.carries.longest, 3);
  EXPECT_THAT(list(s.unit_block), ElementsAre(0, 2));
  EXPECT_EQ(brc::to_csr(s).row_ptr[3], 9);
}

/// Rows of 5, 2, 2, 1 entries, cut after 1, 3, 7 ... of them.
TEST(brc_arrays, of_widths_that_grow) {
  const auto s = built(paper_000(),
                       {.block_rows = 2,
                        .block_width = 1,
                        .widths = brc_widths::growing,
                        .accumulate = brc_accumulate::atomic},
                       on_cuda);
  EXPECT_THAT(list(s.row_perm), ElementsAre(2, 0, 1, 3, 2, 0, 1, 2));
  EXPECT_THAT(list(s.nnz_per_block), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(list(s.val), ElementsAre(5, 1, 3, 10, 6, 2, 7, 0, 4, 8, 0, 9));
}

/// Rows of these lengths, with columns and values that all differ.
matrix with_lengths(const std::vector<std::int64_t>& lengths, std::int64_t cols) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t k = 0; k < lengths[i]; ++k) {
      row.push_back(static_cast<std::int32_t>(i));
      col.push_back(static_cast<std::int32_t>((static_cast<std::int64_t>(i) * 13 + k * 7) % cols));
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 5);
  return csr_from_coo<double, std::int64_t>(
      {.rows = static_cast<std::int64_t>(lengths.size()), .cols = cols, .row = row, .col = col, .val = val});
}

/// Groups of 3, 3 and 6 places. Their rows of 10, 6, 6 entries have a mean of 7.33 and a deviation of 1.89,
/// so that 9 is the width; of 6, 3, 3 it is 4 + 1.41, and of 3, 1, 1, 1, 1, 1 it is 1.33 + 0.75. What is left
/// of the three longest comes last.
TEST(brc_arrays, of_widths_by_position) {
  const matrix a = with_lengths({1, 6, 3, 1, 10, 1, 3, 6, 1, 6, 3, 1}, 43);
  const auto blocks_of = [&](std::int64_t least) {
    return built(a,
                 {.block_rows = 3,
                  .block_width = least,
                  .widths = brc_widths::by_position,
                  .accumulate = brc_accumulate::atomic},
                 on_cuda);
  };
  const auto s = blocks_of(1);
  EXPECT_THAT(list(s.row_perm), ElementsAre(4, 1, 7, 9, 2, 6, 10, 0, 3, 5, 8, 11, 4, 9, 10));
  EXPECT_THAT(list(s.nnz_per_block), ElementsAre(9, 5, 2, 1, 1));
  EXPECT_THAT(list(s.block_offset), ElementsAre(0, 27, 42, 48, 51, 54));
  const auto entry = [&](std::size_t row, std::int64_t k) {
    return a.val[static_cast<std::size_t>(a.row_ptr[row] + k)];
  };
  EXPECT_THAT(std::vector<double>(s.val.data() + 42, s.val.data() + 54),
              ElementsAre(entry(10, 0), entry(0, 0), entry(3, 0), entry(10, 1), 0, 0, entry(5, 0),
                          entry(8, 0), entry(11, 0), entry(4, 9), entry(9, 5), entry(10, 2)));
  // No group's segments are shorter than block_width.
  const auto wider = blocks_of(3);
  EXPECT_THAT(list(wider.row_perm), ElementsAre(4, 1, 7, 9, 2, 6, 10, 0, 3, 5, 8, 11, 4, 9, -1));
  EXPECT_THAT(list(wider.nnz_per_block), ElementsAre(9, 5, 3, 1, 1));
  EXPECT_THAT(list(blocks_of(6).nnz_per_block), ElementsAre(9, 6, 3, 1, 1));
  EXPECT_THAT(list(blocks_of(unbounded_number).nnz_per_block), ElementsAre(10, 6, 3, 1));
}

/// The cap of Equation (3) is each group's, and a larger block_width passes it.
TEST(brc_arrays, of_widths_by_position_have_the_papers_cap) {
  const matrix a = with_lengths({450, 400, 9, 7}, 997);
  const auto widths_of = [&](std::int64_t least) {
    return list(built(a, {.block_rows = 2, .block_width = least, .widths = brc_widths::by_position}, on_cuda)
                    .nnz_per_block);
  };
  EXPECT_THAT(widths_of(1), ElementsAre(200, 9, 200, 50));
  EXPECT_THAT(widths_of(210), ElementsAre(210, 9, 210, 30));
}

/// Where rows are not sorted they have no order to go by: one group, which has Equation (3)'s width.
TEST(brc_arrays, of_widths_by_position_without_an_order_are_those_of_equation_3) {
  const matrix a = bench_support::generate<double>("heavy_row(rows=300,heavy=250,per_row=2)");
  const auto of = [&](brc_widths widths, std::int64_t width) {
    return built(a, {.block_rows = 4, .block_width = width, .widths = widths, .sort_window = 1}, on_cpu);
  };
  const auto one = of(brc_widths::by_position, 1);
  const auto equation = of(brc_widths::fixed, formats::published_number);
  EXPECT_EQ(list(one.row_perm), list(equation.row_perm));
  EXPECT_EQ(list(one.nnz_per_block), list(equation.nnz_per_block));
  EXPECT_EQ(list(one.val), list(equation.val));
  EXPECT_GT(one.meta.carries.slots, 0);
}

/// Empty rows stand last, after what is left of the long ones.
TEST(brc_arrays, of_a_matrix_with_empty_rows) {
  const auto a = csr_from_coo<double, std::int64_t>({.rows = 5,
                                                     .cols = 3,
                                                     .row = std::vector<std::int32_t>{1, 4, 4, 4},
                                                     .col = std::vector<std::int32_t>{0, 0, 1, 2},
                                                     .val = std::vector<double>{1, 2, 3, 4}});
  const auto s = built(a, {.block_rows = 2, .block_width = 2, .accumulate = brc_accumulate::atomic}, on_cuda);
  EXPECT_THAT(list(s.row_perm), ElementsAre(4, 1, 4, 0, 2, 3));
  EXPECT_THAT(list(s.nnz_per_block), ElementsAre(2, 1, 0));
  EXPECT_EQ(s.meta.filled_blocks, 2);
  const auto none =
      built(csr_from_coo<double, std::int64_t>({.rows = 3, .cols = 2, .row = {}, .col = {}, .val = {}}),
            {.block_rows = 2}, on_cuda);
  EXPECT_THAT(list(none.row_perm), ElementsAre(0, 1, 2, -1));
  EXPECT_EQ(none.meta.filled_blocks, 0);
}

TEST(brc_segments, are_the_row_without_gaps) {
  for (const brc_widths widths :
       {brc_widths::fixed, brc_widths::growing, brc_widths::even, brc_widths::by_position}) {
    for (const std::int64_t width : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{7},
                                     std::int64_t{200}, unbounded_number}) {
      const brc_cut cut{.widths = widths, .width = width};
      EXPECT_EQ(cut.segments(0), 0);
      EXPECT_EQ(cut.segment(0, 5).length, 0);
      for (std::int64_t length = 1; length < 500; ++length) {
        SCOPED_TRACE(testing::Message()
                     << static_cast<int>(widths) << ", width " << width << ", length " << length);
        const std::int64_t n = cut.segments(length);
        std::int64_t next = 0;
        std::int64_t shortest = length;
        std::int64_t longest = 0;
        for (std::int64_t v = 0; v < n; ++v) {
          const brc_segment s = cut.segment(length, v);
          ASSERT_EQ(s.first, next);
          ASSERT_GE(s.length, 1);
          const std::int64_t most =
              widths == brc_widths::growing && width != unbounded_number ? width << v : width;
          ASSERT_LE(s.length, most);
          if ((widths == brc_widths::fixed || widths == brc_widths::by_position) && v + 1 < n) {
            ASSERT_EQ(s.length, width);
          }
          shortest = std::min(shortest, s.length);
          longest = std::max(longest, s.length);
          next += s.length;
        }
        ASSERT_EQ(next, length);
        if (widths == brc_widths::even) {
          ASSERT_LE(longest - shortest, 1);
        }
        if (widths != brc_widths::growing && width != unbounded_number) {
          ASSERT_EQ(n, (length + width - 1) / width);
        }
      }
    }
  }
  // 2^40 entries, cut at 1, 3, 7 ...
  EXPECT_EQ((brc_cut{.widths = brc_widths::growing, .width = 1}.segments(std::int64_t{1} << 40)), 41);
}

/// Algorithm 1 with a queue, one row after the other; empty rows, which the paper's product has no need of,
/// at the end.
struct literal_block {
  std::vector<std::int32_t> row;
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> length;
};
std::vector<literal_block> algorithm_1(const matrix& a, std::int64_t b1, std::int64_t b2, std::int64_t window,
                                       bool by_position) {
  struct entry {
    std::int32_t row;
    std::int64_t left;
    std::int64_t width;
  };
  std::deque<entry> queue;
  std::deque<entry> empty;
  std::map<int, std::vector<entry*>> groups;
  std::deque<entry> all;
  for (std::int64_t first = 0; first < a.rows; first += window) {
    std::vector<entry> sorted;
    for (std::int64_t i = first; i < std::min(a.rows, first + window); ++i)
      sorted.push_back({static_cast<std::int32_t>(i), formats::row_length(a.view(), i), b2});
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const entry& x, const entry& y) { return x.left > y.left; });
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      all.push_back(sorted[place]);
      int group = 0;
      for (std::int64_t block = static_cast<std::int64_t>(place) / b1; block > 0; block /= 2) ++group;
      if (sorted[place].left > 0) groups[group].push_back(&all.back());
    }
  }
  for (const auto& [group, rows] : groups) {
    double mean = 0;
    double squares = 0;
    std::int64_t longest = 0;
    for (const entry* e : rows) {
      mean += static_cast<double>(e->left) / static_cast<double>(rows.size());
      longest = std::max(longest, e->left);
    }
    for (const entry* e : rows) squares += std::pow(static_cast<double>(e->left) - mean, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(rows.size()));
    const std::int64_t width =
        std::max(b2, std::min<std::int64_t>({std::llround(mean + deviation), longest, 200}));
    if (by_position)
      for (entry* e : rows) e->width = width;
  }
  for (const entry& e : all) (e.left > 0 ? queue : empty).push_back(e);
  std::vector<literal_block> blocks;
  while (!queue.empty() || !empty.empty()) {
    literal_block block;
    for (std::int64_t i = 0; i < b1 && !(queue.empty() && empty.empty()); ++i) {
      std::deque<entry>& from = queue.empty() ? empty : queue;
      entry e = from.front();
      from.pop_front();
      const std::int64_t taken = std::min(e.left, e.width);
      block.row.push_back(e.row);
      block.first.push_back(formats::row_length(a.view(), e.row) - e.left);
      block.length.push_back(taken);
      e.left -= taken;
      if (e.left > 0) queue.push_back(e);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

TEST(brc_conversion, is_algorithm_1) {
  int cut_rows = 0;
  int twice_in_a_block = 0;
  int widened = 0;
  for (const char* text : {"power_law(rows=700,mean=6)", "heavy_row(rows=300,heavy=250,per_row=2)",
                           "empty_rows(rows=400,cols=90,per_row=9,every=7)", "uniform(rows=5,per_row=4)",
                           "dense(rows=9,cols=70)", "heavy_row(rows=40000,heavy=20000,per_row=3)"}) {
    const matrix a = bench_support::generate<double>(text);
    for (const auto& [b1, b2] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 2}, {32, 7}, {33, 200}}) {
      for (const std::int64_t window : {std::int64_t{1}, std::int64_t{50}, a.rows}) {
        for (const brc_widths widths : {brc_widths::fixed, brc_widths::by_position}) {
          const bool by_position = widths == brc_widths::by_position;
          SCOPED_TRACE(testing::Message() << text << " B1 = " << b1 << " B2 = " << b2 << " window " << window
                                          << (by_position ? " by position" : ""));
          const auto expected = algorithm_1(a, b1, b2, window, by_position);
          const auto s = built(a,
                               {.block_rows = b1,
                                .block_width = b2,
                                .widths = widths,
                                .sort_window = window,
                                .accumulate = brc_accumulate::atomic},
                               on_cuda);
          ASSERT_EQ(s.meta.blocks, static_cast<std::int64_t>(expected.size()));
          for (std::size_t b = 0; b < expected.size(); ++b) {
            const literal_block& block = expected[b];
            const std::int64_t width = *std::max_element(block.length.begin(), block.length.end());
            ASSERT_EQ(s.nnz_per_block[b], width) << "block " << b;
            ASSERT_EQ(s.block_offset[b + 1] - s.block_offset[b], width * b1);
            for (std::int64_t r = 0; r < b1; ++r) {
              const auto lane = static_cast<std::size_t>(r);
              const bool real = lane < block.row.size();
              ASSERT_EQ(s.row_perm[b * static_cast<std::size_t>(b1) + lane], real ? block.row[lane] : -1);
              for (std::int64_t j = 0; j < width; ++j) {
                const auto slot = static_cast<std::size_t>(s.block_offset[b] + j * b1 + r);
                if (real && j < block.length[lane]) {
                  const auto k = static_cast<std::size_t>(
                      a.row_ptr[static_cast<std::size_t>(block.row[lane])] + block.first[lane] + j);
                  ASSERT_EQ(s.col[slot], a.col[k]);
                  ASSERT_EQ(s.val[slot], a.val[k]);
                } else {
                  ASSERT_LT(s.col[slot], 0);
                  ASSERT_EQ(s.val[slot], 0);
                  if (r > 0) {
                    ASSERT_EQ(~s.col[slot], std::max(s.col[slot - 1], ~s.col[slot - 1]));
                  }
                  ASSERT_LT(~s.col[slot], a.cols);
                }
              }
            }
            const std::set<std::int32_t> different(block.row.begin(), block.row.end());
            twice_in_a_block += different.size() < block.row.size() ? 1 : 0;
            widened += by_position && width > b2 && block.row.size() > 1 ? 1 : 0;
          }
          cut_rows += s.meta.blocks * b1 > 2 * a.rows ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(cut_rows, 0);
  EXPECT_GT(twice_in_a_block, 0);
  EXPECT_GT(widened, 0);
}

/// A vertical block of its own for each entry: as many as that costs little only if none of them costs what
/// the matrix does.
TEST(brc_conversion, takes_a_million_vertical_blocks) {
  constexpr std::int64_t length = 1'000'000;
  std::vector<std::int64_t> row_ptr{0, 1, 1 + length, 2 + length};
  std::vector<std::int32_t> col(length + 2, 0);
  std::vector<float> val(length + 2, 1.0f);
  val.front() = 3;
  val.back() = 5;
  const csr_view<float, std::int64_t> a{.rows = 3, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  const auto plan = inspect(
      a, cpu{.threads = 2},
      {.format = "brc", .options = {{"block_width", "1"}, {"block_rows", "8"}, {"max_padding", "100"}}});
  std::vector<float> y(3, std::numeric_limits<float>::quiet_NaN());
  plan.multiply(1.0f, std::vector<float>{2}, 0.0f, y);
  EXPECT_THAT(y, ElementsAre(6, 2.0f * length, 10));
}

/// Rows times blocks would be 2 * 10^11 steps, hours of them.
TEST(brc_conversion, takes_a_million_vertical_blocks_and_many_rows) {
  constexpr std::int64_t length = 1'000'000;
  constexpr std::int64_t others = 200'000;
  std::vector<std::int64_t> row_ptr(others + 2);
  for (std::int64_t row = 0; row <= others; ++row) row_ptr[static_cast<std::size_t>(row + 1)] = length + row;
  const std::vector<std::int32_t> col(length + others, 0);
  const std::vector<float> val(length + others, 1.0f);
  const csr_view<float, std::int64_t> a{
      .rows = others + 1, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  const auto plan = inspect(
      a, cpu{.threads = 2},
      {.format = "brc", .options = {{"block_width", "1"}, {"block_rows", "8"}, {"max_padding", "100"}}});
  std::vector<float> y(others + 1, std::numeric_limits<float>::quiet_NaN());
  plan.multiply(1.0f, std::vector<float>{2}, 0.0f, y);
  EXPECT_EQ(y[0], 2.0f * length);
  EXPECT_EQ(std::count(y.begin() + 1, y.end(), 2.0f), others);
}

struct shape {
  std::string name;
  matrix a;
};

std::vector<shape> shapes() {
  std::vector<shape> all;
  all.push_back({"one_row", with_lengths({250}, 251)});
  all.push_back({"two_rows_in_turn", with_lengths({90, 0, 60, 0}, 97)});
  std::vector<std::int64_t> mixed;
  for (std::int64_t i = 0; i < 150; ++i) mixed.push_back(i % 11 == 0 ? 0 : i * i % 47);
  all.push_back({"mixed", with_lengths(mixed, 103)});
  all.push_back({"all_empty", with_lengths(std::vector<std::int64_t>(70, 0), 5)});
  return all;
}

/// Blocks of fewer rows than a vector has lanes, of one more, of some vectors and a rest; more rows than the
/// matrix has.
TEST(brc_product, is_right_for_blocks_of_every_shape) {
  for (const shape& m : shapes()) {
    for (const char* rows : {"1", "3", "8", "9", "31", "33", "40", "100", "256"}) {
      for (const char* width : {"1", "2", "5", "unbounded"}) {
        for (const char* widths : {"fixed", "growing", "even", "by_position"}) {
          for (const char* window : {"1", "7", "auto"}) {
            for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
              if (!runs_here(level)) continue;
              const option_texts options{{"block_rows", rows},
                                         {"block_width", width},
                                         {"widths", widths},
                                         {"sort_window", window},
                                         {"max_padding", "100"}};
              const auto plan = inspect(m.a.view(), cpu{.threads = 1, .level = level},
                                        {.format = "brc", .options = options});
              auto x = random_vector<double>(m.a.cols, 1);
              x[3] = std::numeric_limits<double>::infinity();  // must stay in its rows
              for (const double beta : {0.0, 1.0, -0.5}) {
                const auto y = beta == 0 ? poisoned<double>(m.a.rows) : random_vector<double>(m.a.rows, 2);
                auto got = y;
                plan.multiply(1.5, x, beta, got);
                const auto v = bench_support::verify<double, std::int64_t>(m.a.view(), 1.5, x, beta, y, got);
                ASSERT_TRUE(v.passed())
                    << m.name << " row " << v.row << " beta " << beta << " " << plan.describe();
              }
            }
          }
        }
      }
    }
  }
}

/// The same on a device: also warps that share columns, blocks walked in turn, atomic sums, and long runs
/// among many short ones.
TEST(brc_product, is_right_for_blocks_of_every_shape_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  std::vector<shape> all = shapes();
  std::vector<std::int64_t> lengths(2500, 3);
  lengths[700] = 5000;
  lengths[701] = 900;
  all.push_back({"two_long_runs", with_lengths(lengths, 5003)});
  for (const shape& m : all) {
    for (const char* rows : {"1", "3", "32", "33", "128", "256"}) {
      for (const char* width : {"1", "2", "unbounded"}) {
        for (const char* threads : {"1", "2", "4", "8", "16"}) {
          for (const char* coarsening : {"1", "4"}) {
            for (const char* accumulate : {"ordered", "atomic"}) {
              const option_texts options{{"block_rows", rows},         {"block_width", width},
                                         {"threads_per_row", threads}, {"coarsening", coarsening},
                                         {"accumulate", accumulate},   {"max_padding", "100"}};
              if (!forecast(m.a.view(), measure_rows(m.a.view()), "brc", options, cuda{0}).refusal.empty())
                continue;
              const auto plan = inspect(m.a.view(), cuda{0}, {.format = "brc", .options = options});
              auto x = random_vector<double>(m.a.cols, 1);
              x[3] = std::numeric_limits<double>::infinity();
              for (const double beta : {0.0, 1.0, -0.5}) {
                const auto y = beta == 0 ? poisoned<double>(m.a.rows) : random_vector<double>(m.a.rows, 2);
                auto got = y;
                plan.multiply(1.5, x, beta, got);
                const auto v = bench_support::verify<double, std::int64_t>(m.a.view(), 1.5, x, beta, y, got);
                ASSERT_TRUE(v.passed())
                    << m.name << " row " << v.row << " beta " << beta << " " << plan.describe();
              }
            }
          }
        }
      }
    }
  }
}

/// What a sum of nothing would change to +0.
TEST(brc_product, leaves_empty_rows_alone_where_beta_is_one) {
  std::vector<std::int64_t> lengths(100, 0);
  lengths[40] = 3;
  const matrix a = with_lengths(lengths, 7);
  const auto plan = inspect(a.view(), cpu{.threads = 1},
                            {.format = "brc", .options = {{"block_rows", "8"}, {"block_width", "3"}}});
  std::vector<double> y(100, -0.0);
  plan.multiply(1.0, random_vector<double>(7, 1), 1.0, y);
  EXPECT_EQ(std::count_if(y.begin(), y.end(), [](double v) { return std::signbit(v) && v == 0; }), 92)
      << "all but the rows of the block that is not empty";
  EXPECT_NE(y[40], 0);
}

/// Table 1's column B2; of FEM/Spheres it says 91, of which Equation (3) leaves no more than the longest
/// row's 81.
const std::map<std::string, std::int64_t> table_1{
    {"CAN", 78}, {"SPH", 81}, {"ACC", 36}, {"DEN", 200}, {"ECO", 10}, {"EPI", 4},  {"PRO", 151},
    {"WIN", 58}, {"QCD", 39}, {"LP", 200}, {"HAR", 79},  {"CIR", 10}, {"SHI", 66}, {"WEB", 28}};

double printed(const bench_support::known_matrix& m, std::string_view figure) {
  for (const bench_support::published_figure& f : m.figures)
    if (f.figure == figure && f.source == "paper 000, Table 1") return std::stod(f.printed);
  ADD_FAILURE() << m.name << " has no " << figure;
  return 0;
}

TEST(brc_block_width, is_table_1) {
  for (const auto& [name, width] : table_1) {
    const bench_support::known_matrix& m = bench_support::find_known_matrix(name);
    EXPECT_EQ(formats::brc_block_width(printed(m, "mean"), printed(m, "sd"),
                                       static_cast<std::int64_t>(printed(m, "max"))),
              width)
        << name;
  }
  // The 91 is what the equation gives without its second half.
  EXPECT_EQ(formats::brc_block_width(72, 19, 1000), 91);
}

TEST(brc_block_width, is_at_least_one_and_knows_no_overflow) {
  EXPECT_EQ(formats::brc_block_width(0.2, 0.2, 5), 1);
  EXPECT_EQ(formats::brc_block_width(0, 0, 0), 1);
  EXPECT_EQ(formats::brc_block_width(0.2, 0.3, 5), 1);
  EXPECT_EQ(formats::brc_block_width(1e300, 1e300, 150), 150);
  EXPECT_EQ(formats::brc_block_width(3, 1.4, 100), 4);
  EXPECT_EQ(formats::brc_block_width(3, 1.5, 100), 5);
  EXPECT_EQ(formats::brc_block_width(3, 1.5, 100, 2), 10);
  EXPECT_EQ(formats::brc_block_width(2000, 5, 4000, 1, 1000), 1000);
}

/// From the data instead of the printed figures: the large ones where GOSSAMER_TEST_FULL is 1.
TEST(brc_block_width, of_stand_ins_is_that_of_table_1) {
  const char* full = std::getenv("GOSSAMER_TEST_FULL");
  const std::int64_t largest = full != nullptr && std::string(full) == "1" ? INT64_MAX : 2'400'000;
  int built_ones = 0;
  for (const auto& [name, width] : table_1) {
    const bench_support::known_matrix& m = bench_support::find_known_matrix(name);
    if (m.nnz > largest) continue;
    const auto a = bench_support::generate<float>("like(" + std::string(m.name) + ")");
    const row_statistics s = measure_rows(a.view());
    EXPECT_EQ(brc::resolve({.block_width = formats::published_number}, s, on_cuda).block_width, width)
        << name;
    EXPECT_EQ(brc::resolve({}, s, on_cpu).block_width, width) << name;
    ++built_ones;
  }
  EXPECT_GE(built_ones, 5);
}

/// All of them, from the row lengths alone.
TEST(brc_block_width, of_stand_ins_row_lengths_is_that_of_table_1) {
  for (const auto& [name, width] : table_1) {
    const auto pattern = bench_support::generation::make_pattern("like(" + name + ")");
    double sum = 0;
    double squares = 0;
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < pattern->rows; ++i) {
      const std::int64_t length = pattern->row_length(i);
      sum += static_cast<double>(length);
      squares += static_cast<double>(length) * static_cast<double>(length);
      longest = std::max(longest, length);
    }
    const auto rows = static_cast<double>(pattern->rows);
    const double mean = sum / rows;
    EXPECT_EQ(formats::brc_block_width(mean, std::sqrt(squares / rows - mean * mean), longest), width)
        << name;
  }
}

row_statistics like_statistics(double rows, double mean, double sd, std::int64_t max) {
  return {.rows = static_cast<std::int64_t>(rows),
          .cols = static_cast<std::int64_t>(rows),
          .nnz = static_cast<std::int64_t>(rows * mean),
          .mean = mean,
          .standard_deviation = sd,
          .max = max};
}

/// The paper's search "in a bounded domain of model parameters of size 24", which includes the model's
/// choice.
TEST(brc_candidates, are_24_settings_around_the_models) {
  for (const auto& [name, width] : table_1) {
    const bench_support::known_matrix& m = bench_support::find_known_matrix(name);
    row_statistics s = like_statistics(static_cast<double>(m.rows), printed(m, "mean"), printed(m, "sd"),
                                       static_cast<std::int64_t>(printed(m, "max")));
    const auto all = candidates("brc", s, cuda{0});
    const std::set<option_texts> different(all.begin(), all.end());
    EXPECT_EQ(all.size(), 24u) << name;
    EXPECT_EQ(different.size(), 24u) << name;
    EXPECT_EQ(all.front(), formats::texts_of(brc::resolve({}, s, on_cuda), device_set::cuda)) << name;
  }
  for (const row_statistics& s :
       {row_statistics{}, like_statistics(1, 1, 0, 1), like_statistics(3, 2, 0, 2)}) {
    for (const resource& where : {resource{cuda{0}}, resource{cpu{}}}) {
      const auto all = candidates("brc", s, where);
      const std::set<option_texts> different(all.begin(), all.end());
      EXPECT_EQ(all.size(), different.size());
      EXPECT_GE(all.size(), 1u);
      EXPECT_LT(all.size(), 24u);
    }
  }
}

/// Algorithm 1 has a factor where the deviation exceeds the mean; measured, it is 1
/// (docs/notes/brc-widths.md).
TEST(brc_options, coarsen_only_on_request) {
  EXPECT_EQ(brc::resolve({}, like_statistics(1000005, 3, 25, 4700), on_cuda).coarsening, 1);
  EXPECT_EQ(brc::resolve({.coarsening = 4}, like_statistics(1000005, 3, 25, 4700), on_cuda).coarsening, 4);
  EXPECT_EQ(brc::resolve({}, like_statistics(1000005, 3, 25, 4700), on_cpu).coarsening, 1);
}

/// Within 2 % of the fastest of 1 to 8 on an H200, by the sizes of paper 000's matrices
/// (docs/notes/brc-widths.md).
TEST(brc_options, warps_a_row_are_those_that_were_fast) {
  const auto warps = [](double rows, double mean, double deviation, std::int64_t longest) {
    return brc::resolve({}, like_statistics(rows, mean, deviation, longest), on_cuda).threads_per_row;
  };
  EXPECT_EQ(warps(62451, 64, 14, 78), 2) << "cant";
  EXPECT_EQ(warps(83334, 72, 19, 81), 2) << "consph";
  EXPECT_EQ(warps(121192, 22, 14, 81), 4) << "cop20k_A";
  EXPECT_EQ(warps(2000, 2000, 0, 2000), 4) << "dense2";
  EXPECT_EQ(warps(36417, 119, 32, 204), 8) << "pdb1HYS";
  EXPECT_EQ(warps(46835, 50, 28, 145), 4) << "rma10";
  EXPECT_EQ(warps(140874, 55, 11, 102), 4) << "shipsec1";
  EXPECT_EQ(warps(49152, 39, 0, 39), 1) << "conf5_4-8x8-05";
  EXPECT_EQ(warps(217918, 53, 5, 180), 4) << "pwtk";
  EXPECT_EQ(warps(206500, 6, 4, 44), 2) << "mac_econ_fwd500";
  EXPECT_EQ(warps(59070, 4.9, 3.7, 26), 2) << "tri_basker_matrix1";
  EXPECT_EQ(warps(582, 691, 1220, 8920), 8) << "rail582";
}

/// What is long is at the front and has more than Equation (3)'s width of all rows there.
TEST(brc_options, warps_a_row_by_position_are_for_the_widest_segments) {
  const auto warps = [](brc_widths widths) {
    return brc::resolve({.block_width = formats::published_number, .widths = widths},
                        like_statistics(46835, 50, 28, 145), on_cuda)
        .threads_per_row;
  };
  EXPECT_EQ(warps(brc_widths::fixed), 2);
  EXPECT_EQ(warps(brc_widths::by_position), 4);
}

/// Rows that would leave some thread with more than 48 columns, or most of them with less than ten, are cut:
/// by Equation (3), rounded up to whole batches of eight columns for each thread, eight of them at most.
TEST(brc_options, cut_no_row_on_a_gpu_where_all_threads_stay_short) {
  const auto width = [](const brc::options& o, double rows, double mean, double deviation,
                        std::int64_t longest, const exec::target& where = on_cuda) {
    return brc::resolve(o, like_statistics(rows, mean, deviation, longest), where).block_width;
  };
  EXPECT_EQ(width({}, 36417, 119, 32, 204), 204) << "pdb1HYS";
  EXPECT_EQ(width({}, 46835, 50, 28, 145), 145) << "rma10";
  EXPECT_EQ(width({}, 206500, 6, 4, 44), 44) << "mac_econ_fwd500";
  EXPECT_EQ(width({}, 217918, 53, 5, 180), 180) << "pwtk";
  EXPECT_EQ(width({}, 170998, 6, 4, 353), 16) << "scircuit";
  EXPECT_EQ(width({}, 1000005, 3, 25, 4700), 32) << "webbase-1M";
  EXPECT_EQ(width({}, 2000, 2000, 0, 2000), 128) << "dense2";
  EXPECT_EQ(width({}, 4284, 2633, 4209, 56181), 128) << "rail4284";
  EXPECT_EQ(width({}, 93279, 13, 653, 93261), 64) << "boyd1: one thread a row";
  EXPECT_EQ(width({.threads_per_row = 1}, 46835, 50, 28, 145), 64)
      << "threads that are asked for are not changed";
  EXPECT_EQ(width({.threads_per_row = 1}, 206500, 6, 4, 44), 44);
  EXPECT_EQ(width({.block_width = formats::published_number}, 46835, 50, 28, 145), 78);
  EXPECT_EQ(width({}, 46835, 50, 28, 145, on_cpu), 78);
  EXPECT_EQ(width({.widths = formats::brc_widths::growing}, 46835, 50, 28, 145), 78);
  EXPECT_EQ(width({.widths = formats::brc_widths::even}, 46835, 50, 28, 145), 78);
  EXPECT_EQ(width({.widths = formats::brc_widths::by_position}, 46835, 50, 28, 145), 78);
  EXPECT_EQ(width({.sort_window = 1024}, 46835, 50, 28, 145), 78)
      << "each window's longest row would pad its block";
  EXPECT_EQ(width({.sort_window = 46835}, 46835, 50, 28, 145), 145);
  EXPECT_EQ(width({}, 5, 0, 0, 0), 1);
  const auto threads = [](std::int64_t longest) {
    return brc::resolve({.block_width = formats::unbounded_number}, like_statistics(1e6, 20, 20, longest),
                        on_cuda)
        .threads_per_row;
  };
  EXPECT_EQ(threads(48), 1);
  EXPECT_EQ(threads(49), 2);
  EXPECT_EQ(threads(1000), 2) << "less than ten columns would be left to each of four";
}

/// Rows that are cut are sorted within windows where there are many of them; nobody's own width or way of
/// cutting changes its order.
TEST(brc_options, sort_many_cut_rows_in_windows_on_a_gpu) {
  const auto window = [](const brc::options& o, double rows, double mean, double deviation,
                         std::int64_t longest, const exec::target& where = on_cuda) {
    return brc::resolve(o, like_statistics(rows, mean, deviation, longest), where).sort_window;
  };
  EXPECT_EQ(window({}, 170998, 6, 4, 353), 4096) << "scircuit";
  EXPECT_EQ(window({}, 4690002, 4.3, 3.2, 272), 4096) << "rajat31";
  EXPECT_EQ(window({}, 131072, 6, 4, 353), 4096);
  EXPECT_EQ(window({}, 131071, 6, 4, 353), 131071);
  EXPECT_EQ(window({}, 206500, 6, 4, 44), 206500) << "no row is cut";
  EXPECT_EQ(window({.sort_window = 7}, 170998, 6, 4, 353), 7);
  EXPECT_EQ(window({.block_width = 10}, 170998, 6, 4, 353), 170998);
  EXPECT_EQ(window({.block_width = formats::published_number}, 170998, 6, 4, 353), 170998);
  EXPECT_EQ(window({.widths = brc_widths::even}, 170998, 6, 4, 353), 170998);
  EXPECT_EQ(window({}, 170998, 6, 4, 353, on_cpu), 170998);
  EXPECT_EQ(window({}, 0, 0, 0, 0), 1);
  auto tail = like_statistics(1'000'000, 6, 4, 353);  // of hyb: most rows have nothing in it
  tail.empty = 900'000;
  EXPECT_EQ(brc::resolve({}, tail, on_cuda).sort_window, 1'000'000);
}

TEST(brc_options, are_read_back_as_they_are_written) {
  const auto parsed =
      formats::parse_options<brc>({{"block_width", "unbounded"}, {"widths", "even"}}, device_set::cpu);
  EXPECT_EQ(parsed.block_width, unbounded_number);
  const auto texts = formats::texts_of(brc::resolve(parsed, {}, on_cpu), device_set::cpu);
  EXPECT_THAT(texts, testing::Contains(std::pair<std::string, std::string>("block_width", "unbounded")));
  const auto published = formats::parse_options<brc>({{"block_width", "published"}}, device_set::cpu);
  EXPECT_EQ(published.block_width, formats::published_number);
  EXPECT_THAT(formats::texts_of(published, device_set::cpu),
              testing::Contains(std::pair<std::string, std::string>("block_width", "published")));
}

template <class F>
std::string what(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(brc_options, that_make_no_sense_are_refused) {
  const auto parse = [](const char* key, const char* value, device_set kind) {
    return what([&] { formats::parse_options<brc>({{key, value}}, kind); });
  };
  EXPECT_EQ(parse("accumulate", "atomic", device_set::cpu),
            "unsupported: brc: option accumulate = atomic exists on cuda only");
  EXPECT_EQ(parse("coarsening", "2", device_set::cpu),
            "unsupported: brc: option coarsening exists on cuda only");
  EXPECT_EQ(
      parse("block_width", "0", device_set::cuda),
      "brc: option block_width = \"0\" is not auto or published or unbounded or a whole number from 1 to "
      "1073741824");
  EXPECT_EQ(parse("block_rows", "unbounded", device_set::cuda),
            "brc: option block_rows = \"unbounded\" is not auto or a whole number from 1 to 256");
  EXPECT_EQ(what([] { brc::resolve({.threads_per_row = 3}, {}, on_cuda); }),
            "brc: option threads_per_row = \"3\" is not a power of two");
  EXPECT_EQ(what([] { brc::resolve({.coarsening = 6}, {}, on_cuda); }),
            "brc: option coarsening = \"6\" is not a power of two");
}

/// Too many combinations to try all: every two settings meet in one.
TEST(brc_options, vary_in_pairs) {
  for (const resource& where : {resource{cpu{}}, resource{cuda{0}}}) {
    std::map<std::string, std::set<std::string>> settings;
    std::set<std::array<std::string, 4>> pairs;
    const auto all = variants("brc", where);
    for (const option_texts& texts : all) {
      for (const auto& [key, value] : texts) {
        settings[key].insert(value);
        for (const auto& [other, its] : texts)
          if (key < other) pairs.insert({key, value, other, its});
      }
    }
    std::size_t expected = 0;
    for (const auto& [key, values] : settings)
      for (const auto& [other, its] : settings)
        if (key < other) expected += values.size() * its.size();
    EXPECT_EQ(pairs.size(), expected);
    EXPECT_LT(all.size(), 30u);
    EXPECT_EQ(settings["widths"].size(), 4u);
    EXPECT_EQ(settings["block_width"].size(), 5u);
  }
}

/// One row of 40,000 entries among 40,000 of one.
TEST(brc_footprint, counts_every_array) {
  const auto a = bench_support::generate<double>("heavy_row(rows=40k,heavy=40k,per_row=1)");
  const row_statistics s = measure_rows(a.view());
  const auto size = [&](brc::options o, const exec::target& target) {
    return brc::measure(a.view(), s, brc::resolve(o, s, target), target);
  };
  // Blocked row: the long row's block, then 31 rows of one fill it, 1249 more blocks of 32 follow.
  constexpr std::int64_t whole_slots = 32 * (40000 + 1249);
  const auto whole = size({.block_width = unbounded_number, .max_padding = 100}, on_cuda);
  EXPECT_EQ(whole.bytes, whole_slots * 12 + 1250 * (32 * 4 + 4) + 1251 * 8);
  EXPECT_TRUE(whole.exact);
  EXPECT_TRUE(whole.refusal.empty());
  EXPECT_THAT(size({.block_width = unbounded_number}, on_cuda).refusal,
              HasSubstr("need 1319968 slots for 79999 nonzeros, 16.5 a nonzero"));
  // Cut at 200: 40,000 first segments, then 199 of the long row, which have blocks of their own.
  const auto cut = size({.block_width = 200}, on_cuda);
  constexpr std::int64_t cut_slots = 32 * (200 + 1249 + 7 * 200);
  EXPECT_TRUE(cut.refusal.empty());
  EXPECT_EQ(cut.bytes, cut_slots * 12 + 1257 * (32 * 4 + 4) + 1258 * 8 + 20);
}

}  // namespace
}  // namespace gossamer::testing_support
