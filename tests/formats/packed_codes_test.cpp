// SPDX-License-Identifier: BSD-3-Clause
// packed: all encodings of columns and values. The tests show that each one occurs.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "bench_support/generate/generate.hpp"
#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing_support::poisoned;

/// A structure, and the encoding of columns that at least one of its slices must have.
struct structure {
  std::string name;
  std::int64_t rows;
  std::int64_t cols;
  std::function<std::vector<std::int64_t>(std::int64_t)> columns;
  bool diagonals;
  packed_columns encoding;
  packed_starts starts;
  bool full = true;    ///< some slice has no holes
  bool ragged = true;  ///< some slice has holes
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
                       packed_columns encoding, packed_starts starts) {
    all.push_back({.name = name,
                   .rows = rows,
                   .cols = cols,
                   .columns = columns,
                   .diagonals = diagonals,
                   .encoding = encoding,
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
  packed_values encoding;
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

/// The encoding of rounded values whose unrounded encoding is `exactly`.
template <value V>
packed_values encoding_of(packed_values exactly, packed_precision to) {
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

/// f(valuation, precision) for all pairs, except whole values in bf16, which rounds them to too few distinct
/// ones.
template <class F>
void for_each_valuation(const structure& of, bool cuda, F&& f) {
  for (const valuation& with : valuations(of, cuda)) {
    for (const packed_precision to : precisions)
      if (to != packed_precision::bf16 || with.encoding != packed_values::half) f(with, to);
  }
}

/// All encodings of columns with all encodings of values, in slices with and without holes. The options are
/// set so that the small size of the matrices does not matter.
template <value V>
void expect_every_encoding(const exec::target& target, const std::vector<resource>& where) {
  coverage seen;
  for (const structure& of : structures()) {
    for_each_valuation(of, target.kind == device_set::cuda, [&](const valuation& with, packed_precision to) {
      const std::string to_text = precision_names[static_cast<int>(to)];
      SCOPED_TRACE(of.name + ", " + with.name + ", " + to_text);
      const packed_values encoding = encoding_of<V>(with.encoding, to);
      const matrix<V> a = matrix_from_rows<V>(of.rows, of.cols, of.columns, with.value);
      const auto s =
          stored(a, target, {.longest_walk = 32, .short_rows = packed_short_rows::padded, .precision = to});
      bool has_full = false;
      bool has_ragged = false;
      bool uses_table = false;
      for (std::size_t i = 0; i < s.slice.size(); ++i) {
        const packed_slice& each = s.slice[i];
        uses_table = uses_table || each.uses_table();
        if (each.is_diagonal_slice() != of.diagonals || each.columns() != of.encoding ||
            each.starts() != of.starts || each.values() != encoding)
          continue;
        (each.is_full() ? has_full : has_ragged) = true;
      }
      EXPECT_EQ(has_full, of.full) << "slices with this encoding and no holes";
      EXPECT_EQ(has_ragged, of.ragged) << "slices with this encoding and holes";
      EXPECT_EQ(s.table.size() > 0, uses_table) << "an unused table, or a missing one";
      seen.add(s);
      expect_back(rounded_to(a, to), s);
      const option_texts options{{"longest_walk", "32"}, {"short_rows", "padded"}, {"precision", to_text}};
      if (target.kind == device_set::cpu) expect_right(a, where, options);
      if (target.kind == device_set::cpu) return;
      for (const char* const warps : {"1", "8"}) {  // one warp for all steps, or eight
        option_texts with_warps = options;
        with_warps.emplace_back("warps_per_slice", warps);
        expect_right(a, where, with_warps);
      }
    });
  }
  seen.print("every structure, value and precision");
}

TEST(packed_codes, are_all_reached_cpu) {
  expect_every_encoding<double>(on_cpu, cpus());
  expect_every_encoding<float>(on_cpu, cpus());
}
/// The storage for a device, written and read by the host.
TEST(packed_codes, of_a_device_are_all_reached) {
  expect_every_encoding<double>(on_cuda, {});
  expect_every_encoding<float>(on_cuda, {});
}
TEST(packed_codes, are_all_reached_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_encoding<double>(on_cuda, {cuda{0}});
  expect_every_encoding<float>(on_cuda, {cuda{0}});
}

/// All encodings of columns with all encodings of values, in COO slices.
template <value V>
void expect_every_encoding_of_coo_slices(const exec::target& target, const std::vector<resource>& where) {
  const bool cuda = target.kind == device_set::cuda;
  coverage seen;
  const std::pair<std::int64_t, packed_columns> ranges[] = {
      {250, packed_columns::one}, {60000, packed_columns::two}, {1 << 20, packed_columns::four}};
  for (const auto& [cols, columns] : ranges) {
    const packed_columns column_encoding = columns;
    const std::int64_t range = cols;
    for_each_valuation({.diagonals = false}, cuda, [&](const valuation& with, packed_precision to) {
      if (with.encoding == packed_values::of_step) return;
      const std::string to_text = precision_names[static_cast<int>(to)];
      SCOPED_TRACE(std::to_string(range) + ", " + with.name + ", " + to_text);
      const packed_values encoding = encoding_of<V>(with.encoding, to);
      const matrix<V> a = matrix_from_rows<V>(
          3000, range, [=](std::int64_t i) { return uneven_row(i, i * i % 13 % 7, range); }, with.value);
      const auto s = stored(a, target, {.short_rows = packed_short_rows::entries, .precision = to});
      seen.add(s);
      EXPECT_EQ(s.meta.coo_slices, s.meta.slices);
      bool found = false;
      for (std::size_t i = 0; i < s.slice.size(); ++i)
        found = found || (s.slice[i].is_coo_slice() && s.slice[i].steps > 100 &&
                          s.slice[i].columns() == column_encoding && s.slice[i].values() == encoding);
      EXPECT_TRUE(found) << "no slice has this encoding";
      expect_back(rounded_to(a, to), s);
      expect_right(a, where, {{"short_rows", "entries"}, {"precision", to_text}});
    });
  }
  seen.print("COO slices in every precision");
}

TEST(packed_coo_slices, use_every_encoding_cpu) {
  expect_every_encoding_of_coo_slices<double>(on_cpu, cpus());
  expect_every_encoding_of_coo_slices<float>(on_cpu, cpus());
}

TEST(packed_coo_slices, of_a_device_use_every_encoding) {
  expect_every_encoding_of_coo_slices<double>(on_cuda, {});
  expect_every_encoding_of_coo_slices<float>(on_cuda, {});
}

TEST(packed_coo_slices, use_every_encoding_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_every_encoding_of_coo_slices<double>(on_cuda, {cuda{0}});
  expect_every_encoding_of_coo_slices<float>(on_cuda, {cuda{0}});
}

constexpr packed::options lane_and_coo_slices[] = {
    {.longest_walk = 32, .short_rows = packed_short_rows::padded},
    {.longest_walk = 32, .short_rows = packed_short_rows::entries}};

/// -0.0, subnormal numbers, infinities and NaNs with their payloads come back bit for bit, in every structure
/// and both layouts.
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
        const auto a =
            matrix_from_rows(of.rows, of.cols, of.columns, [&](std::int64_t i, std::size_t k, std::int64_t) {
              return some[(first + (static_cast<std::size_t>(i) * 5 + k) % different) % some.size()];
            });
        for (const packed::options& o : lane_and_coo_slices) {
          expect_back(a, stored(a, on_cpu, o));
          expect_back(a, stored(a, on_cuda, o));
        }
      }
    }
  }
}

