// SPDX-License-Identifier: BSD-3-Clause
// packed: the arrays of a small matrix, and every way of coding columns and values, each of which is shown to have been reached.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <tuple>

#include "formats/packed/format.hpp"
#include "gossamer/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/measure.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing_support::poisoned;
using testing_support::random_vector;

const exec::target on_cpu{.kind = device_set::cpu};
const exec::target on_cuda{.kind = device_set::cuda, .compute_capability = 90};

using matrix = csr_matrix<double, std::int64_t>;

/// columns(i) are row i's, in that order; value(i, k, column) that of its k-th entry.
matrix made(std::int64_t rows, std::int64_t cols,
            const std::function<std::vector<std::int64_t>(std::int64_t)>& columns,
            const std::function<double(std::int64_t, std::size_t, std::int64_t)>& value) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  std::vector<double> val;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::vector<std::int64_t> of_row = columns(i);
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      col.push_back(static_cast<std::int32_t>(of_row[k]));
      val.push_back(value(i, k, of_row[k]));
    }
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  matrix a{.rows = rows,
           .cols = cols,
           .row_ptr = host_buffer<std::int64_t>(row_ptr.size()),
           .col = host_buffer<std::int32_t>(col.size()),
           .val = host_buffer<double>(val.size())};
  std::copy(row_ptr.begin(), row_ptr.end(), a.row_ptr.data());
  std::copy(col.begin(), col.end(), a.col.data());
  std::copy(val.begin(), val.end(), a.val.data());
  return a;
}

