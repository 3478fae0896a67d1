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
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "formats/packed/format.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/measure.hpp"
#if defined(GOSSAMER_HAVE_CUDA)
#include "support/built_there.hpp"
#endif
#include "support/stored_matrix.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::same_bits;
using testing_support::stored_matrix;

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

/// Where there is a device, what it builds itself has to be the same.
template <value V>
packed_storage<V, host_buffer> stored(const matrix<V>& a, const exec::target& target,
                                      packed::options o = {}) {
  const auto view = a.view();
  const row_statistics s = measure_rows(view);
#if defined(GOSSAMER_HAVE_CUDA)
  if (target.kind == device_set::cuda && cuda_device_count() > 0 && a.rows > 0) {
    EXPECT_EQ(testing_support::is_built_alike<packed>(view, o), packed::rounds_to<V>(o).empty());
  }
#endif
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
  EXPECT_THAT(list(s.table), ElementsAre(4, 1, 3, 2));
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
  EXPECT_THAT(bytes(s, 144, 4), ElementsAre(0, 2, 0, 1));
  EXPECT_THAT(bytes(s, 176, 4), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(bytes(s, 208, 4), ElementsAre(0, 0, 0, 3));
  EXPECT_THAT(list(s.unit_slice), ElementsAre(0, 1));
  EXPECT_EQ(measured(a, on_cpu), 4 * 8 + 32 + 240 + 64 + 2 * 4);
}

TEST(packed_arrays, of_the_matrix_of_the_page_on_a_device) {
  const matrix<double> a = of_the_page();
  const auto s = stored(a, on_cuda);
  expect_page_as_far_as_columns(s);
  EXPECT_EQ(s.slice[0].values(), packed_values::table4);
  ASSERT_EQ(s.data.size(), 208u + 64u);
  EXPECT_THAT(bytes(s, 144, 8), ElementsAre(0x10, 0, 0x02, 0, 0, 0, 0x01, 0x03));
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
    EXPECT_THAT(list(s.table), ElementsAre(4, 1, 3, 2));
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
        cuda ? std::vector<int>{0x10, 0x12, 0x30} : std::vector<int>{0, 1, 2, 1, 0, 3};
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
      {"whole values", packed_values::half,
       [=](std::int64_t i, std::size_t k, std::int64_t) { return 24 + std::fmod(number(i, k), 2000); }},
      {"any values", packed_values::full,
       [=](std::int64_t i, std::size_t k, std::int64_t) { return std::sin(number(i, k)); }},
  };
}

constexpr packed_precision precisions[] = {packed_precision::full, packed_precision::f32,
                                           packed_precision::f16, packed_precision::bf16};
constexpr const char* precision_names[] = {"full", "f32", "f16", "bf16"};

/// How values that are coded so as they are given, are coded when they are rounded.
template <value V>
packed_values coded_as(packed_values exactly, packed_precision to) {
  if (exactly < packed_values::half) return exactly;
  if (to == packed_precision::f16 || to == packed_precision::bf16 || exactly == packed_values::half)
    return packed_values::half;
  if (sizeof(V) == sizeof(float)) return packed_values::full;
  return to == packed_precision::f32 ? packed_values::narrow : exactly;
}

