// SPDX-License-Identifier: BSD-3-Clause
// packed: all encodings of columns with all encodings of values, in all layouts of lane slices: a row a lane,
// in order or listed; rows that 2 to 32 lanes share; and row parts.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

/// How rows are assigned to the lanes of a slice.
struct piece_layout {
  int sharing;          ///< log2 of the lanes of a row
  bool listed = false;  ///< not consecutive
  std::int64_t part = 0;
};

std::vector<piece_layout> piece_layouts(const exec::target& target) {
  std::vector<piece_layout> all;
  for (const bool listed : {false, true})
    for (int sharing = 0; sharing <= 5; ++sharing) all.push_back({.sharing = sharing, .listed = listed});
  all.push_back({.sharing = 5, .part = target.kind == device_set::cuda ? 256 : packed_longest_part});
  return all;
}

/// The position of an entry: its row, its lane in the slice, and its step.
struct place {
  std::int64_t row;
  std::int64_t lane;
  std::int64_t step;
  std::int64_t of_all;  ///< an index of its lane over all slices, except row parts
  std::int64_t number;  ///< of the entry, for its value
};

constexpr std::int64_t noise(const place& at, int bits) {
  const auto number = static_cast<std::uint64_t>(at.of_all * 8 + at.step);
  return static_cast<std::int64_t>(number * 0x9E3779B97F4A7C15u >> (64 - bits));
}
/// The first of three steps with equal deltas.
constexpr place first_of_three(place at) {
  at.step -= at.step % 3;
  return at;
}
/// The first lane has the smallest delta and the last the largest, so that all other starts give larger
/// deltas.
constexpr std::int64_t noise_from_end_to_end(const place& at, int bits) {
  if (at.lane == 0) return 0;
  return at.lane == packed_lanes - 1 ? (std::int64_t{1} << bits) - 1 : noise(at, bits);
}

struct column_code {
  packed_columns encoding;
  packed_starts starts;
  std::int64_t (*column)(const place&);
  bool elides = false;
};

constexpr column_code column_codes[] = {
    {packed_columns::none, packed_starts::zero, [](const place& at) { return 100 * at.step; }},
    {packed_columns::none, packed_starts::row, [](const place& at) { return at.row + 1700 - 250 * at.step; }},
    {packed_columns::none, packed_starts::given,
     [](const place& at) {
       return noise({.row = 0, .lane = 0, .step = 0, .of_all = at.of_all, .number = 0}, 17) +
              3 * at.step * at.step;
     }},
    {packed_columns::one, packed_starts::zero, [](const place& at) { return 1000 * at.step + noise(at, 8); }},
    {packed_columns::one, packed_starts::row,
     [](const place& at) { return at.row + 1000 * at.step + noise_from_end_to_end(at, 8); }},
    {packed_columns::two, packed_starts::zero,
     [](const place& at) { return 1000 * at.step + noise(at, 16); }},
    {packed_columns::two, packed_starts::row,
     [](const place& at) { return at.row + 1000 * at.step + noise_from_end_to_end(at, 16); }},
    {packed_columns::four, packed_starts::zero, [](const place& at) { return noise(at, 17); }},
    {packed_columns::one, packed_starts::zero,
     [](const place& at) { return 1000 * at.step + noise(first_of_three(at), 8); }, true},
    {packed_columns::one, packed_starts::row,
     [](const place& at) { return at.row + 1000 * at.step + noise_from_end_to_end(first_of_three(at), 8); },
     true},
    {packed_columns::two, packed_starts::zero,
     [](const place& at) { return 1000 * at.step + noise(first_of_three(at), 16); }, true},
    {packed_columns::two, packed_starts::row,
     [](const place& at) { return at.row + 1000 * at.step + noise_from_end_to_end(first_of_three(at), 16); },
     true},
};

struct value_code {
  packed_values encoding;
  double (*value)(const place&);
};

constexpr double number(const place& at) {
  return static_cast<double>(at.number);
}
const value_code value_codes[] = {
    {packed_values::constant, [](const place&) { return -0.0; }},
    {packed_values::of_step, [](const place& at) { return 0.1 * static_cast<double>(at.step); }},
    {packed_values::table4, [](const place& at) { return 0.1 + std::fmod(number(at), 10); }},
    {packed_values::table8, [](const place& at) { return 0.1 + std::fmod(number(at), 200); }},
    {packed_values::half, [](const place& at) { return 24 + std::fmod(number(at), 2000); }},
    {packed_values::narrow,
     [](const place& at) { return static_cast<double>(static_cast<float>(std::sin(number(at)))); }},
    {packed_values::full, [](const place& at) { return std::sin(number(at)); }},
};

/// The encoding in a matrix of V.
template <value V>
packed_values encoding_of(packed_values code, const exec::target& target) {
  if (code == packed_values::table4 && target.kind == device_set::cpu) return packed_values::table8;
  return code == packed_values::narrow && sizeof(V) == sizeof(float) ? packed_values::full : code;
}

constexpr std::int64_t lane_steps = 6;