template <class T>
std::vector<T> list(const host_buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

packed_storage<double, host_buffer> stored(const matrix& a, const exec::target& target,
                                           packed::options o = {}) {
  const auto view = a.view();
  const row_statistics s = measure_rows(view);
  return packed::build(view, packed::resolve(o, s, target), target);
}

TEST(packed_arrays, of_the_matrix_of_the_page) {
  const matrix a = made(
      4, 4,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        return i == 0   ? std::vector<std::int64_t>{0, 2}
               : i == 1 ? std::vector<std::int64_t>{1}
               : i == 2 ? std::vector<std::int64_t>{}
                        : std::vector<std::int64_t>{0, 2, 3};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        const double values[4][3] = {{4, 1}, {3}, {}, {1, 4, 2}};
        return values[i][k];
      });
  const auto s = stored(a, on_cpu);
  EXPECT_THAT(list(s.table), ElementsAre(1, 4, 2, 3));
  ASSERT_EQ(s.slice.size(), 1u);
  const packed_slice& slice = s.slice[0];
  EXPECT_EQ(slice.at, 0u);
  EXPECT_EQ(slice.row, 0);
  EXPECT_EQ(slice.steps, 3);
  EXPECT_EQ(slice.shortest, 0);
  EXPECT_EQ(slice.rows(), 4);
  EXPECT_EQ(slice.columns(), packed_columns::one);
  EXPECT_EQ(slice.starts(), packed_starts::zero);
  EXPECT_EQ(slice.values(), packed_values::table8);
  EXPECT_FALSE(slice.lists_rows());
  EXPECT_EQ(slice.missing_at(), 0u);
  EXPECT_EQ(slice.bases, 32u);
  EXPECT_EQ(slice.columns_at, 48u);
  EXPECT_EQ(slice.values_at, 144u);
  ASSERT_EQ(s.data.size(), 240u + 64u);
  const std::vector<int> data(s.data.data(), s.data.data() + s.data.size());
  const auto part = [&](std::size_t first, std::size_t count) {
    return std::vector<int>(data.begin() + static_cast<std::ptrdiff_t>(first),
                            data.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  EXPECT_THAT(part(0, 5), ElementsAre(1, 2, 3, 0, 3));
  EXPECT_THAT(part(4, 28), Each(3));
  EXPECT_THAT(part(32, 16), ElementsAre(0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(part(48, 4), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(part(52, 92), Each(0));
  EXPECT_THAT(part(144, 4), ElementsAre(1, 3, 0, 0));
  EXPECT_THAT(part(176, 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(part(208, 4), ElementsAre(0, 0, 0, 2));
}

TEST(packed_arrays, of_the_matrix_of_the_page_as_entries) {
  const matrix a = made(
      4, 1000,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        return i == 0   ? std::vector<std::int64_t>{700, 702}
               : i == 1 ? std::vector<std::int64_t>{701}
               : i == 2 ? std::vector<std::int64_t>{}
                        : std::vector<std::int64_t>{700, 702, 703};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        const double values[4][3] = {{4, 1}, {3}, {}, {1, 4, 2}};
        return values[i][k];
      });
  for (const bool cuda : {false, true}) {
    const auto s = stored(a, cuda ? on_cuda : on_cpu, {.short_rows = packed_short_rows::entries});
    EXPECT_THAT(list(s.table), ElementsAre(1, 4, 2, 3));
    EXPECT_EQ(s.meta.of_entries, 1);
    ASSERT_EQ(s.slice.size(), 1u);
    const packed_slice& slice = s.slice[0];
    EXPECT_TRUE(slice.of_entries());
    EXPECT_FALSE(slice.on_diagonals() || slice.is_part() || slice.lists_rows());
    EXPECT_EQ(slice.row, 0);
    EXPECT_EQ(slice.steps, 6);
    EXPECT_EQ(slice.rows(), 4);
    EXPECT_EQ(slice.bases, 700u);
    EXPECT_EQ(slice.columns(), packed_columns::one);
    EXPECT_EQ(slice.values(), cuda ? packed_values::table4 : packed_values::table8);
    EXPECT_EQ(slice.columns_at, 16u);
    EXPECT_EQ(slice.values_at, 32u);
    ASSERT_EQ(s.data.size(), 48u + 64u);
    const std::vector<int> data(s.data.data(), s.data.data() + s.data.size());
    const std::vector<int> codes =
        cuda ? std::vector<int>{0x01, 0x03, 0x21} : std::vector<int>{1, 0, 3, 0, 1, 2};
    std::vector<int> wanted(data.size());
    const std::vector<int> starts{0, 2, 3, 3};
    const std::vector<int> columns{0, 2, 1, 0, 2, 3};
    std::copy(starts.begin(), starts.end(), wanted.begin());
    std::copy(columns.begin(), columns.end(), wanted.begin() + 16);
    std::copy(codes.begin(), codes.end(), wanted.begin() + 32);
    EXPECT_THAT(data, ElementsAreArray(wanted));
  }
}

/// A structure, and how the columns of (at least one of) its slices are to be coded.
struct structure {
  std::string name;
  std::int64_t rows;
  std::int64_t cols;
  std::function<std::vector<std::int64_t>(std::int64_t)> columns;
  bool diagonals;
  packed_columns coded;
  packed_starts starts;
};

std::vector<structure> structures() {
  const auto spread = [](std::int64_t i, std::int64_t k) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(i * 8 + k) * 0x9E3779B97F4A7C15u >> 40);
  };
  const auto some = [](std::int64_t count, auto&& column) {
    std::vector<std::int64_t> all;
    for (std::int64_t k = 0; k < count; ++k) all.push_back(column(k));
    return all;
  };
  std::vector<structure> all;
  const auto add = [&](std::string name, std::int64_t rows, std::int64_t cols, auto columns, bool diagonals,
                       packed_columns coded, packed_starts starts) {
    all.push_back({std::move(name), rows, cols, columns, diagonals, coded, starts});
  };
  add(
      "diagonals", 384, 400,
      [=](std::int64_t i) { return some(5, [&](std::int64_t k) { return i + k * k; }); }, true,
      packed_columns::none, packed_starts::zero);
  add(
      "diagonals with holes", 300, 300,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (const std::int64_t d : {-17, -1, 0, 1, 17})
          if (i + d >= 0 && i + d < 300 && (i % 20 != 3 || d != 1)) of_row.push_back(i + d);
        return of_row;
      },
      true, packed_columns::none, packed_starts::zero);
  add(
      "one list of columns", 200, 900,
      [=](std::int64_t) { return some(9, [](std::int64_t k) { return 100 * k; }); }, false,
      packed_columns::none, packed_starts::zero);
  add(
      "a pattern by the row, unsorted", 200, 2000,
      [](std::int64_t i) {
        return std::vector<std::int64_t>{i + 700, i + 3, i + 1500};
      },
      false, packed_columns::none, packed_starts::row);
  add(
      "a pattern from anywhere", 200, 1 << 25,
      [=](std::int64_t i) { return some(13, [&](std::int64_t k) { return spread(i, 0) + 3 * k * k; }); },
      false, packed_columns::none, packed_starts::given);
  add(
      "bytes", 200, 8000,
      [=](std::int64_t i) { return some(6, [&](std::int64_t k) { return 1000 * k + spread(i, k) % 256; }); },
      false, packed_columns::one, packed_starts::zero);
  add(
      "bytes from the row", 200, 8000,
      [=](std::int64_t i) {
        return some(7, [&](std::int64_t k) {
          return i + 1000 * k + (i % 32 == 0 ? 0 : i % 32 == 31 ? 255 : spread(i, k) % 256);
        });
      },
      false, packed_columns::one, packed_starts::row);
  add(
      "pairs of bytes", 200, 800000,
      [=](std::int64_t i) {
        return some(6, [&](std::int64_t k) { return 100000 * k + spread(i, k) % 65536; });
      },
      false, packed_columns::two, packed_starts::zero);
  add(
      "pairs of bytes from the row", 200, 800000,
      [=](std::int64_t i) {
        return some(6, [&](std::int64_t k) {
          return i + 100000 * k + (i % 32 == 0 ? 0 : i % 32 == 31 ? 65535 : spread(i, k) % 65536);
        });
      },
      false, packed_columns::two, packed_starts::row);
  add(
      "anywhere", 200, 1 << 24,
      [=](std::int64_t i) { return some(7, [&](std::int64_t k) { return spread(i, k); }); }, false,
      packed_columns::four, packed_starts::zero);
  return all;
}

struct valuation {
  std::string name;
  packed_values coded;
  /// Of row i's k-th entry.
  std::function<double(std::int64_t, std::size_t, std::int64_t)> value;
};

std::vector<valuation> valuations(const structure& of, bool cuda) {
  const auto number = [](std::int64_t i, std::size_t k) {
    return static_cast<double>(i * 31 + static_cast<std::int64_t>(k) * 7);
  };
  const bool by_diagonal = of.diagonals;
  return {
      {"one value", packed_values::constant, [](std::int64_t, std::size_t, std::int64_t) { return -0.0; }},
      {"a value a step", packed_values::of_step,
       [by_diagonal](std::int64_t i, std::size_t k, std::int64_t column) {
         return 0.1 * static_cast<double>(by_diagonal ? column - i : static_cast<std::int64_t>(k));
       }},
      {"ten values", cuda ? packed_values::table4 : packed_values::table8,
       [=](std::int64_t i, std::size_t k, std::int64_t) { return 0.1 + std::fmod(number(i, k), 10); }},
      {"two hundred values", packed_values::table8,
       [=](std::int64_t i, std::size_t k, std::int64_t) { return 0.1 + std::fmod(number(i, k), 200); }},
      {"short values", packed_values::narrow,
       [=](std::int64_t i, std::size_t k, std::int64_t) {
         return static_cast<float>(std::sin(number(i, k)));
       }},
      {"any values", packed_values::full,
       [=](std::int64_t i, std::size_t k, std::int64_t) { return std::sin(number(i, k)); }},
  };
}

void expect_right(const matrix& a, const resource& where, const option_texts& options = {}) {
  const auto plan = inspect(a.view(), where, {.format = "packed", .options = options});
  const auto x = random_vector<double>(a.cols, 1);
  const auto y = random_vector<double>(a.rows, 2);
  auto got = y;
  plan.multiply(1.5, x, -0.5, got);
  EXPECT_TRUE((verify<double, std::int64_t>(a.view(), 1.5, x, -0.5, y, got).right()));
  got = poisoned<double>(a.rows);
  plan.multiply(1.0, x, 0.0, got);
  EXPECT_TRUE((verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, got).right()));
}

void expect_back(const matrix& a, const packed_storage<double, host_buffer>& s) {
  const matrix back = packed::to_csr(s);
  EXPECT_THAT(list(back.row_ptr), ElementsAreArray(list(a.row_ptr)));
  EXPECT_THAT(list(back.col), ElementsAreArray(list(a.col)));
  ASSERT_EQ(back.val.size(), a.val.size());
  EXPECT_EQ(std::memcmp(back.val.data(), a.val.data(), a.val.size() * sizeof(double)), 0);
}

void expect_every_way(const exec::target& target, const resource& where) {
  int reached = 0;
  for (const structure& of : structures()) {
    for (const valuation& with : valuations(of, target.kind == device_set::cuda)) {
      SCOPED_TRACE(of.name + ", " + with.name);
      const matrix a = made(of.rows, of.cols, of.columns, with.value);
      const auto s = stored(a, target, {.short_rows = packed_short_rows::padded});
      bool found = false;
      for (std::size_t i = 0; i < s.slice.size(); ++i) {
        const packed_slice& each = s.slice[i];
        found = found || (each.on_diagonals() == of.diagonals && each.columns() == of.coded &&
                          each.starts() == of.starts && each.values() == with.coded);
      }
      EXPECT_TRUE(found) << "no slice is coded so";
      reached += found ? 1 : 0;
      expect_back(a, s);
      expect_right(a, where, {{"short_rows", "padded"}});
    }
  }
  std::printf("%d ways of coding columns and values reached\n", reached);
}

TEST(packed_codes, are_all_reached_cpu) {
  expect_every_way(on_cpu, cpu{});
}
TEST(packed_codes, are_all_reached_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_way(on_cuda, cuda{0});
}

/// Rows of very different lengths: shared by lanes, listed, cut into parts, many steps short of the longest.
void expect_every_shape(const exec::target& target, const resource& where) {
  std::vector<std::int64_t> length;
  for (int i = 0; i < 1500; ++i) length.push_back(i % 7 == 0 ? 0 : i % 9);
  length[3] = 50000;
  length[40] = 8192;
  length[41] = 8193;
  length[700] = 300;
  length[1100] = 2000;
  length[1400] = 700;
  const matrix a = made(
      static_cast<std::int64_t>(length.size()), 60000,
      [&](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (std::int64_t k = 0; k < length[static_cast<std::size_t>(i)]; ++k) of_row.push_back(k + i % 3);
        return of_row;
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
      });
  std::set<int> shared;
  std::set<std::string> seen;
  for (const std::int64_t walk : {8, 4096}) {
    const auto s = stored(a, target, {.longest_walk = walk, .short_rows = packed_short_rows::padded});
    for (std::size_t i = 0; i < s.slice.size(); ++i) {
      const packed_slice& each = s.slice[i];
      shared.insert(each.sharing());
      if (each.is_part()) seen.insert("part");
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
  EXPECT_THAT(shared, testing::IsSupersetOf({0, 5}));
  EXPECT_THAT(seen, testing::UnorderedElementsAre("part", "listed", "misses many", "misses few", "empty"));
}

TEST(packed_shapes, are_all_reached_cpu) {
  expect_every_shape(on_cpu, cpu{});
}
TEST(packed_shapes, are_all_reached_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_shape(on_cuda, cuda{0});
}

/// Rows of length(i) entries with columns i + 0 .. range, a window's smallest and largest among them.
std::vector<std::int64_t> uneven_row(std::int64_t i, std::int64_t length, std::int64_t range) {
  std::vector<std::int64_t> of_row;
  for (std::int64_t k = 0; k < length; ++k) of_row.push_back((i * 7919 + k * 104729) % range);
  return of_row;
}

void expect_every_way_of_entries(const exec::target& target, const resource& where) {
  std::set<std::pair<int, int>> reached;
  const bool cuda = target.kind == device_set::cuda;
  for (const std::int64_t range : {250, 60000, 1 << 20}) {
    for (const valuation& with : valuations({.diagonals = false}, cuda)) {
      if (with.coded == packed_values::of_step) continue;
      SCOPED_TRACE(std::to_string(range) + ", " + with.name);
      const matrix a = made(
          3000, range, [=](std::int64_t i) { return uneven_row(i, i * i % 13 % 7, range); }, with.value);
      const auto s = stored(a, target, {.short_rows = packed_short_rows::entries});
      EXPECT_EQ(s.meta.of_entries, s.meta.slices);
      for (std::size_t i = 0; i < s.slice.size(); ++i)
        if (s.slice[i].steps > 100)
          reached.insert({static_cast<int>(s.slice[i].columns()), static_cast<int>(s.slice[i].values())});
      expect_back(a, s);
      expect_right(a, where, {{"short_rows", "entries"}});
    }
  }
  EXPECT_EQ(reached.size(), cuda ? 15u : 12u) << "one, two, four; constant, (table4,) table8, narrow, full";
}

TEST(packed_entries, are_coded_in_every_way_cpu) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (runs_here(level)) expect_every_way_of_entries(on_cpu, cpu{.level = level});
  }
}
TEST(packed_entries, are_coded_in_every_way_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_way_of_entries(on_cuda, cuda{0});
}
TEST(packed_entries, are_written_for_a_device_in_every_way) {
  expect_every_way_of_entries(on_cuda, cpu{});
}

/// Slices end where one more row would be too many entries or rows, and rows of more entries are none of theirs.
void expect_entries_to_end_at_rows(const exec::target& target, const resource& where) {
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
    const matrix a = made(
        2051, 30000, [&](std::int64_t i) { return uneven_row(i, shapes[n](i), 30000); },
        [](std::int64_t i, std::size_t k, std::int64_t) {
          return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
        });
    const auto s = stored(a, target, {.short_rows = packed_short_rows::entries});
    for (std::size_t i = 0; i < s.slice.size(); ++i) {
      const packed_slice& each = s.slice[i];
      if (!each.of_entries()) {
        EXPECT_TRUE(each.lists_rows() || each.is_part());
        continue;
      }
      EXPECT_LE(each.steps, packed_most_entries);
      EXPECT_LE(each.rows(), packed_most_entries);
    }
    expect_back(a, s);
    for (const char* const warps : {"1", "4"}) {
      option_texts options{{"short_rows", "entries"}};
      if (target.kind == device_set::cuda) options.push_back({"warps_per_slice", warps});
      expect_right(a, where, options);
    }
  }
}

TEST(packed_entries, end_at_rows_cpu) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (runs_here(level)) expect_entries_to_end_at_rows(on_cpu, cpu{.level = level});
  }
}
TEST(packed_entries, end_at_rows_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_entries_to_end_at_rows(on_cuda, cuda{0});
}

