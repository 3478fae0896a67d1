// SPDX-License-Identifier: BSD-3-Clause
// packed: the kind of slice for each row, and the layouts of slices: rows shared by lanes, listed rows, row
// parts, COO slices.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "core/first_touch.hpp"
#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Rows of very different lengths: shared by lanes, listed, cut, or many steps shorter than the longest.
void expect_every_shape(const exec::target& target, const std::vector<resource>& where) {
  std::vector<std::int64_t> length;
  length.reserve(1500);
  for (int i = 0; i < 1500; ++i) length.push_back(i % 7 == 0 ? 0 : i % 9);
  length[3] = 50000;
  length[40] = 8192;
  length[41] = 8193;
  length[700] = 300;
  length[701] = 16;
  length[1100] = 2000;
  length[1400] = 700;
  const auto a = matrix_from_rows(
      static_cast<std::int64_t>(length.size()), 60000,
      [&](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (std::int64_t k = 0; k < length[static_cast<std::size_t>(i)]; ++k) of_row.push_back(k + i % 3);
        return of_row;
      },
      any_value);
  std::set<int> shared;
  std::set<std::string> seen;
  for (const std::int64_t walk : {1, 8, 4096}) {
    const auto s = stored(
        a, target,
        {.longest_walk = walk, .longest_part = packed_longest_part, .short_rows = packed_short_rows::padded});
    for (std::size_t i = 0; i < s.slice.size(); ++i) {
      const packed_slice& each = s.slice[i];
      shared.insert(each.sharing());
      if (each.is_row_part()) seen.insert("part");
      if (each.lists_rows()) seen.insert("listed");
      if (!each.is_full() && each.misses_many()) seen.insert("misses many");
      if (!each.is_full() && !each.misses_many()) seen.insert("misses few");
      if (each.steps == 0) seen.insert("empty");
    }
    EXPECT_EQ(s.meta.carries.slots, 7 + 2);
    EXPECT_THAT(list(s.carries.row), ElementsAre(3, 41));
    expect_back(a, s);
    expect_right(a, where, {{"longest_walk", std::to_string(walk)}, {"short_rows", "padded"}});
    expect_back(a, stored(a, target, {.longest_walk = walk, .short_rows = packed_short_rows::entries}));
    expect_right(a, where, {{"longest_walk", std::to_string(walk)}, {"short_rows", "entries"}});
  }
  EXPECT_THAT(shared, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(seen, testing::UnorderedElementsAre("part", "listed", "misses many", "misses few", "empty"));
}

TEST(packed_shapes, are_all_reached_cpu) {
  expect_every_shape(on_cpu, cpus());
}
TEST(packed_shapes, of_a_device_are_all_reached) {
  expect_every_shape(on_cuda, {});
}
TEST(packed_shapes, are_all_reached_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_shape(on_cuda, {cuda{0}});
}

/// Rows of 0 to 10,000,000 entries. Values and x are integers, and sums are below 2^53, so they are exact in
/// any order.
void expect_the_longest_rows_to_be_exact(const exec::target& target, const std::vector<resource>& where) {
  constexpr std::int64_t cols = 10'000'000;
  const std::vector<std::int64_t> length{0, 1, cols, 3, 0, 1000, 8193, 31, cols - 1, 256, 257, 0};
  const auto value = [](std::int64_t i, std::int64_t k) { return static_cast<double>((i + k) % 1021 - 300); };
  const auto x_at = [](std::int64_t column) { return static_cast<double>(column % 7 - 2); };
  const auto a = matrix_from_rows(
      static_cast<std::int64_t>(length.size()), cols,
      [&](std::int64_t i) {
        std::vector<std::int64_t> of_row(static_cast<std::size_t>(length[static_cast<std::size_t>(i)]));
        std::iota(of_row.begin(), of_row.end(), std::int64_t{0});
        return of_row;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) { return value(i, static_cast<std::int64_t>(k)); });
  std::vector<double> x(static_cast<std::size_t>(cols));
  for (std::int64_t c = 0; c < cols; ++c) x[static_cast<std::size_t>(c)] = x_at(c);
  std::vector<double> expected;
  for (std::size_t i = 0; i < length.size(); ++i) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < length[i]; ++k)
      sum += static_cast<std::int64_t>(value(static_cast<std::int64_t>(i), k) * x_at(k));
    expected.push_back(static_cast<double>(sum));
  }
  const auto s = stored(a, target);
  EXPECT_EQ(s.meta.carries.longest, (cols + s.meta.longest_part - 1) / s.meta.longest_part);
  expect_back(a, s);
  for (const resource& each : where) {
    const auto plan = inspect(a.view(), each, {.format = "packed"});
    auto got = testing_support::poisoned<double>(a.rows);
    plan.multiply(1.0, x, 0.0, got);
    EXPECT_EQ(got, expected);
    plan.multiply(2.0, x, -1.0, got);
    EXPECT_EQ(got, expected) << "twice that, minus the previous y";
  }
}