/// Rows with this layout: five slices, the first two without holes, and the others with rows of one entry
/// less; or three cut rows, whose last row part is short.
template <value V>
matrix<V> rows_stored_so(const piece_layout& of, const column_code& columns, const value_code& values) {
  const std::int64_t of_slice = packed_lanes >> of.sharing;
  const std::int64_t long_rows = of.part > 0 ? 3 : 5 * of_slice;
  const std::int64_t rows = of.listed ? 2 * long_rows : long_rows;
  const auto length = [&](std::int64_t r) {
    if (of.part > 0) return 2 * of.part + 37;
    return (lane_steps << of.sharing) - (2 * r < long_rows ? 0 : 1);
  };
  const auto place_of = [&](std::int64_t i, std::int64_t k) -> place {
    const std::int64_t in_part = of.part > 0 ? k % of.part : k;
    const std::int64_t of_row = in_part & ((std::int64_t{1} << of.sharing) - 1);
    const std::int64_t r = of.listed ? i / 2 : i;
    return {.row = i,
            .lane = (r % of_slice << of.sharing) + of_row,
            .step = in_part >> of.sharing,
            .of_all = (r << of.sharing) + of_row,
            .number = 31 * r + 7 * k};
  };
  return matrix_from_rows<V>(
      rows, 340'000,
      [&](std::int64_t i) -> std::vector<std::int64_t> {
        if (of.listed && i % 2 == 1) return {i};
        std::vector<std::int64_t> of_row(static_cast<std::size_t>(length(of.listed ? i / 2 : i)));
        for (std::size_t k = 0; k < of_row.size(); ++k)
          of_row[k] = columns.column(place_of(i, static_cast<std::int64_t>(k)));
        return of_row;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        return values.value(place_of(i, static_cast<std::int64_t>(k)));
      });
}

/// If all lanes of a slice have one row, starts `row` have no effect. Deltas are elided on a device, except
/// in row parts.
constexpr bool can_be(const piece_layout& of, const column_code& columns, const exec::target& target) {
  if (columns.elides && (of.part > 0 || target.kind == device_set::cpu)) return false;
  return of.sharing < 5 || columns.starts != packed_starts::row;
}

template <value V>
void expect_every_code(const piece_layout& of, const exec::target& target, const std::vector<resource>& where,
                       coverage& seen) {
  for (const column_code& columns : column_codes) {
    if (!can_be(of, columns, target)) continue;
    for (const value_code& values : value_codes) {
      const packed_values encoding = encoding_of<V>(values.encoding, target);
      SCOPED_TRACE(testing::Message()
                   << (1 << of.sharing) << " lanes a row, " << (of.listed ? "listed, " : "") << "parts of "
                   << of.part << ", columns " << (&columns - column_codes) << ", values "
                   << (&values - value_codes));
      const auto a = rows_stored_so<V>(of, columns, values);
      const bool cut_short = of.part > 0 && target.kind == device_set::cuda;
      packed::options o{.longest_walk = lane_steps, .short_rows = packed_short_rows::padded};
      option_texts options{{"longest_walk", std::to_string(lane_steps)}, {"short_rows", "padded"}};
      if (columns.elides) {
        o.elided_deltas = packed_elided_deltas::always;
        options.emplace_back("elided_deltas", "always");
      }
      if (cut_short) {
        o.longest_part = of.part;
        options.emplace_back("longest_part", std::to_string(of.part));
      }
      const auto s = stored(a, target, o);
      seen.add(s);
      bool is_full = false;
      bool is_ragged = false;
      for (const packed_slice& each : s.slice.span()) {
        if (each.sharing() != of.sharing || each.lists_rows() != of.listed ||
            each.is_row_part() != (of.part > 0) || each.columns() != columns.encoding ||
            each.starts() != columns.starts || each.elides_deltas() != columns.elides ||
            each.values() != encoding)
          continue;
        (each.is_full() ? is_full : is_ragged) = true;
      }
      EXPECT_TRUE(is_full) << "no slice without holes has this encoding";
      EXPECT_TRUE(is_ragged) << "no slice with holes has this encoding";
      expect_back(a, s);
      expect_right(a, where, options);
    }
  }
}

/// A layout, and where it is multiplied.
struct layout_somewhere {
  std::string name;
  piece_layout of;
  const exec::target* target;
  bool is_multiplied;
};

/// On a CPU; stored for a device, but written and read by the host; and on a device.
std::vector<layout_somewhere> layouts_everywhere() {
  std::vector<layout_somewhere> all;
  for (const char* where : {"cpu", "of_a_device", "cuda"}) {
    const exec::target& target = std::string_view(where) == "cpu" ? on_cpu : on_cuda;
    for (const piece_layout& of : piece_layouts(target)) {
      const std::string rows = of.part > 0 ? "parts" : std::to_string(1 << of.sharing) + "_lanes_a_row";
      all.push_back({.name = rows + (of.listed ? "_listed_" : "_") + where,
                     .of = of,
                     .target = &target,
                     .is_multiplied = std::string_view(where) != "of_a_device"});
    }
  }
  return all;
}

class layouts : public testing::TestWithParam<layout_somewhere> {};

TEST_P(layouts, have_every_code) {
  const layout_somewhere& here = GetParam();
  const bool on_device = here.target->kind == device_set::cuda;
  std::vector<resource> where;
  if (here.is_multiplied && !on_device) where = cpus();
  if (here.is_multiplied && on_device) {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
    where.emplace_back(cuda{0});
  }
  coverage seen;
  expect_every_code<double>(here.of, *here.target, where, seen);
  expect_every_code<float>(here.of, *here.target, where, seen);
  seen.print(here.name.c_str());
}
INSTANTIATE_TEST_SUITE_P(packed, layouts, testing::ValuesIn(layouts_everywhere()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace gossamer::formats::packed_tests