/// Slices of each kind: of entries, on diagonals, others.
std::array<std::int64_t, 3> kinds(const matrix& a, const exec::target& target) {
  const auto s = stored(a, target);
  std::array<std::int64_t, 3> of{};
  for (std::size_t i = 0; i < s.slice.size(); ++i)
    ++of[s.slice[i].of_entries() ? 0 : s.slice[i].on_diagonals() ? 1 : 2];
  return of;
}

TEST(packed_entries, are_for_rows_that_lanes_do_not_suit) {
  const auto any = [](std::int64_t i, std::size_t k, std::int64_t) {
    return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
  };
  for (const auto& target : {on_cpu, on_cuda}) {
    const auto uneven = made(
        4096, 4096, [](std::int64_t i) { return uneven_row(i, i * i % 13 % 7, 4096); }, any);
    if (target.kind == device_set::cuda) {
      EXPECT_THAT(kinds(uneven, target), ElementsAre(testing::Gt(0), 0, 0));
    }
    const auto alike = made(
        4096, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); }, any);
    EXPECT_THAT(kinds(alike, target), ElementsAre(0, 0, testing::Gt(0)));
    const auto tridiagonal = made(
        4096, 4098,
        [](std::int64_t i) {
          return std::vector<std::int64_t>{i, i + 1, i + 2};
        },
        any);
    EXPECT_THAT(kinds(tridiagonal, target), ElementsAre(0, 32, 0));
    // Rows on diagonals in the middle of a window of others stay there.
    const auto both = made(
        1024, 2048,
        [](std::int64_t i) {
          return i / 128 == 3 ? std::vector<std::int64_t>{i, i + 1, i + 2}
                              : uneven_row(i, i * i % 13 % 7, 2048);
        },
        any);
    if (target.kind == device_set::cuda) {
      EXPECT_THAT(kinds(both, target), ElementsAre(testing::Gt(1), 1, 0));
    }
  }
}