TEST(packed_shapes, of_rows_of_up_to_ten_million_entries_are_exact_cpu) {
  expect_the_longest_rows_to_be_exact(on_cpu, cpus());
}
TEST(packed_shapes, of_rows_of_up_to_ten_million_entries_are_exact_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_the_longest_rows_to_be_exact(on_cuda, {cuda{0}});
}

/// Starts `row` if two lanes share a row, in consecutive and in listed rows.
void expect_shared_rows_to_count_from_themselves(const exec::target& target,
                                                 const std::vector<resource>& where) {
  for (const bool listed : {false, true}) {
    SCOPED_TRACE(listed ? "listed" : "in order");
    const auto a = matrix_from_rows(
        128, 3000,
        [&](std::int64_t i) {
          std::vector<std::int64_t> of_row;
          for (std::int64_t k = 0; k < 6 && (!listed || i % 2 == 0); ++k)
            of_row.push_back(i + (255 - i % 3) * (k % 2) + 1000 * (k / 2));  // on too many diagonals
          return of_row;
        },
        [](std::int64_t i, std::size_t k, std::int64_t) {
          return std::sin(static_cast<double>(6 * i) + static_cast<double>(k));
        });
    const auto s = stored(a, target, {.longest_walk = 3, .short_rows = packed_short_rows::padded});
    bool found = false;
    for (std::size_t i = 0; i < s.slice.size(); ++i) {
      const packed_slice& each = s.slice[i];
      found = found || (each.sharing() == 1 && each.starts() == packed_starts::row &&
                        each.columns() == packed_columns::one && each.lists_rows() == listed);
    }
    EXPECT_TRUE(found) << "no slice has this encoding";
    expect_back(a, s);
    expect_right(a, where, {{"longest_walk", "3"}, {"short_rows", "padded"}});
  }
}

TEST(packed_shapes, shared_rows_count_from_themselves_cpu) {
  expect_shared_rows_to_count_from_themselves(on_cpu, cpus());
}
TEST(packed_shapes, of_a_device_count_from_themselves) {
  expect_shared_rows_to_count_from_themselves(on_cuda, {});
}
TEST(packed_shapes, shared_rows_count_from_themselves_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_shared_rows_to_count_from_themselves(on_cuda, {cuda{0}});
}

/// COO slices end before the row with which they would have too many entries or rows. Longer rows are in lane
/// slices.
void expect_coo_slices_to_end_at_rows(const exec::target& target, const std::vector<resource>& where) {
  const std::vector<std::function<std::int64_t(std::int64_t)>> shapes = {
      [](std::int64_t) { return 0; },
      [](std::int64_t i) { return i == 2050 ? 1 : 0; },
      [](std::int64_t i) { return i % 50 == 7   ? 256
                                  : i % 11 == 0 ? 255
                                                : i % 2; },
      [](std::int64_t i) { return i % 300 == 5 ? 257 : 3; },
      [](std::int64_t i) { return i == 1000 ? 20000 : i % 5; },
      [](std::int64_t) { return 128; },
      [](std::int64_t i) { return 20 + i % 60; },
  };
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    SCOPED_TRACE(n);
    const auto a = matrix_from_rows(
        2051, 30000, [&](std::int64_t i) { return uneven_row(i, shapes[n](i), 30000); }, any_value);
    for (const std::int64_t most : {32, 100, 256}) {
      if (target.kind == device_set::cpu && most < packed_max_coo_entries) continue;
      const auto s = stored(a, target, {.short_rows = packed_short_rows::entries, .entries_per_slice = most});
      std::int64_t fullest = 0;
      for (std::size_t i = 0; i < s.slice.size(); ++i) {
        const packed_slice& each = s.slice[i];
        if (!each.is_coo_slice()) {
          EXPECT_TRUE(each.lists_rows() || each.is_row_part());
          continue;
        }
        EXPECT_LE(each.steps, most);
        EXPECT_LE(each.rows(), packed_max_coo_entries);
        fullest = std::max<std::int64_t>(fullest, each.steps);
      }
      const bool is_short = n == 3 || n == 4;
      if (is_short) {
        EXPECT_GT(fullest, most / 2) << "hardly a slice is full";
      }
      expect_back(a, s);
      if (target.kind == device_set::cuda)
        expect_right(a, where, {{"short_rows", "entries"}, {"entries_per_slice", std::to_string(most)}});
    }
    for (const char* const warps : {"1", "4"}) {
      option_texts options{{"short_rows", "entries"}};
      if (target.kind == device_set::cuda) options.push_back({"warps_per_slice", warps});
      expect_right(a, where, options);
    }
  }
}

