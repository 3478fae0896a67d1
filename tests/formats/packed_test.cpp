// SPDX-License-Identifier: BSD-3-Clause
// packed: the arrays of a small matrix, and every way of coding columns and values, each of which is shown to have been reached.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/packed/format.hpp"
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

template <value V>
using matrix = csr_matrix<V, std::int64_t>;

/// columns(i) are row i's, in that order; value(i, k, column) that of its k-th entry.
template <value V = double>
matrix<V> made(std::int64_t rows, std::int64_t cols,
               const std::function<std::vector<std::int64_t>(std::int64_t)>& columns,
               const std::function<double(std::int64_t, std::size_t, std::int64_t)>& value) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  std::vector<V> val;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::vector<std::int64_t> of_row = columns(i);
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      col.push_back(static_cast<std::int32_t>(of_row[k]));
      val.push_back(static_cast<V>(value(i, k, of_row[k])));
    }
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  matrix<V> a{.rows = rows,
              .cols = cols,
              .row_ptr = host_buffer<std::int64_t>(row_ptr.size()),
              .col = host_buffer<std::int32_t>(col.size()),
              .val = host_buffer<V>(val.size())};
  std::copy(row_ptr.begin(), row_ptr.end(), a.row_ptr.data());
  std::copy(col.begin(), col.end(), a.col.data());
  std::copy(val.begin(), val.end(), a.val.data());
  return a;
}