/// The sum of a row with an infinity is infinite, that of a row with a NaN is a NaN, and all other sums are
/// finite.
void expect_what_is_not_finite_to_stay(const std::vector<resource>& where) {
  for (const structure& of : structures()) {
    SCOPED_TRACE(of.name);
    constexpr std::int64_t infinite = 37;
    constexpr std::int64_t none = 70;
    const auto a =
        matrix_from_rows(of.rows, of.cols, of.columns, [&](std::int64_t i, std::size_t k, std::int64_t) {
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

#if defined(__SSE2__)
/// Threads of a host program may flush denormals (-ffast-math links code that does). The stored values must
/// not change.
TEST(packed_codes, keep_denormals_where_the_thread_flushes_them) {
  auto a = bench_support::generate<float>("diagonal(n=64)");
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

/// More steps than the builder processes together: the properties of steps must not be mixed up.
TEST(packed_long_slices, are_encoded_by_all_steps) {
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
  for (const exec::target& target : {on_cpu, on_cuda}) {
    for (const example& each : examples) {
      SCOPED_TRACE(&each - examples);
      const auto encoding = [&](const auto& value) {
        const auto a = matrix_from_rows(
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
      for (const packed_slice& slice : list(encoding(of_step).slice))
        EXPECT_EQ(slice.values(), packed_values::of_step);
      for (const packed_slice& slice : list(encoding(until_300).slice))
        EXPECT_EQ(slice.values(), packed_values::half);
      for (const packed_slice& slice : list(encoding(any_value).slice))
        EXPECT_EQ(slice.values(), packed_values::full);
    }
  }
}

/// If lanes share rows, the start of each row is its own, also if the smallest column is not in the slice's
/// first row.
TEST(packed_shared_rows, count_from_their_own_row) {
  // Four rows a slice. Deltas take one byte relative to each row, and two relative to the first row.
  const auto a = matrix_from_rows(
      96, 500,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        constexpr std::int64_t far[] = {30, 0, 1, 240};
        for (std::int64_t k = 0; k < 60; ++k)
          of_row.push_back(i + far[i % 4] + 2 * k + (7 * i + k * k / 3) % 2);
        return of_row;
      },
      any_value);
  const auto s = stored(a, on_cuda, {.longest_walk = 8, .short_rows = packed_short_rows::padded});
  expect_back(a, s);
  for (const packed_slice& slice : list(s.slice)) {
    EXPECT_EQ(slice.sharing(), 3);
    EXPECT_EQ(slice.columns(), packed_columns::one);
    EXPECT_EQ(slice.starts(), packed_starts::row);
  }
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