TEST(packed_coo_slices, end_at_rows_cpu) {
  expect_coo_slices_to_end_at_rows(on_cpu, cpus());
}
TEST(packed_coo_slices, of_a_device_end_at_rows) {
  expect_coo_slices_to_end_at_rows(on_cuda, {});
}
TEST(packed_coo_slices, end_at_rows_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_coo_slices_to_end_at_rows(on_cuda, {cuda{0}});
}

/// The number of COO slices, diagonal slices and other lane slices.
std::array<std::int64_t, 3> kinds(const matrix<double>& a, const exec::target& target) {
  const auto s = stored(a, target);
  std::array<std::int64_t, 3> of{};
  for (std::size_t i = 0; i < s.slice.size(); ++i)
    ++of[s.slice[i].is_coo_slice() ? 0 : s.slice[i].is_diagonal_slice() ? 1 : 2];
  return of;
}

TEST(packed_coo_slices, are_for_rows_that_lanes_do_not_suit) {
  for (const auto& target : {on_cpu, on_cuda}) {
    const auto uneven = matrix_from_rows(
        4096, 4096, [](std::int64_t i) { return uneven_row(i, i * i % 13 % 7, 4096); }, any_value);
    if (target.kind == device_set::cuda) {
      EXPECT_THAT(kinds(uneven, target), ElementsAre(testing::Gt(0), 0, 0));
    }
    const auto alike = matrix_from_rows(
        50'000, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); }, any_value);
    EXPECT_THAT(kinds(alike, target), ElementsAre(0, 0, testing::Gt(0)));
    if (target.kind == device_set::cuda) {  // all warps run at once, and COO slices wait less
      const auto few = matrix_from_rows(
          4096, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); }, any_value);
      EXPECT_THAT(kinds(few, target), ElementsAre(testing::Gt(0), 0, 0));
      const auto of_two_values = matrix_from_rows(
          4096, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); },
          [](std::int64_t i, std::size_t k, std::int64_t) {
            return (i + static_cast<std::int64_t>(k)) % 2 == 0 ? 1.5 : -0.5;
          });
      EXPECT_THAT(kinds(of_two_values, target), ElementsAre(0, 0, testing::Gt(0))) << "the table has them";
    }
    const auto tridiagonal = matrix_from_rows(
        4096, 4098,
        [](std::int64_t i) {
          return std::vector<std::int64_t>{i, i + 1, i + 2};
        },
        any_value);
    EXPECT_THAT(kinds(tridiagonal, target), ElementsAre(0, 32, 0));
    // A diagonal slice in the middle of a window of COO slices.
    const auto both = matrix_from_rows(
        1024, 2048,
        [](std::int64_t i) {
          return i / 128 == 3 ? std::vector<std::int64_t>{i, i + 1, i + 2}
                              : uneven_row(i, i * i % 13 % 7, 2048);
        },
        any_value);
    if (target.kind == device_set::cuda) {
      EXPECT_THAT(kinds(both, target), ElementsAre(testing::Gt(1), 1, 0));
    }
  }
}