template <class T>
std::vector<T> list(const host_buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

template <value V>
packed_storage<V, host_buffer> stored(const matrix<V>& a, const exec::target& target,
                                      packed::options o = {}) {
  const auto view = a.view();
  const row_statistics s = measure_rows(view);
  return packed::build(view, packed::resolve(o, s, target), target);
}

std::vector<int> bytes(const packed_storage<double, host_buffer>& s, std::size_t first, std::size_t count) {
  return {s.data.data() + first, s.data.data() + first + count};
}

matrix<double> of_the_page() {
  return made(
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
}

void expect_page_as_far_as_columns(const packed_storage<double, host_buffer>& s) {
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
  EXPECT_FALSE(slice.lists_rows());
  EXPECT_EQ(slice.missing_at(), 0u);
  EXPECT_EQ(slice.bases, 32u);
  EXPECT_EQ(slice.columns_at, 48u);
  EXPECT_EQ(slice.values_at, 144u);
  EXPECT_THAT(bytes(s, 0, 5), ElementsAre(1, 2, 3, 0, 3));
  EXPECT_THAT(bytes(s, 4, 28), Each(3));
  EXPECT_THAT(bytes(s, 32, 16), ElementsAre(0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(bytes(s, 48, 4), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(bytes(s, 52, 92), Each(0));
}

std::int64_t measured(const matrix<double>& a, const exec::target& target) {
  const row_statistics s = measure_rows(a.view());
  return packed::measure(a.view(), s, packed::resolve({}, s, target), target).bytes;
}

TEST(packed_arrays, of_the_matrix_of_the_page) {
  const matrix<double> a = of_the_page();
  const auto s = stored(a, on_cpu);
  expect_page_as_far_as_columns(s);
  EXPECT_EQ(s.slice[0].values(), packed_values::table8);
  ASSERT_EQ(s.data.size(), 240u + 64u);
  EXPECT_THAT(bytes(s, 144, 4), ElementsAre(1, 3, 0, 0));
  EXPECT_THAT(bytes(s, 176, 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(bytes(s, 208, 4), ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(list(s.unit_slice), ElementsAre(0, 1));
  EXPECT_EQ(measured(a, on_cpu), 4 * 8 + 32 + 240 + 64 + 2 * 4);
}

TEST(packed_arrays, of_the_matrix_of_the_page_on_a_device) {
  const matrix<double> a = of_the_page();
  const auto s = stored(a, on_cuda);
  expect_page_as_far_as_columns(s);
  EXPECT_EQ(s.slice[0].values(), packed_values::table4);
  ASSERT_EQ(s.data.size(), 208u + 64u);
  EXPECT_THAT(bytes(s, 144, 8), ElementsAre(0x01, 0, 0x03, 0, 0, 0, 0x10, 0x02));
  EXPECT_THAT(bytes(s, 152, 56), Each(0));
  EXPECT_EQ(measured(a, on_cuda), 4 * 8 + 32 + 208 + 64);
}

/// 128 rows with 2 on the diagonal and -1 beside it, which the last one lacks.
TEST(packed_arrays, of_the_diagonals_of_the_page) {
  const matrix<double> a = made(
      128, 128,
      [](std::int64_t i) {
        return i < 127 ? std::vector<std::int64_t>{i, i + 1} : std::vector<std::int64_t>{i};
      },
      [](std::int64_t, std::size_t k, std::int64_t) { return k == 0 ? 2.0 : -1.0; });
  for (const exec::target& target : {on_cpu, on_cuda}) {
    const auto s = stored(a, target);
    ASSERT_EQ(s.slice.size(), 1u);
    const packed_slice& slice = s.slice[0];
    EXPECT_TRUE(slice.on_diagonals());
    EXPECT_EQ(slice.steps, 2);
    EXPECT_EQ(slice.shortest, 0);
    EXPECT_EQ(slice.rows(), 128);
    EXPECT_EQ(slice.values(), packed_values::of_step);
    EXPECT_EQ(slice.bases, 0u);
    EXPECT_EQ(slice.masks, 16u);
    EXPECT_EQ(slice.values_at, 48u);
    ASSERT_EQ(s.data.size(), 64u + 64u);
    EXPECT_THAT(bytes(s, 0, 8), ElementsAre(0, 0, 0, 0, 1, 0, 0, 0));
    EXPECT_THAT(bytes(s, 16, 31), Each(0xff));
    EXPECT_EQ(s.data[47], 0x7f);
    EXPECT_EQ(packed_code::get<double>(s.data.data() + 48, 0), 2.0);
    EXPECT_EQ(packed_code::get<double>(s.data.data() + 48, 1), -1.0);
  }
}

TEST(packed_arrays, of_the_matrix_of_the_page_as_entries) {
  const auto a = made(
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
  bool full = true;    ///< some slice of it lacks nothing
  bool ragged = true;  ///< some slice lacks something
};

std::vector<structure> structures() {
  const auto spread = [](std::int64_t i, std::int64_t k) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(i * 8 + k) * 0x9E3779B97F4A7C15u >> 44);
  };
  const auto some = [](std::int64_t count, auto&& column) {
    std::vector<std::int64_t> all;
    for (std::int64_t k = 0; k < count; ++k) all.push_back(column(k));
    return all;
  };
  std::vector<structure> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t cols, auto columns, bool diagonals,
                       packed_columns coded, packed_starts starts) {
    all.push_back({.name = name,
                   .rows = rows,
                   .cols = cols,
                   .columns = columns,
                   .diagonals = diagonals,
                   .coded = coded,
                   .starts = starts,
                   .full = true,
                   .ragged = true});
  };
  add(
      "diagonals", 384, 400,
      [=](std::int64_t i) { return some(5, [&](std::int64_t k) { return i + k * k; }); }, true,
      packed_columns::none, packed_starts::zero);
  all.back().ragged = false;
  add(
      "diagonals with holes", 300, 300,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (const std::int64_t d : {-17, -1, 0, 1, 17})
          if (i + d >= 0 && i + d < 300 && (i % 20 != 3 || d != 1)) of_row.push_back(i + d);
        return of_row;
      },
      true, packed_columns::none, packed_starts::zero);
  all.back().full = false;
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
      "a pattern from anywhere", 200, (1 << 20) + 500,
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
          return i + 1000 * k + (i % 32 == 0 ? 0 : i % 32 == 31 || i == 199 ? 255 : spread(i, k) % 256);
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
          return i + 100000 * k + (i % 32 == 0 ? 0 : i % 32 == 31 || i == 199 ? 65535 : spread(i, k) % 65536);
        });
      },
      false, packed_columns::two, packed_starts::row);
  add(
      "anywhere", 200, 1 << 20,
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

/// A CPU with each instruction set that runs here.
std::vector<resource> cpus() {
  std::vector<resource> all;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512})
    if (runs_here(level)) all.emplace_back(cpu{.level = level});
  return all;
}

template <value V>
void expect_right(const matrix<V>& a, const std::vector<resource>& where, const option_texts& options = {}) {
  const auto x = random_vector<V>(a.cols, 1);
  const auto y = random_vector<V>(a.rows, 2);
  for (const resource& each : where) {
    const auto plan = inspect(a.view(), each, {.format = "packed", .options = options});
    auto got = y;
    plan.multiply(V{1.5}, x, V{-0.5}, got);
    EXPECT_TRUE((verify<V, std::int64_t>(a.view(), V{1.5}, x, V{-0.5}, y, got).right()));
    got = poisoned<V>(a.rows);
    plan.multiply(V{1}, x, V{0}, got);
    EXPECT_TRUE((verify<V, std::int64_t>(a.view(), V{1}, x, V{0}, {}, got).right()));
  }
}

template <value V>
void expect_back(const matrix<V>& a, const packed_storage<V, host_buffer>& s) {
  const matrix<V> back = packed::to_csr(s);
  EXPECT_THAT(list(back.row_ptr), ElementsAreArray(list(a.row_ptr)));
  EXPECT_THAT(list(back.col), ElementsAreArray(list(a.col)));
  ASSERT_EQ(back.val.size(), a.val.size());
  EXPECT_EQ(std::memcmp(back.val.data(), a.val.data(), a.val.size() * sizeof(V)), 0);
}

/// Every way of coding columns with every way of coding values, in slices that lack something and in such as do not. No option is left to what
/// suits so small a matrix.
template <value V>
void expect_every_way(const exec::target& target, const std::vector<resource>& where) {
  int ways = 0;
  int full = 0;
  int ragged = 0;
  for (const structure& of : structures()) {
    for (const valuation& with : valuations(of, target.kind == device_set::cuda)) {
      SCOPED_TRACE(of.name + ", " + with.name);
      const packed_values coded = sizeof(V) == sizeof(float) && with.coded == packed_values::narrow
                                      ? packed_values::full
                                      : with.coded;
      const matrix<V> a = made<V>(of.rows, of.cols, of.columns, with.value);
      const auto s = stored(a, target, {.longest_walk = 32, .short_rows = packed_short_rows::padded});
      bool has_full = false;
      bool has_ragged = false;
      bool counts_in_table = false;
      for (std::size_t i = 0; i < s.slice.size(); ++i) {
        const packed_slice& each = s.slice[i];
        counts_in_table = counts_in_table || each.counts_in_table();
        if (each.on_diagonals() != of.diagonals || each.columns() != of.coded || each.starts() != of.starts ||
            each.values() != coded)
          continue;
        (each.is_full() ? has_full : has_ragged) = true;
      }
      EXPECT_EQ(has_full, of.full) << "slices that are coded so and lack nothing";
      EXPECT_EQ(has_ragged, of.ragged) << "slices that are coded so and lack something";
      EXPECT_EQ(s.table.size() > 0, counts_in_table) << "a table that is for nothing, or none";
      ++ways;
      full += has_full ? 1 : 0;
      ragged += has_ragged ? 1 : 0;
      expect_back(a, s);
      const option_texts options{{"longest_walk", "32"}, {"short_rows", "padded"}};
      if (target.kind == device_set::cpu) expect_right(a, where, options);
      if (target.kind == device_set::cpu) continue;
      for (const char* const warps : {"1", "8"}) {  // all steps in turn, a few each
        option_texts with_warps = options;
        with_warps.emplace_back("warps_per_slice", warps);
        expect_right(a, where, with_warps);
      }
    }
  }
  std::printf("%d ways of coding columns and values, %d in full slices, %d in others, on %zu resources\n",
              ways, full, ragged, where.size());
}

TEST(packed_codes, are_all_reached_cpu) {
  expect_every_way<double>(on_cpu, cpus());
  expect_every_way<float>(on_cpu, cpus());
}
/// What a device would be given, written and read back here.
TEST(packed_codes, of_a_device_are_all_reached) {
  expect_every_way<double>(on_cuda, {});
  expect_every_way<float>(on_cuda, {});
}
TEST(packed_codes, are_all_reached_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_way<double>(on_cuda, {cuda{0}});
  expect_every_way<float>(on_cuda, {cuda{0}});
}

constexpr packed::options as_lanes_and_as_entries[] = {
    {.longest_walk = 32, .short_rows = packed_short_rows::padded},
    {.longest_walk = 32, .short_rows = packed_short_rows::entries}};

/// -0.0, subnormal numbers, infinities and NaNs with what they carry come back bit for bit, in every structure and both layouts.
TEST(packed_codes, keep_every_bit) {
  using limits = std::numeric_limits<double>;
  const std::vector<double> some = {limits::quiet_NaN(),
                                    std::bit_cast<double>(std::uint64_t{0xfff8000000001234}),
                                    std::bit_cast<double>(std::uint64_t{0x7ff4000000000001}),
                                    limits::infinity(),
                                    -limits::infinity(),
                                    -0.0,
                                    0.0,
                                    limits::denorm_min(),
                                    -limits::min() / 2,
                                    std::numeric_limits<float>::denorm_min(),
                                    limits::max(),
                                    1.0 + limits::epsilon()};
  for (const structure& of : structures()) {
    for (const std::size_t different : {std::size_t{1}, std::size_t{3}, std::size_t{7}, some.size()}) {
      for (const std::size_t first : {std::size_t{0}, std::size_t{4}}) {
        SCOPED_TRACE(of.name + ", " + std::to_string(different) + " from " + std::to_string(first));
        const auto a = made(of.rows, of.cols, of.columns, [&](std::int64_t i, std::size_t k, std::int64_t) {
          return some[(first + (static_cast<std::size_t>(i) * 5 + k) % different) % some.size()];
        });
        for (const packed::options& o : as_lanes_and_as_entries) {
          expect_back(a, stored(a, on_cpu, o));
          expect_back(a, stored(a, on_cuda, o));
        }
      }
    }
  }
}

/// A row with an infinity has one for its sum, a row with a NaN a NaN; the rows around them have neither.
void expect_what_is_not_finite_to_stay(const std::vector<resource>& where) {
  for (const structure& of : structures()) {
    SCOPED_TRACE(of.name);
    constexpr std::int64_t infinite = 37;
    constexpr std::int64_t none = 70;
    const auto a = made(of.rows, of.cols, of.columns, [&](std::int64_t i, std::size_t k, std::int64_t) {
      if (k == 0 && i == infinite) return std::numeric_limits<double>::infinity();
      if (k == 1 && i == none) return std::numeric_limits<double>::quiet_NaN();
      return 0.5 + static_cast<double>(i % 3);
    });
    const std::vector<double> x(static_cast<std::size_t>(of.cols), 1.0);
    const auto expect_it = [&](const resource& each, const char* short_rows) {
      SCOPED_TRACE(short_rows);
      const option_texts options{{"longest_walk", "32"}, {"short_rows", short_rows}};
      const auto plan = inspect(a.view(), each, {.format = "packed", .options = options});
      auto got = poisoned<double>(of.rows);
      plan.multiply(1.0, x, 0.0, got);
      for (std::int64_t i = 0; i < of.rows; ++i) {
        const double sum = got[static_cast<std::size_t>(i)];
        if (i == none)
          EXPECT_TRUE(std::isnan(sum));
        else if (i == infinite)
          EXPECT_EQ(sum, std::numeric_limits<double>::infinity());
        else
          EXPECT_EQ(sum, static_cast<double>(of.columns(i).size()) * (0.5 + static_cast<double>(i % 3))) << i;
      }
    };
    for (const resource& each : where) {
      expect_it(each, "padded");
      expect_it(each, "entries");
    }
  }
}

TEST(packed_codes, leave_what_is_not_finite_in_its_row_cpu) {
  expect_what_is_not_finite_to_stay(cpus());
}
TEST(packed_codes, leave_what_is_not_finite_in_its_row_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_what_is_not_finite_to_stay({cuda{0}});
}

/// Rows of very different lengths: shared by lanes, listed, cut into parts, many steps short of the longest.
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
  const auto a = made(
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
  for (const std::int64_t walk : {1, 8, 4096}) {
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

/// Columns counted from the row where two lanes share a row, rows that follow each other and rows that are listed.
void expect_shared_rows_to_count_from_themselves(const exec::target& target,
                                                 const std::vector<resource>& where) {
  for (const bool listed : {false, true}) {
    SCOPED_TRACE(listed ? "listed" : "in order");
    const auto a = made(
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
    EXPECT_TRUE(found) << "no slice is coded so";
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

/// Rows of length(i) entries with columns i + 0 .. range, a window's smallest and largest among them.
std::vector<std::int64_t> uneven_row(std::int64_t i, std::int64_t length, std::int64_t range) {
  std::vector<std::int64_t> of_row;
  for (std::int64_t k = 0; k < length; ++k) of_row.push_back((i * 7919 + k * 104729) % range);
  return of_row;
}

/// Every way of coding columns with every way of coding values.
template <value V>
void expect_every_way_of_entries(const exec::target& target, const std::vector<resource>& where) {
  const bool cuda = target.kind == device_set::cuda;
  const std::pair<std::int64_t, packed_columns> ranges[] = {
      {250, packed_columns::one}, {60000, packed_columns::two}, {1 << 20, packed_columns::four}};
  for (const auto& [cols, columns] : ranges) {
    for (const valuation& with : valuations({.diagonals = false}, cuda)) {
      if (with.coded == packed_values::of_step) continue;
      SCOPED_TRACE(std::to_string(cols) + ", " + with.name);
      const packed_values coded = sizeof(V) == sizeof(float) && with.coded == packed_values::narrow
                                      ? packed_values::full
                                      : with.coded;
      const std::int64_t range = cols;
      const matrix<V> a = made<V>(
          3000, range, [=](std::int64_t i) { return uneven_row(i, i * i % 13 % 7, range); }, with.value);
      const auto s = stored(a, target, {.short_rows = packed_short_rows::entries});
      EXPECT_EQ(s.meta.of_entries, s.meta.slices);
      bool found = false;
      for (std::size_t i = 0; i < s.slice.size(); ++i)
        found = found || (s.slice[i].of_entries() && s.slice[i].steps > 100 &&
                          s.slice[i].columns() == columns && s.slice[i].values() == coded);
      EXPECT_TRUE(found) << "no slice is coded so";
      expect_back(a, s);
      expect_right(a, where, {{"short_rows", "entries"}});
    }
  }
}

TEST(packed_entries, are_coded_in_every_way_cpu) {
  expect_every_way_of_entries<double>(on_cpu, cpus());
  expect_every_way_of_entries<float>(on_cpu, cpus());
}
TEST(packed_entries, of_a_device_are_coded_in_every_way) {
  expect_every_way_of_entries<double>(on_cuda, {});
  expect_every_way_of_entries<float>(on_cuda, {});
}
TEST(packed_entries, are_coded_in_every_way_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_way_of_entries<double>(on_cuda, {cuda{0}});
  expect_every_way_of_entries<float>(on_cuda, {cuda{0}});
}

/// Slices end where one more row would be too many entries or rows, and rows of more entries are none of theirs.
void expect_entries_to_end_at_rows(const exec::target& target, const std::vector<resource>& where) {
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
    const auto a = made(
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
  expect_entries_to_end_at_rows(on_cpu, cpus());
}
TEST(packed_entries, of_a_device_end_at_rows) {
  expect_entries_to_end_at_rows(on_cuda, {});
}
TEST(packed_entries, end_at_rows_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_entries_to_end_at_rows(on_cuda, {cuda{0}});
}

/// Slices of each kind: of entries, on diagonals, others.
std::array<std::int64_t, 3> kinds(const matrix<double>& a, const exec::target& target) {
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

/// On a device a few slices of entries beside many in lanes are not worth the kernel for both, but where lanes would need many slices for them.
TEST(packed_entries, are_none_where_they_would_be_few) {
  const auto any = [](std::int64_t i, std::size_t k, std::int64_t) {
    return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
  };
  constexpr std::int64_t windows = 40;
  constexpr std::int64_t rows = windows * packed_window;
  const auto with_a_last_window = [&](const std::function<std::int64_t(std::int64_t)>& length) {
    return made(
        rows, rows,
        [&](std::int64_t i) { return uneven_row(i, i < rows - packed_window ? 24 : length(i), rows); }, any);
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
  EXPECT_GT(given.meta.of_entries, 0);
}

/// What a hole holds is no entry: neither an infinity among the values nor one in x may come from there.
void expect_holes_to_count_for_nothing(const resource& where) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto a = made(
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
  for (const resource& each : cpus()) expect_holes_to_count_for_nothing(each);
}
TEST(packed_holes, count_for_nothing_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_holes_to_count_for_nothing(cuda{0});
}

}  // namespace
}  // namespace gossamer::formats