template <value V>
matrix<V> rounded_to(const matrix<V>& a, packed_precision to) {
  matrix<V> all{.rows = a.rows,
                .cols = a.cols,
                .row_ptr = host_buffer<std::int64_t>(a.row_ptr.size()),
                .col = host_buffer<std::int32_t>(a.col.size()),
                .val = host_buffer<V>(a.val.size())};
  std::copy_n(a.row_ptr.data(), a.row_ptr.size(), all.row_ptr.data());
  std::copy_n(a.col.data(), a.col.size(), all.col.data());
  const packed::options o{.precision = to};
  for (std::size_t k = 0; k < a.val.size(); ++k)
    all.val[k] = packed::rounds_to<V>(o).empty() ? a.val[k] : packed::rounded(a.val[k], o);
  return all;
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
    const stored_matrix stored(a.view(), plan);
    EXPECT_TRUE((verify<V, std::int64_t>(stored.view(), V{1.5}, x, V{-0.5}, y, got).right()));
    got = poisoned<V>(a.rows);
    plan.multiply(V{1}, x, V{0}, got);
    EXPECT_TRUE((verify<V, std::int64_t>(stored.view(), V{1}, x, V{0}, {}, got).right()));
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

/// f(valuation, precision) for all of both, but for whole numbers that are too few when they are rounded to bf16.
template <class F>
void for_each_valuation(const structure& of, bool cuda, F&& f) {
  for (const valuation& with : valuations(of, cuda)) {
    for (const packed_precision to : precisions)
      if (to != packed_precision::bf16 || with.coded != packed_values::half) f(with, to);
  }
}

/// Every way of coding columns with every way of coding values, in slices that lack something and in such as do not. No option is left to what
/// suits so small a matrix.
template <value V>
void expect_every_way(const exec::target& target, const std::vector<resource>& where) {
  int ways = 0;
  int full = 0;
  int ragged = 0;
  std::set<std::pair<packed_precision, packed_values>> codes;
  for (const structure& of : structures()) {
    for_each_valuation(of, target.kind == device_set::cuda, [&](const valuation& with, packed_precision to) {
      const std::string to_text = precision_names[static_cast<int>(to)];
      SCOPED_TRACE(of.name + ", " + with.name + ", " + to_text);
      const packed_values coded = coded_as<V>(with.coded, to);
      const matrix<V> a = made<V>(of.rows, of.cols, of.columns, with.value);
      const auto s =
          stored(a, target, {.longest_walk = 32, .short_rows = packed_short_rows::padded, .precision = to});
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
      codes.insert({to, coded});
      expect_back(rounded_to(a, to), s);
      const option_texts options{{"longest_walk", "32"}, {"short_rows", "padded"}, {"precision", to_text}};
      if (target.kind == device_set::cpu) expect_right(a, where, options);
      if (target.kind == device_set::cpu) return;
      for (const char* const warps : {"1", "8"}) {  // all steps in turn, a few each
        option_texts with_warps = options;
        with_warps.emplace_back("warps_per_slice", warps);
        expect_right(a, where, with_warps);
      }
    });
  }
  std::printf(
      "%d ways of coding columns and values, %d in full slices, %d in others, %zu precisions with their "
      "codes, on %zu resources\n",
      ways, full, ragged, codes.size(), where.size());
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
TEST(packed_diagonals, of_a_small_matrix_are_shared_by_more_unless_options_say_how_many) {
  const auto warps = [](const char* text, packed::options o = {}) {
    return 1 << stored(generate<double>(text), on_cuda, o).meta.log2_warps;
  };
  EXPECT_EQ(warps("stencil(nx=30,ny=30,nz=30,points=27)"), 8);
  for (const std::int64_t said : {1, 2, 8})
    EXPECT_EQ(warps("stencil(nx=30,ny=30,nz=30,points=27)", {.warps_per_slice = said}), said);
  EXPECT_EQ(warps("stencil(nx=30,ny=30,nz=30,points=27)",
                  {.warps_per_slice = 2, .warps_on_diagonals = packed_diagonal_warps::more}),
            8);
  EXPECT_EQ(
      warps("stencil(nx=30,ny=30,nz=30,points=27)", {.warps_on_diagonals = packed_diagonal_warps::as_said}),
      1);
  EXPECT_EQ(warps("stencil(nx=200,ny=200,points=5)"), 1) << "each has but five steps";
  EXPECT_EQ(warps("stencil(nx=1000,ny=500,points=9)"), 1) << "there are enough";
  EXPECT_EQ(warps("uniform(rows=5k,per_row=27)"), 1) << "there are no diagonals";
}

/// Rows i have columns i + 3 k - 12 for the first `count` k, but for a hole here and there where `holes`. Of every five slices one has values
/// that fit four bytes.
matrix<double> in_bands(std::int64_t rows, int count, bool holes) {
  const auto value = random_vector<double>(1000, 3);
  return made(
      rows, rows + 3 * count,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns;
        for (int k = 0; k < count; ++k) {
          const std::int64_t j = i + 3 * k - 12;
          if (j >= 0 && !(holes && (7 * i + k) % 29 == 0)) columns.push_back(j);
        }
        return columns;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        const double v = value[static_cast<std::size_t>((31 * i + static_cast<std::int64_t>(k)) % 1000)];
        return i / 128 % 5 == 2 ? static_cast<double>(static_cast<float>(v)) : v * (1 + 1e-9);
      });
}

TEST(packed_diagonals, in_full_are_shared_by_rows_where_they_are_most_of_the_matrix) {
  using enum packed_rows_shared;
  const auto shared =
      []<value V = double>(const char* text, packed::options o = {}, const exec::target& on = on_cuda) {
    return stored(generate<V>(text), on, o).meta.rows_shared;
  };
  const packed::options by_rows{.warps_on_diagonals = packed_diagonal_warps::by_rows};
  const char* const grid = "stencil(nx=300,ny=300,points=5)";
  const char* const small = "stencil(nx=60,ny=60,nz=20,points=27)";
  EXPECT_EQ(shared(grid), beyond_cache);
  EXPECT_EQ(shared(grid, by_rows), always);
  EXPECT_EQ(shared(grid, {.warps_per_slice = 1}), never) << "options say one warp";
  EXPECT_EQ(shared(grid, {.warps_per_slice = 1, .warps_on_diagonals = packed_diagonal_warps::by_rows}),
            always);
  EXPECT_EQ(shared(grid, {.warps_per_slice = 2, .warps_on_diagonals = packed_diagonal_warps::by_rows}),
            never);
  EXPECT_EQ(shared(small), never) << "warps take its diagonals in turns";
  EXPECT_EQ(shared(small, by_rows), always);
  EXPECT_EQ(shared.operator()<float>(grid, by_rows), never) << "a piece is all rows of a lane";
  EXPECT_EQ(shared(grid, {.precision = packed_precision::f32,
                          .warps_on_diagonals = packed_diagonal_warps::by_rows}),
            never)
      << "values take half";
  EXPECT_EQ(shared("stencil(nx=300,ny=300,points=5,values=few(3))", by_rows), never) << "in a table";
  EXPECT_EQ(shared("uniform(rows=5k,per_row=27)", by_rows), never) << "there are no diagonals";
  EXPECT_EQ(shared(grid, by_rows, on_cpu), never);
}

/// x alone is more than a device's cache has room for, so that products go through the slices forwards and backwards in turns; not those that
/// add parts of rows. The bits are those of the first.
TEST(packed_sweeps, give_the_same_bits_forwards_and_backwards_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto wide = [](matrix<double> a) {
    a.cols = 8'000'000;
    return a;
  };
  const auto expect_same = []<value V>(const matrix<V>& a, const option_texts& options) {
    const auto plan = inspect(a.view(), cuda{0}, {.format = "packed", .options = options});
    const auto x = random_vector<V>(a.cols, 7);
    workspace room = plan.make_workspace();
    std::vector<V> first;
    for (int times = 0; times < 4; ++times) {
      auto y = poisoned<V>(a.rows);
      plan.multiply(V{1}, x, V{0}, y, room);
      if (first.empty()) {
        first = y;
        EXPECT_TRUE((verify<V, std::int64_t>(a.view(), V{1}, x, V{0}, y, y).right()));
      }
      EXPECT_TRUE(same_bits(first, y)) << "product " << times;
    }
  };
  for (const bool holes : {false, true}) {
    const matrix<double> a = wide(in_bands(128 * 50 + 17, 9, holes));
    expect_same(a, {{"warps_on_diagonals", "by_rows"}});
    expect_same(a, {});
  }
  for (const char* const text : {"uniform(rows=9k,cols=8M,per_row=27)", "uniform(rows=9k,cols=8M,per_row=3)",
                                 "uniform(rows=9k,cols=8M,per_row=27,values=few(3))",
                                 "heavy_row(rows=9000,cols=8M,per_row=4,heavy=80000)"}) {
    SCOPED_TRACE(text);
    const auto a = generate<double>(text);
    for (const char* const short_rows : {"padded", "entries"}) expect_same(a, {{"short_rows", short_rows}});
    expect_same(generate<float>(text), {});
  }
}

/// Any number of diagonals, whole and with holes; slices whose values are stored otherwise among the others, and a last slice of fewer rows. The bits
/// are those of one warp a slice, so that they do not depend on the size of a device's cache.
TEST(packed_diagonals, shared_by_rows_have_the_right_products_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const packed::options by_rows{.short_rows = packed_short_rows::padded,
                                .warps_on_diagonals = packed_diagonal_warps::by_rows};
  constexpr std::int64_t rows_of_last_slice[] = {128, 1, 65, 100};
  for (const int count : {3, 4, 7, 8, 9, 10, 16, 24, 31}) {
    for (const bool holes : {false, true}) {
      const std::int64_t rows = 128 * 40 + rows_of_last_slice[(count + (holes ? 1 : 0)) % 4];
      SCOPED_TRACE(testing::Message()
                   << count << " diagonals, " << rows << " rows" << (holes ? ", holes" : ""));
      const matrix<double> a = in_bands(rows, count, holes);
      ASSERT_EQ(stored(a, on_cuda, by_rows).meta.rows_shared, packed_rows_shared::always);
      auto x = std::vector<double>(static_cast<std::size_t>(a.cols), std::numeric_limits<double>::infinity());
      const auto finite = random_vector<double>(a.cols, 5);
      for (const std::int32_t j : a.col.span())
        x[static_cast<std::size_t>(j)] = finite[static_cast<std::size_t>(j)];
      const auto plan_of = [&](const char* on_diagonals) {
        return inspect(
            a.view(), cuda{0},
            {.format = "packed",
             .options = {
                 {"short_rows", "padded"}, {"warps_per_slice", "1"}, {"warps_on_diagonals", on_diagonals}}});
      };
      const auto plan = plan_of("by_rows");
      const auto one_warp = plan_of("as_said");
      for (const double beta : {0.0, -0.5}) {
        const auto before = beta == 0 ? poisoned<double>(a.rows) : random_vector<double>(a.rows, 7);
        auto y = before;
        plan.multiply(2.0, x, beta, y);
        const auto v = verify<double, std::int64_t>(a.view(), 2.0, x, beta, before, y);
        ASSERT_TRUE(v.right()) << "row " << v.row << " is off by " << v.error_ratio << " bounds";
        auto same = before;
        one_warp.multiply(2.0, x, beta, same);
        ASSERT_TRUE(same_bits(y, same));
      }
    }
  }
}

/// Whatever a part may have: rows of one entry less, as many, one more, and several times as many.
void expect_rows_to_be_cut_anywhere(const std::vector<resource>& where) {
  for (const std::int64_t part : {std::int64_t{256}, std::int64_t{1000}, std::int64_t{1024}}) {
    SCOPED_TRACE(part);
    const std::vector<std::int64_t> lengths = {part - 1, part, part + 1,     3,
                                               2 * part, 0,    2 * part + 1, 5 * part - 7};
    const auto columns = [&](std::int64_t i) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(lengths[static_cast<std::size_t>(i)]));
      std::iota(all.begin(), all.end(), std::int64_t{0});
      return all;
    };
    const auto a = made(static_cast<std::int64_t>(lengths.size()), 5 * part, columns,
                        [](std::int64_t i, std::size_t k, std::int64_t) {
                          return 0.25 + static_cast<double>((i * 7 + static_cast<std::int64_t>(k)) % 1021);
                        });
    const auto s = stored(a, on_cuda, {.longest_part = part});
    EXPECT_EQ(s.meta.carries.slots, 2 + 2 + 3 + 5);
    EXPECT_EQ(s.meta.carries.longest, 5);
    EXPECT_EQ(packed::scratch<double>(s.view()), 12 + 4 * 128 / 8)
        << "a value a part, a line of the cache a row";
    expect_back(a, s);
    for (const char* const warps : {"1", "8"}) {
      const option_texts options{{"longest_part", std::to_string(part)}, {"warps_per_slice", warps}};
      expect_right(a, where, options);
    }
  }
}
TEST(packed_parts, are_as_long_as_the_option_says) {
  expect_rows_to_be_cut_anywhere({});
}
TEST(packed_parts, are_added_up_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_rows_to_be_cut_anywhere({cuda{0}});
}
TEST(packed_parts, are_short_where_a_row_is_cut_and_the_matrix_is_small) {
  const auto part = [](std::int64_t longest, std::int64_t nnz) {
    const row_statistics s{
        .rows = 1000, .cols = 100'000, .nnz = nnz, .mean = static_cast<double>(nnz) / 1000, .max = longest};
    return packed::resolve({}, s, on_cuda).longest_part;
  };
  EXPECT_EQ(part(8192, 400'000), 8192) << "no row is cut, so there is no second kernel";
  EXPECT_EQ(part(8193, 100'000), 1024);
  EXPECT_EQ(part(8193, 900'000), 2048);
  EXPECT_EQ(part(90'000, 20'000'000), 8192);
}

TEST(packed_options, give_few_slices_more_warps) {
  const auto warps = [](std::int64_t slices) {
    const row_statistics s{
        .rows = 32 * slices, .cols = 32 * slices, .nnz = 32 * slices * 73, .mean = 73, .max = 80};
    return packed::resolve({}, s, on_cuda).warps_per_slice;
  };
  EXPECT_EQ(warps(548), 4) << "fem(nx=18,dof=3): 0.86 of the time with two";
  EXPECT_EQ(warps(800), 2) << "1600 warps";
  EXPECT_EQ(warps(2100), 2) << "all of them at once";
  EXPECT_EQ(warps(2500), 4)
      << "fem(nx=30,dof=3): 0.86 of the time with two, whose last sixth begins when the others have ended";
  EXPECT_EQ(warps(3200), 2);
}
TEST(packed_options, try_slices_of_fewer_entries_where_a_matrix_is_small_and_rows_are_short) {
  const auto tries = [](std::int64_t nnz, double mean, const exec::target& target) {
    const row_statistics s{.rows = 50'000, .cols = 50'000, .nnz = nnz, .mean = mean, .max = 100};
    const auto all = packed::candidates(s, target);
    return std::any_of(all.begin(), all.end(),
                       [](const packed::options& o) { return o.entries_per_slice == 128; });
  };
  EXPECT_TRUE(tries(400'000, 8, on_cuda));
  EXPECT_FALSE(tries(2'000'000, 8, on_cuda));
  EXPECT_FALSE(tries(400'000, 60, on_cuda));
  EXPECT_FALSE(tries(400'000, 8, on_cpu));
}

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
    const auto s = stored(
        a, target,
        {.longest_walk = walk, .longest_part = packed_longest_part, .short_rows = packed_short_rows::padded});
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
    const packed_columns columns_coded = columns;
    const std::int64_t range = cols;
    for_each_valuation({.diagonals = false}, cuda, [&](const valuation& with, packed_precision to) {
      if (with.coded == packed_values::of_step) return;
      const std::string to_text = precision_names[static_cast<int>(to)];
      SCOPED_TRACE(std::to_string(range) + ", " + with.name + ", " + to_text);
      const packed_values coded = coded_as<V>(with.coded, to);
      const matrix<V> a = made<V>(
          3000, range, [=](std::int64_t i) { return uneven_row(i, i * i % 13 % 7, range); }, with.value);
      const auto s = stored(a, target, {.short_rows = packed_short_rows::entries, .precision = to});
      EXPECT_EQ(s.meta.of_entries, s.meta.slices);
      bool found = false;
      for (std::size_t i = 0; i < s.slice.size(); ++i)
        found = found || (s.slice[i].of_entries() && s.slice[i].steps > 100 &&
                          s.slice[i].columns() == columns_coded && s.slice[i].values() == coded);
      EXPECT_TRUE(found) << "no slice is coded so";
      expect_back(rounded_to(a, to), s);
      expect_right(a, where, {{"short_rows", "entries"}, {"precision", to_text}});
    });
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
    for (const std::int64_t most : {32, 100, 256}) {
      if (target.kind == device_set::cpu && most < packed_most_entries) continue;
      const auto s = stored(a, target, {.short_rows = packed_short_rows::entries, .entries_per_slice = most});
      std::int64_t fullest = 0;
      for (std::size_t i = 0; i < s.slice.size(); ++i) {
        const packed_slice& each = s.slice[i];
        if (!each.of_entries()) {
          EXPECT_TRUE(each.lists_rows() || each.is_part());
          continue;
        }
        EXPECT_LE(each.steps, most);
        EXPECT_LE(each.rows(), packed_most_entries);
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
        50'000, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); }, any);
    EXPECT_THAT(kinds(alike, target), ElementsAre(0, 0, testing::Gt(0)));
    if (target.kind == device_set::cuda) {  // so few that all warps run at once wait less so
      const auto few = made(
          4096, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); }, any);
      EXPECT_THAT(kinds(few, target), ElementsAre(testing::Gt(0), 0, 0));
      const auto of_two_values = made(
          4096, 4096, [](std::int64_t i) { return uneven_row(i, 24, 4096); },
          [](std::int64_t i, std::size_t k, std::int64_t) {
            return (i + static_cast<std::int64_t>(k)) % 2 == 0 ? 1.5 : -0.5;
          });
      EXPECT_THAT(kinds(of_two_values, target), ElementsAre(0, 0, testing::Gt(0))) << "the table has them";
    }
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
#if defined(__SSE2__)
/// A host program may have its threads flush denormals (-ffast-math links code that does); what is stored is the values all the same.
TEST(packed_codes, keep_denormals_where_the_thread_flushes_them) {
  auto a = generate<float>("diagonal(n=64)");
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<float>(k + 1);
  for (const float odd : {1e-40f, -1e-45f, 9.18355e-41f /* 2^-133, which bf16 has */}) {
    a.val[7] = odd;
    for (const packed_precision precision : {packed_precision::full, packed_precision::bf16}) {
      const packed::options o =
          packed::resolve({.precision = precision}, measure_rows(std::as_const(a).view()), on_cuda);
      const unsigned before = _mm_getcsr();
      const float expected = packed::rounded(odd, o);
      _mm_setcsr(before | 0x8040u);
      const auto made = packed::build(std::as_const(a).view(), o, on_cuda);
      _mm_setcsr(before);
      const auto back = packed::to_csr(made);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(back.val[7]), std::bit_cast<std::uint32_t>(expected)) << odd;
    }
  }
}
#endif

/// More steps than are looked at together: what is known of one step must not be another's.
TEST(packed_long_slices, are_coded_by_all_of_their_steps) {
  constexpr std::int64_t rows = 96;
  const auto length = [](std::int64_t i) { return 601 + i * 37 % 100; };
  const auto noise = [](std::int64_t i, std::int64_t k, std::int64_t below) {
    return (i * 7919 + k * 104729) % below;
  };
  struct example {
    std::function<std::int64_t(std::int64_t, std::int64_t)> column;
    packed_columns columns;
    packed_starts starts;
  };
  const example examples[] = {
      {[&](auto i, auto k) { return 3 * k + noise(i, k, 200); }, packed_columns::one, packed_starts::zero},
      {[&](auto i, auto k) { return 3 * k + noise(i, k, 60'000); }, packed_columns::two, packed_starts::zero},
      {[&](auto i, auto k) { return 3 * k + noise(i, k, 200'000); }, packed_columns::four,
       packed_starts::zero},
      {[&](auto i, auto k) { return i + 3 * k + noise(i, k, 250); }, packed_columns::one, packed_starts::row},
      {[&](auto i, auto k) { return i + 3 * k; }, packed_columns::none, packed_starts::row},
      {[&](auto i, auto k) { return 500 * i + 5 * k; }, packed_columns::none, packed_starts::given},
      // Lanes that agree from their first column on, until step 300.
      {[&](auto i, auto k) { return 500 * i + 5 * k + (k >= 300 ? i % 2 : 0); }, packed_columns::two,
       packed_starts::zero},
      {[&](auto, auto k) { return 5 * k; }, packed_columns::none, packed_starts::zero},
  };
  const auto of_step = [](std::int64_t, std::size_t k, std::int64_t) { return static_cast<double>(k); };
  const auto until_300 = [](std::int64_t i, std::size_t k, std::int64_t) {
    return static_cast<double>(k) + (k >= 300 && i % 2 == 0 ? 0.5 : 0.0);
  };
  const auto different = [](std::int64_t i, std::size_t k, std::int64_t) {
    return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
  };
  for (const exec::target& target : {on_cpu, on_cuda}) {
    for (const example& each : examples) {
      SCOPED_TRACE(&each - examples);
      const auto coded = [&](const auto& value) {
        const auto a = made(
            rows, 210'000,
            [&](std::int64_t i) {
              std::vector<std::int64_t> of_row;
              for (std::int64_t k = 0; k < length(i); ++k) of_row.push_back(each.column(i, k));
              return of_row;
            },
            value);
        auto s = stored(a, target, {.longest_walk = 4096, .short_rows = packed_short_rows::padded});
        expect_back(a, s);
        for (const packed_slice& slice : list(s.slice)) {
          EXPECT_GT(slice.steps, 2 * packed_code::steps_at_once);
          EXPECT_EQ(slice.columns(), each.columns);
          EXPECT_EQ(slice.starts(), each.starts);
        }
        return s;
      };
      for (const packed_slice& slice : list(coded(of_step).slice))
        EXPECT_EQ(slice.values(), packed_values::of_step);
      for (const packed_slice& slice : list(coded(until_300).slice))
        EXPECT_EQ(slice.values(), packed_values::half);
      for (const packed_slice& slice : list(coded(different).slice))
        EXPECT_EQ(slice.values(), packed_values::full);
    }
  }
}

/// Windows that are much of a thread's share are dealt out slice by slice; others are one thread's each. What is stored must not tell.
TEST(packed_windows_of_many_entries, are_stored_alike_by_any_number_of_threads) {
  const auto mixed_lengths = [](std::int64_t i) { return i < packed_window ? 150 + i % 7 : i % 5; };
  const auto any = [](std::int64_t i, std::size_t k, std::int64_t) {
    return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
  };
  const std::int64_t rows = 3 * packed_window + 17;
  std::vector<matrix<double>> all;
  all.push_back(generate<double>("dense(rows=400)"));
  all.push_back(generate<double>("uniform(rows=20,cols=60k,per_row=12k)"));  // parts of rows
  all.push_back(made(
      rows, rows, [&](std::int64_t i) { return uneven_row(i, mixed_lengths(i), rows); }, any));
  const auto long_windows = [](const matrix<double>& a, int threads) {
    const exec::thread_limit limit(threads);
    const auto view = a.view();
    return packed_code::window_shares(view).long_ones();
  };
  for (const matrix<double>& a : all) ASSERT_THAT(long_windows(a, 2), Contains(0));
  ASSERT_THAT(long_windows(all.back(), 2), ElementsAre(0)) << "the others are one thread's";
  all.push_back(generate<double>("stencil(nx=200,ny=200,points=5,values=few(3))"));
  ASSERT_THAT(long_windows(all.back(), 2), IsEmpty());
  ASSERT_THAT(long_windows(all.back(), 7), SizeIs(39)) << "all but the last, which has 64 rows";
  const std::int64_t many =
      64 * packed_window;  // a row in parts among them, in a window that is not long for two threads
  all.push_back(made(
      many, many, [&](std::int64_t i) { return uneven_row(i, i == 5000 ? 9000 : 3 + i % 5, many); }, any));
  ASSERT_THAT(long_windows(all.back(), 2), IsEmpty());
  for (const matrix<double>& a : all) {
    for (const exec::target& where : {on_cpu, on_cuda}) {
      const auto by = [&](int threads) {
        const exec::thread_limit limit(threads);
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

TEST(packed_order, is_of_some_times_what_a_device_takes_at_once) {
  EXPECT_FALSE(packed_longest_first(4224, 0, 0, 8)) << "all at once";
  EXPECT_TRUE(packed_longest_first(4225, 0, 0, 8));
  EXPECT_TRUE(packed_longest_first(2113, 0, 1, 8));
  EXPECT_TRUE(packed_longest_first(6 * 4224, 0, 0, 8));
  EXPECT_FALSE(packed_longest_first(6 * 4224 + 1, 0, 0, 8)) << "few wait at the end, and neighbours share x";
  EXPECT_FALSE(packed_longest_first(5280, 0, 0, 4)) << "f32 takes more at once";
  EXPECT_TRUE(packed_longest_first(5280, 1, 0, 4)) << "but not beside slices of entries";
  EXPECT_TRUE(packed_longest_first(5281, 0, 0, 4));
}

TEST(packed_order, leaves_slices_of_about_a_length_as_they_are) {
  std::vector<packed_slice> slices;
  for (const int steps : {1, 17, 16, 5000, 32, 33, 993, 992, 17, 0, 65535}) {
    packed_slice s;
    s.steps = static_cast<std::uint16_t>(steps);
    s.row = static_cast<std::int32_t>(slices.size());
    slices.push_back(s);
  }
  packed_sort_longest_first(slices);
  std::vector<int> steps;
  std::vector<int> rows;
  for (const packed_slice& s : slices) {
    steps.push_back(s.steps);
    rows.push_back(s.row);
  }
  EXPECT_THAT(steps, ElementsAre(5000, 993, 65535, 992, 33, 17, 32, 17, 1, 16, 0));
  EXPECT_THAT(rows, ElementsAre(3, 6, 10, 7, 5, 1, 4, 8, 0, 2, 9));
}

/// Slices of 8, 24, 40, 56, 72 steps in turns: 700 of them are 5600 warps by eight and 2800 by four.
TEST(packed_order, begins_with_long_slices_and_keeps_the_rest) {
  constexpr std::int64_t slices = 700;
  const auto length = [](std::int64_t i) { return 8 + 16 * (i / packed_lanes % 5); };
  const auto a = made(
      slices * packed_lanes, slices * packed_lanes,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns(static_cast<std::size_t>(length(i)));
        for (std::size_t k = 0; k < columns.size(); ++k)
          columns[k] = (i + 37 * static_cast<std::int64_t>(k)) % (slices * packed_lanes);
        std::sort(columns.begin(), columns.end());
        return columns;
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
      });
  packed::options o{.longest_walk = 4096, .warps_per_slice = 4, .short_rows = packed_short_rows::padded};
  const auto as_they_are = stored(a, on_cuda, o);
  o.warps_per_slice = 8;
  const auto s = stored(a, on_cuda, o);
  ASSERT_EQ(s.slice.size(), static_cast<std::size_t>(slices));
  for (std::int64_t k = 0; k < slices; ++k) {
    ASSERT_EQ(as_they_are.slice[k].row, packed_lanes * k);
    ASSERT_EQ(s.slice[k].steps, 72 - 16 * (k / 140)) << k;
    if (k % 140 > 0) {
      ASSERT_GT(s.slice[k].row, s.slice[k - 1].row) << k;
    }
  }
  EXPECT_EQ(list(s.data), list(as_they_are.data));
  expect_back(a, s);
  const auto on_a_cpu = stored(a, on_cpu, o);
  EXPECT_EQ(on_a_cpu.slice[1].row, packed_lanes) << "cores begin anywhere";
}

/// Long and short slices, parts of rows, and slices of entries, which stay behind.
void expect_sorted_slices_to_multiply(const std::vector<resource>& where) {
  const auto length = [](std::int64_t i) -> std::int64_t {
    return i % 20'000 == 7 ? 9'000 : i < 20'000 ? 72 + 16 * (i / packed_lanes % 5) : i % 3;
  };
  const auto a = made(
      40'000, 40'000,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns(static_cast<std::size_t>(length(i)));
        for (std::size_t k = 0; k < columns.size(); ++k)
          columns[k] = (i + 3 * static_cast<std::int64_t>(k)) % 40'000;
        std::sort(columns.begin(), columns.end());
        return columns;
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return 0.25 + static_cast<double>((i * 7 + static_cast<std::int64_t>(k)) % 1021);
      });
  const auto s = stored(a, on_cuda, {.warps_per_slice = 8});
  const std::int64_t in_lanes = s.meta.slices - s.meta.of_entries;
  ASSERT_TRUE(packed_longest_first(in_lanes, s.meta.of_entries, s.meta.log2_warps, sizeof(double)));
  EXPECT_GT(s.meta.carries.slots, 0);
  EXPECT_GT(s.meta.of_entries, 0);
  for (std::int64_t k = 1; k < in_lanes; ++k)
    ASSERT_GE(packed_length_class(s.slice[k - 1]), packed_length_class(s.slice[k])) << k;
  for (std::int64_t k = 0; k < s.meta.slices; ++k) ASSERT_EQ(s.slice[k].of_entries(), k >= in_lanes) << k;
  expect_back(a, s);
  expect_right(a, where, {{"warps_per_slice", "8"}});
}
TEST(packed_order, serves_parts_and_slices_of_entries) {
  expect_sorted_slices_to_multiply({});
}
TEST(packed_order, is_multiplied_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_sorted_slices_to_multiply({cuda{0}});
}

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

/// Of the hexadecimal digits after the point of 1.0 those that f16, bf16 and f32 keep are 10, 7 and 23 bits.
TEST(packed_rounding, is_to_nearest_even) {
  using limits = std::numeric_limits<double>;
  const double infinity = limits::infinity();
  struct example {
    double from;
    double f16;
    double bf16;
    double f32;
  };
  const example examples[] = {
      {1.0, 1.0, 1.0, 1.0},
      {-0.0, -0.0, -0.0, -0.0},
      {0x1.002p0, 0x1p0, 0x1p0, 0x1.002p0},                // halfway in f16, to the even one below
      {0x1.006p0, 0x1.008p0, 0x1p0, 0x1.006p0},            // to the even one above
      {0x1.0020000000001p0, 0x1.004p0, 0x1p0, 0x1.002p0},  // beyond halfway by a double's last bit
      {0x1.01p0, 0x1.01p0, 0x1p0, 0x1.01p0},               // halfway in bf16
      {-0x1.03p0, -0x1.03p0, -0x1.04p0, -0x1.03p0},
      {0x1.000001p0, 0x1p0, 0x1p0, 0x1p0},  // halfway in f32
      {0x1.000003p0, 0x1p0, 0x1p0, 0x1.000004p0},
      {0x1.ffep0, 0x2p0, 0x2p0, 0x1.ffep0},  // carried into the exponent
      {65504, 65504, 65536, 65504},          // the largest of f16
      {65519.999, 65504, 65536, 65520},
      {65520, infinity, 65536, 65520},
      {0x1.fep127, infinity, 0x1.fep127, 0x1.fep127},  // the largest of bf16
      {0x1.ffp127, infinity, infinity, 0x1.ffp127},
      {0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14},              // the smallest normal one of f16
      {0x1.ff8p-15, 0x1.ff8p-15, 0x1p-14, 0x1.ff8p-15},  // the largest subnormal one
      {0x1.ffcp-15, 0x1p-14, 0x1p-14, 0x1.ffcp-15},      // halfway to the normal one
      {0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24},              // the smallest
      {0x1.8p-24, 0x1p-23, 0x1.8p-24, 0x1.8p-24},        // halfway between its first and second multiple
      {0x1p-25, 0.0, 0x1p-25, 0x1p-25},                  // half of it
      {-0x1p-25, -0.0, -0x1p-25, -0x1p-25},
      {0x1.0000000000001p-25, 0x1p-24, 0x1p-25, 0x1p-25},
      {0x1p-126, 0.0, 0x1p-126, 0x1p-126},
      {0x1p-133, 0.0, 0x1p-133, 0x1p-133},  // the smallest of bf16
      {0x1p-134, 0.0, 0.0, 0x1p-134},
      {0x1p-149, 0.0, 0.0, 0x1p-149},  // the smallest of f32
      {0x1p-150, 0.0, 0.0, 0.0},
      {limits::denorm_min(), 0.0, 0.0, 0.0},
      {-infinity, -infinity, -infinity, -infinity},
  };
  const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  for (const example& each : examples) {
    SCOPED_TRACE(each.from);
    EXPECT_EQ(bits(rounded(each.from, float_f16)), bits(each.f16));
    EXPECT_EQ(bits(rounded(each.from, float_bf16)), bits(each.bf16));
    EXPECT_EQ(bits(rounded(each.from, float_f32)), bits(each.f32));
    if (std::isfinite(each.f32)) {
      EXPECT_EQ(bits(each.f32), bits(static_cast<double>(static_cast<float>(each.from))));
    }
    EXPECT_EQ(bits(rounded(-each.from, float_f16)), bits(-each.f16));
    EXPECT_EQ(is_exactly(each.from, float_f16),
              std::isfinite(each.from) && bits(each.f16) == bits(each.from));
    EXPECT_EQ(is_exactly(each.from, float_bf16),
              std::isfinite(each.from) && bits(each.bf16) == bits(each.from));
    EXPECT_EQ(is_exactly(each.from, float_f32),
              std::isfinite(each.from) && bits(each.f32) == bits(each.from));
  }
  EXPECT_FALSE(is_exactly(0x1p16, float_f16));
  EXPECT_FALSE(is_exactly(0x1p128, float_bf16));
  // Of a NaN the sign and the upper bits stay; one that signals no longer does.
  EXPECT_EQ(bits(rounded(std::bit_cast<double>(std::uint64_t{0xfff4'1234'5678'9abc}), float_f16)),
            0xfffc'1000'0000'0000u);
  EXPECT_EQ(bits(rounded(std::bit_cast<double>(std::uint64_t{0x7ff0'0000'0000'0001}), float_bf16)),
            0x7ff8'0000'0000'0000u);
}

/// All finite numbers of 16 bits, read by every kernel: a diagonal matrix of them times 1 is they.
void expect_halves_to_be_exact(const exec::target& target, const std::vector<resource>& where) {
  for (const bool bf16 : {false, true}) {
    const short_float& kind = bf16 ? float_bf16 : float_f16;
    std::vector<double> all;
    for (std::uint32_t stored = 0; stored < 1u << 16; ++stored) {
      const auto magnitude = static_cast<std::uint32_t>(stored & 0x7fffu);
      if (magnitude >= 0x7fffu >> kind.mantissa_bits << kind.mantissa_bits) continue;  // not finite
      const double v = from_16_bits(static_cast<std::uint16_t>(stored), kind);
      ASSERT_EQ(to_16_bits(v, kind), stored);
      ASSERT_TRUE(is_exactly(v, kind));
      all.push_back(v);
    }
    EXPECT_EQ(all.size(), bf16 ? 65280u : 63488u);
    const auto expect_it = [&]<class V>(V) {
      // Rows of seven on diagonals, and the same number of entries a row apart from any.
      for (const bool diagonals : {true, false}) {
        for (const char* const short_rows : {"padded", "entries"}) {
          const std::int64_t rows = static_cast<std::int64_t>(all.size());
          const auto a = made<V>(
              rows, rows,
              [&](std::int64_t i) { return std::vector<std::int64_t>{diagonals ? i : (i * 7919) % rows}; },
              [&](std::int64_t i, std::size_t, std::int64_t) { return all[static_cast<std::size_t>(i)]; });
          const auto s =
              stored(a, target,
                     {.short_rows = short_rows == std::string("padded") ? packed_short_rows::padded
                                                                        : packed_short_rows::entries,
                      .precision = bf16 ? packed_precision::bf16 : packed_precision::f16});
          std::int64_t halves = 0;
          for (std::size_t i = 0; i < s.slice.size(); ++i)
            halves += s.slice[i].values() == packed_values::half ? 1 : 0;
          EXPECT_GT(halves, 200);
          expect_back(a, s);
          for (const resource& each : where) {
            const auto plan =
                inspect(a.view(), each,
                        {.format = "packed",
                         .options = {{"short_rows", short_rows}, {"precision", bf16 ? "bf16" : "f16"}}});
            ASSERT_TRUE(plan.rounding().has_value());
            EXPECT_EQ(plan.rounding()->changed, 0);
            const std::vector<V> x(all.size(), V{1});
            auto y = poisoned<V>(rows);
            plan.multiply(V{1}, x, V{0}, y);
            for (std::size_t i = 0; i < y.size(); ++i)
              ASSERT_EQ(static_cast<double>(y[i]), all[i]) << "row " << i;
          }
        }
      }
    };
    expect_it(0.0);
    expect_it(0.0f);
  }
}
TEST(packed_rounding, leaves_numbers_of_two_bytes_exact_cpu) {
  expect_halves_to_be_exact(on_cpu, cpus());
}
TEST(packed_rounding, of_a_device_leaves_numbers_of_two_bytes_exact) {
  expect_halves_to_be_exact(on_cuda, {});
}
TEST(packed_rounding, leaves_numbers_of_two_bytes_exact_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_halves_to_be_exact(on_cuda, {cuda{0}});
}

/// Three slices on one diagonal whose values are all different, the smallest ones in the table.
TEST(packed_arrays, of_halves) {
  const auto a = made(
      384, 384, [](std::int64_t i) { return std::vector<std::int64_t>{i}; },
      [](std::int64_t i, std::size_t, std::int64_t) {
        return 1.0 + 0x1p-10 * static_cast<double>(i) + 0x1p-12;
      });
  for (const bool cuda : {false, true}) {
    for (const packed_precision to : {packed_precision::f16, packed_precision::f32}) {
      const auto s =
          stored(a, cuda ? on_cuda : on_cpu, {.short_rows = packed_short_rows::padded, .precision = to});
      ASSERT_EQ(s.slice.size(), 3u);
      const packed_slice& slice = s.slice[0];
      ASSERT_TRUE(slice.on_diagonals());
      EXPECT_EQ(slice.values_at, 16u);
      const bool half = to == packed_precision::f16;
      // The values of 256 rows may be in the table; of some slice they are not.
      std::int64_t found = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const packed_slice& each = s.slice[i];
        if (each.values() != (half ? packed_values::half : packed_values::narrow)) continue;
        ++found;
        const std::uint8_t* const values =
            s.data.data() + std::int64_t{each.at} * packed_piece + each.values_at;
        for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(each.rows()); ++r) {
          const std::uint32_t place = cuda ? r % 32 * 4 + r / 32 : r;
          if (half)
            ASSERT_EQ(packed_code::get<std::uint16_t>(values, place), 0x3c00u + each.row + r) << r;
          else
            ASSERT_EQ(packed_code::get<float>(values, place),
                      static_cast<float>(a.val[static_cast<std::size_t>(each.row) + r]));
        }
      }
      EXPECT_GT(found, 0);
    }
  }
}

template <value V>
matrix<V> column_of(const std::vector<double>& values) {
  return made<V>(
      static_cast<std::int64_t>(values.size()), 5, [](std::int64_t) { return std::vector<std::int64_t>{3}; },
      [&](std::int64_t i, std::size_t, std::int64_t) { return values[static_cast<std::size_t>(i)]; });
}

inspect_options with_precision(const char* precision) {
  return {.format = "packed", .options = {{"precision", precision}}, .values_change = true};
}

TEST(packed_rounding, refuses_what_would_become_infinite) {
  const auto a = column_of<double>({1, -65519, -65520, 1e300});
  const auto refused = [](const char* text) {
    return testing::Throws<error>(testing::AllOf(testing::Property(&error::code, errc::unsupported),
                                                 testing::Property(&error::what, testing::StrEq(text))));
  };
  const char* const in_f16 =
      "unsupported: packed: row 2, column 3 (both counted from 0): -65520 is too large for f16";
  EXPECT_THAT([&] { inspect(a.view(), cpu{}, with_precision("f16")); }, refused(in_f16));
  EXPECT_THAT(
      [&] { inspect(a.view(), cpu{}, with_precision("bf16")); },
      refused("unsupported: packed: row 3, column 3 (both counted from 0): 1e+300 is too large for bf16"));
  EXPECT_THAT(
      [&] { inspect(a.view(), cpu{}, with_precision("f32")); },
      refused("unsupported: packed: row 3, column 3 (both counted from 0): 1e+300 is too large for f32"));
  EXPECT_EQ(forecast(a.view(), measure_rows(a.view()), "packed", {{"precision", "f16"}}, cpu{}).refusal,
            std::string(in_f16).substr(std::string("unsupported: packed: ").size()));
  EXPECT_TRUE(forecast(a.view(), measure_rows(a.view()), "packed", {}, cpu{}).refusal.empty());
  // An infinity that is given is one.
  const double infinity = std::numeric_limits<double>::infinity();
  const auto given = column_of<double>({1, -infinity, std::nan(""), 2});
  auto plan = inspect(given.view(), cpu{}, with_precision("f16"));
  EXPECT_EQ(plan.rounding()->changed, 0);
  EXPECT_EQ(plan.to_csr().val[1], -infinity);
  // New values are refused as well, and the plan stays as it was.
  EXPECT_THAT([&] { plan.update_values(a.val.span()); }, refused(in_f16));
  EXPECT_EQ(plan.to_csr().val[3], 2.0);
}

TEST(packed_rounding, is_stated) {
  const auto a = made(
      2, 4,
      [](std::int64_t) {
        return std::vector<std::int64_t>{0, 1, 3};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        const double values[2][3] = {{1 + 0x1p-12, 2048.75, 0x1p-26}, {1, -3, 0x1p-24}};
        return values[i][k];
      });
  const auto plan = inspect(a.view(), cpu{}, with_precision("f16"));
  const rounding_error found = plan.rounding().value();
  EXPECT_EQ(found.to, "f16");
  EXPECT_EQ(found.changed, 3);
  EXPECT_EQ(found.to_zero, 1);
  EXPECT_EQ(found.largest_relative, 1.0);
  EXPECT_EQ(found.largest_absolute, 0.75);
  EXPECT_EQ(found.largest_of_a_row, 0x1p-12 + 0.75 + 0x1p-26);
  EXPECT_THAT(plan.describe(),
              testing::HasSubstr(R"("rounding":{"to":"f16","changed":3,"to_zero":1,"largest_relative":1.0,)"
                                 R"("largest_absolute":0.75,"largest_of_a_row":0.75024)"));
  EXPECT_FALSE(inspect(a.view(), cpu{}, with_precision("full")).rounding().has_value());
  EXPECT_THAT(inspect(a.view(), cpu{}, with_precision("full")).describe(),
              testing::Not(testing::HasSubstr("rounding")));
  // f32 is what values of f32 have.
  const auto narrow = column_of<float>({0.1, 0.2});
  EXPECT_FALSE(inspect(narrow.view(), cpu{}, with_precision("f32")).rounding().has_value());
}

TEST(packed_rounding, is_done_again_for_new_values) {
  std::vector<double> few;
  std::vector<double> other;
  for (int i = 0; i < 3000; ++i) {
    few.push_back(i % 3);
    other.push_back(std::sin(i));
  }
  const auto a = column_of<double>(few);
  const auto changed = column_of<double>(other);
  for (const char* const precision : {"f32", "f16", "bf16"}) {
    SCOPED_TRACE(precision);
    auto plan = inspect(a.view(), cpu{}, with_precision(precision));
    EXPECT_EQ(plan.rounding()->changed, 0);
    plan.update_values(changed.val.span());
    const auto fresh = inspect(changed.view(), cpu{}, with_precision(precision));
    EXPECT_GT(plan.rounding()->changed, 2000);
    EXPECT_EQ(plan.rounding()->changed, fresh.rounding()->changed);
    EXPECT_EQ(plan.rounding()->largest_relative, fresh.rounding()->largest_relative);
    EXPECT_EQ(plan.bytes(), fresh.bytes());
  }
}

TEST(packed_rounding, is_never_chosen) {
  const auto a = column_of<double>(std::vector<double>(3000, 0.1));
  for (const auto& target : {on_cpu, on_cuda})
    for (const packed::options& each : packed::candidates(measure_rows(a.view()), target))
      EXPECT_EQ(each.precision, packed_precision::full);
  EXPECT_EQ(packed::options{}.precision, packed_precision::full);
}

TEST(packed_rounding, has_the_same_bits_on_any_threads) {
  const auto a = made(
      20000, 20000, [](std::int64_t i) { return uneven_row(i, i % 40, 20000); },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
      });
  const auto x = random_vector<double>(a.cols, 1);
  for (const char* const precision : {"f16", "bf16"}) {
    std::vector<double> first;
    std::optional<rounding_error> stated;
    for (const int threads : {1, 2, 7}) {
      const auto plan = inspect(a.view(), cpu{.threads = threads}, with_precision(precision));
      auto y = poisoned<double>(a.rows);
      plan.multiply(1.0, x, 0.0, y);
      if (first.empty()) first = y;
      if (!stated) stated = plan.rounding();
      EXPECT_TRUE(same_bits(first, y));
      const auto stored = plan.to_csr();
      std::int64_t changed = 0;
      for (std::size_t k = 0; k < a.val.size(); ++k) changed += stored.val[k] != a.val[k] ? 1 : 0;
      EXPECT_EQ(plan.rounding()->changed, changed);
      EXPECT_EQ(plan.rounding()->to_zero, stated->to_zero);
      EXPECT_EQ(plan.rounding()->largest_relative, stated->largest_relative);
      EXPECT_EQ(plan.rounding()->largest_absolute, stated->largest_absolute);
      EXPECT_EQ(plan.rounding()->largest_of_a_row, stated->largest_of_a_row);
    }
  }
}

TEST(packed_rounding, refuses_the_first_value_whichever_thread_finds_one) {
  std::vector<double> values(100'000, 1.0);
  for (const std::size_t at : {15'000, 49'999, 50'000, 99'999}) values[at] = 65520;
  const auto a = column_of<double>(values);
  const std::string refusal =
      forecast(a.view(), measure_rows(a.view()), "packed", {{"precision", "f16"}}, cpu{.threads = 1}).refusal;
  EXPECT_THAT(refusal, testing::StartsWith("row 15000, "));
  for (const int threads : {2, 7, 64})
    EXPECT_EQ(
        forecast(a.view(), measure_rows(a.view()), "packed", {{"precision", "f16"}}, cpu{.threads = threads})
            .refusal,
        refusal);
}

}  // namespace
}  // namespace gossamer::formats