/// On a device a matrix with few COO slices has lane slices only, unless these would be many more.
TEST(packed_coo_slices, are_none_where_they_would_be_few) {
  constexpr std::int64_t windows = 40;
  constexpr std::int64_t rows = windows * packed_window;
  const auto with_a_last_window = [&](const std::function<std::int64_t(std::int64_t)>& length) {
    return matrix_from_rows(
        rows, rows,
        [&](std::int64_t i) { return uneven_row(i, i < rows - packed_window ? 24 : length(i), rows); },
        any_value);
  };
  const auto short_rows = with_a_last_window([](std::int64_t i) { return i * i % 13 % 7; });
  const auto one_long_row = with_a_last_window([](std::int64_t i) { return i == rows - 500 ? 400 : 0; });
  EXPECT_THAT(kinds(short_rows, on_cuda), ElementsAre(0, 0, testing::Gt(0)));
  EXPECT_THAT(kinds(one_long_row, on_cuda), ElementsAre(testing::Gt(0), 0, testing::Gt(0)));
  for (const matrix<double>* a : {&short_rows, &one_long_row}) {
    const row_statistics s = measure_rows(a->view());
    const packed::options o = packed::resolve({}, s, on_cuda);
    const auto stored = packed::build(a->view(), o, on_cuda);
    std::int64_t bytes = 0;
    packed_storage<double, host_buffer>::arrays(stored, [&](const char*, const auto& array) {
      bytes += static_cast<std::int64_t>(array.size() * sizeof(array.data()[0]));
    });
    EXPECT_EQ(packed::measure(a->view(), s, o, on_cuda).bytes, bytes);
    expect_back(*a, stored);
  }
  const auto given = stored(short_rows, on_cuda, {.short_rows = packed_short_rows::entries});
  EXPECT_GT(given.meta.coo_slices, 0);
}

/// The slices of large windows are scheduled dynamically; each other window is built by one thread. The
/// storage must not depend on that.
TEST(packed_windows_of_many_entries, are_stored_alike_by_any_number_of_threads) {
  const auto mixed_lengths = [](std::int64_t i) { return i < packed_window ? 150 + i % 7 : i % 5; };
  const std::int64_t rows = 3 * packed_window + 17;
  std::vector<matrix<double>> all;
  all.push_back(bench_support::generate<double>("dense(rows=400)"));
  all.push_back(bench_support::generate<double>("uniform(rows=20,cols=60k,per_row=12k)"));  // cut rows
  all.push_back(matrix_from_rows(
      rows, rows, [&](std::int64_t i) { return uneven_row(i, mixed_lengths(i), rows); }, any_value));
  const auto long_windows = [](const matrix<double>& a, int threads) {
    const thread_limit limit(threads);
    const auto view = a.view();
    return packed_code::window_weights(view).long_ones();
  };
  for (const matrix<double>& a : all) ASSERT_THAT(long_windows(a, 2), Contains(0));
  ASSERT_THAT(long_windows(all.back(), 2), ElementsAre(0)) << "the others are one thread's";
  all.push_back(bench_support::generate<double>("stencil(nx=200,ny=200,points=5,values=few(3))"));
  ASSERT_THAT(long_windows(all.back(), 2), IsEmpty());
  ASSERT_THAT(long_windows(all.back(), 7), SizeIs(39)) << "all but the last, which has 64 rows";
  const std::int64_t many =
      64 * packed_window;  // with a cut row, in a window that is not long for two threads
  all.push_back(matrix_from_rows(
      many, many, [&](std::int64_t i) { return uneven_row(i, i == 5000 ? 9000 : 3 + i % 5, many); },
      any_value));
  ASSERT_THAT(long_windows(all.back(), 2), IsEmpty());
  const std::int64_t more = 300'000;  // several windows at a time, each with diagonals
  all.push_back(matrix_from_rows(
      more, more + 2,
      [](std::int64_t i) {
        return std::vector<std::int64_t>{i, i + 1, i + 2};
      },
      any_value));
  ASSERT_GE(stored(all.back(), on_cpu).data.size(), 2 * core::huge_page_bytes) << "touched first";
  for (const matrix<double>& a : all) {
    for (const exec::target& where : {on_cpu, on_cuda}) {
      const auto by = [&](int threads) {
        const thread_limit limit(threads);
        return stored(a, where);
      };
      const auto one = by(1);
      expect_back(a, one);
      for (const int threads : {2, 7}) {
        const auto several = by(threads);
        EXPECT_EQ(several.meta, one.meta);
        std::vector<std::string> expected;
        const auto bytes_of = [](const auto& array) {
          return std::string(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(array[0]));
        };
        packed_storage<double, host_buffer>::arrays(
            one, [&](const char*, const auto& array) { expected.push_back(bytes_of(array)); });
        std::size_t next = 0;
        packed_storage<double, host_buffer>::arrays(several, [&](const char* name, const auto& array) {
          EXPECT_TRUE(bytes_of(array) == expected[next++]) << name;
        });
      }
    }
  }
}