/// What a hole holds is no entry: neither an infinity in the table nor one in x may come from there.
void expect_holes_to_count_for_nothing(const resource& where) {
  const double infinity = std::numeric_limits<double>::infinity();
  const matrix a = made(
      256, 300,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (const std::int64_t d : {0, 1, 20})
          if (i % 5 != 2 || d != 1) of_row.push_back(i + d);
        return of_row;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        return k == 0 && i % 2 == 0 ? infinity : 1.0 + static_cast<double>(i % 3);
      });
  const auto plan = inspect(a.view(), where, {.format = "packed"});
  auto x = std::vector<double>(300, 1.0);
  auto got = poisoned<double>(256);
  plan.multiply(1.0, x, 0.0, got);
  for (std::int64_t i = 0; i < 256; ++i) {
    const double entries = i % 5 != 2 ? 3 : 2;
    EXPECT_EQ(got[static_cast<std::size_t>(i)],
              i % 2 == 0 ? infinity : entries * (1.0 + static_cast<double>(i % 3)))
        << i;
  }
  // Column 3 is a hole's of row 2, whose entries are 2 and 22.
  x[3] = infinity;
  plan.multiply(1.0, x, 0.0, got);
  EXPECT_EQ(got[2], infinity);  // its own value is one
  x[8] = infinity;
  plan.multiply(1.0, x, 0.0, got);
  EXPECT_EQ(got[7], 2.0 * 2.0);
}

TEST(packed_holes, count_for_nothing_cpu) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    expect_holes_to_count_for_nothing(cpu{.level = level});
  }
}
TEST(packed_holes, count_for_nothing_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_holes_to_count_for_nothing(cuda{0});
}

}  // namespace
}  // namespace gossamer::formats