/// A window of equal rows, which suits lane slices, and nine windows of short uneven rows, which suit COO
/// slices. All become COO slices, unless a row is longer than a COO slice may be.
TEST(packed_shapes, a_few_lane_slices_become_coo_slices) {
  for (const std::int64_t longest : {256, 257}) {
    SCOPED_TRACE(longest);
    const auto a = matrix_from_rows(
        10 * packed_window, 20'000,
        [&](std::int64_t i) {
          if (i == packed_window + 7) return uneven_row(i, longest, 20'000);
          return uneven_row(i, i < packed_window ? 8 : i * 31 % 23, 20'000);
        },
        any_value);
    const auto s = stored(a, on_cuda);
    const std::int64_t lane_slices = s.meta.slices - s.meta.coo_slices;
    if (longest == packed_max_coo_entries)
      EXPECT_EQ(lane_slices, 0);
    else
      EXPECT_GT(lane_slices, 30);
    EXPECT_GT(s.meta.coo_slices, 300);
    expect_back(a, s);
    if (cuda_device_count() > 0) expect_right(a, {cuda{0}});
  }
}

/// Large matrices have slices of one kind, if both kinds cost at most a sixteenth less.
TEST(packed_shapes, one_kind_of_slices_if_it_costs_hardly_more) {
  constexpr std::int64_t large = packed_entries_at_once + 1;
  const auto kind = [](const packed_code::cut_amounts& all, std::int64_t entries) {
    return packed_code::only_kind(packed_short_rows::automatic, all, entries);
  };
  packed_code::cut_amounts both{
      .lane_slices = 100, .coo_slices = 50, .cost = 1600, .lane_cost = 1701, .coo_cost = 1700};
  EXPECT_EQ(kind(both, large), packed_short_rows::entries);
  EXPECT_EQ(kind(both, large - 1), packed_short_rows::automatic) << "a small matrix";
  EXPECT_EQ(packed_code::only_kind(packed_short_rows::padded, both, large), packed_short_rows::automatic);
  both.coo_cost = 1701;
  EXPECT_EQ(kind(both, large), packed_short_rows::automatic);
  both.lane_cost = 1700;
  EXPECT_EQ(kind(both, large), packed_short_rows::padded);
  both.coo_cost = 1650;
  EXPECT_EQ(kind(both, large), packed_short_rows::entries);
  both.diagonal_slices = 1;
  EXPECT_EQ(kind(both, large), packed_short_rows::padded) << "diagonal slices are lane slices";
  both.coo_slices = 0;
  EXPECT_EQ(kind(both, large), packed_short_rows::automatic);
}

TEST(packed_shapes, a_large_matrix_is_cut_again_into_one_kind) {
  const auto a = bench_support::generate<double>("power_grid(buses=150k,block=2,degree=3.2,region=100)");
  ASSERT_GT(a.nnz(), packed_entries_at_once);
  const auto s = stored(a, on_cuda);
  EXPECT_EQ(s.meta.coo_slices, s.meta.slices);
  expect_back(a, s);
}

/// Two warps become four if lane slices are few relative to COO slices, unless the option says two.
TEST(packed_shapes, a_few_slices_of_long_rows_have_more_warps) {
  const auto warps_of = [](packed_code::cut_amounts all, std::int64_t least, bool may_be_more) {
    return packed_code::warps_of_a_slice(least, may_be_more, all);
  };
  const packed_code::cut_amounts few{.lane_slices = 100, .coo_slices = 800};
  EXPECT_EQ(warps_of(few, 2, true), 4);
  EXPECT_EQ(warps_of(few, 2, false), 2);
  EXPECT_EQ(warps_of(few, 1, true), 1);
  EXPECT_EQ(warps_of(few, 4, true), 4);
  EXPECT_EQ(warps_of({.lane_slices = 101, .coo_slices = 800}, 2, true), 2);
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
