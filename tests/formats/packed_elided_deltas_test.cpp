// SPDX-License-Identifier: BSD-3-Clause
// packed: elided deltas. A step stores no deltas if all lanes have those of the step before.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

std::int64_t noise(std::int64_t number, std::int64_t below) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u >> 40) % below;
}

/// A row of `blocks` blocks of `width` neighbouring columns, each block somewhere in a range of its own.
std::vector<std::int64_t> row_of_blocks(std::int64_t i, std::int64_t blocks, std::int64_t width,
                                        std::int64_t range) {
  std::vector<std::int64_t> of_row;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t first = b * (range + width) + noise(i * 64 + b, range);
    for (std::int64_t k = 0; k < width; ++k) of_row.push_back(first + k);
  }
  return of_row;
}
constexpr std::int64_t columns_for_blocks(std::int64_t blocks, std::int64_t width, std::int64_t range) {
  return blocks * (range + width);
}

template <value V>
std::int64_t eliding(const packed_storage<V, host_buffer>& s) {
  const auto slices = s.slice.span();
  return std::count_if(slices.begin(), slices.end(),
                       [](const packed_slice& each) { return each.elides_deltas(); });
}

const packed::options with_long_walks{.longest_walk = 128,
                                      .short_rows = packed_short_rows::padded,
                                      .elided_deltas = packed_elided_deltas::always};
const option_texts lanes_as_text{
    {"longest_walk", "128"}, {"short_rows", "padded"}, {"elided_deltas", "always"}};

/// The devices whose products are checked too.
std::vector<resource> devices() {
  if (cuda_device_count() > 0) return {cuda{0}};
  return {};
}

template <value V>
void expect_elision(const matrix<V>& a, bool expected, packed::options o = with_long_walks,
                    const option_texts& options = lanes_as_text) {
  const auto s = stored(a, on_cuda, o);
  EXPECT_EQ(eliding(s) > 0, expected);
  EXPECT_EQ(s.meta.has_elided_deltas, expected);
  expect_back(a, s);
  expect_right(a, devices(), options);
}

TEST(packed_elided_deltas, are_marked_in_the_header) {
  // Three blocks of 3, 2 and 3 columns, at other positions in each lane: steps 0, 3 and 5 store their deltas.
  const auto a = matrix_from_rows(
      32, 1000,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        const std::int64_t p = 100 + i * i % 101;
        const std::int64_t q = 300 + i * 7 % 32;
        const std::int64_t r = 500 + i * i * i % 97;
        return {p, p + 1, p + 2, q, q + 4, r, r + 1, r + 2};
      },
      any_value);
  const auto s = stored(a, on_cuda, with_long_walks);
  ASSERT_EQ(s.slice.size(), 1u);
  const packed_slice& header = s.slice.data()[0];
  ASSERT_TRUE(header.elides_deltas());
  const packed_delta_mask mask = header.delta_mask();
  EXPECT_THAT(mask.word, testing::ElementsAre(0b101001u, 0u, 0u, 0u));
  EXPECT_EQ(header.columns(), packed_columns::one);
  EXPECT_EQ(header.starts(), packed_starts::zero);
  const packed_slice opened = packed_opened(header);
  EXPECT_EQ(opened.bases, 0u);
  EXPECT_EQ(opened.columns_at, 32u);                    // eight bases
  EXPECT_EQ(opened.values_at, 32u + 4 * packed_lanes);  // three deltas a lane, padded to a group of four
  EXPECT_EQ(s.data.size(), 32u + 128 + 8 * 32 + 64);    // all values are in the table
  const std::uint8_t* const data = s.data.data();
  std::vector<std::int32_t> bases;
  for (std::uint32_t j = 0; j < 8; ++j) bases.push_back(packed_code::get<std::int32_t>(data, j));
  EXPECT_THAT(bases, testing::ElementsAre(100, 101, 102, 300, 304, 500, 501, 502));
  for (std::int64_t l : {0, 5, 31}) {
    const std::uint8_t* const deltas = data + 32 + 4 * l;
    EXPECT_EQ(deltas[0], l * l % 101);
    EXPECT_EQ(deltas[1], l * 7 % 32);
    EXPECT_EQ(deltas[2], l * l * l % 97);
    EXPECT_EQ(deltas[3], 0);
  }
  expect_back(a, s);
  expect_right(a, devices(), lanes_as_text);
}

/// Blocks of all widths in rows of up to 128 entries, so that groups of four steps read their deltas from one
/// and from two groups, at all positions; with deltas of one and of two bytes.
TEST(packed_elided_deltas, of_blocks_of_any_width_are_exact) {
  for (const std::int64_t width : {2, 3, 4, 5, 6, 7, 31})
    for (const std::int64_t range : {200, 60'000})
      for (const std::int64_t blocks : {std::int64_t{3}, std::int64_t{4}, 127 / width}) {
        SCOPED_TRACE(testing::Message() << blocks << " blocks of " << width << " in " << range);
        const auto a = matrix_from_rows(
            100, columns_for_blocks(blocks, width, range),
            [&](std::int64_t i) { return row_of_blocks(i, blocks, width, range); }, any_value);
        expect_elision(a, true);
      }
}

/// Elided steps at pseudorandom positions: 40 slices with distinct patterns, in f64 and f32, with all
/// encodings of values.
template <value V>
void expect_any_pattern() {
  const auto value = [](std::int64_t way, std::int64_t i, std::size_t k, std::int64_t column) {
    const double any = any_value(i, k, column);
    if (way == 0) return 0.5;
    if (way == 1) return std::sin(static_cast<double>(k));
    if (way == 2) return static_cast<double>(noise(i * 131 + static_cast<std::int64_t>(k), 12)) + 0.1;
    if (way == 3) return static_cast<double>(noise(i * 131 + static_cast<std::int64_t>(k), 200)) + 0.1;
    if (way == 4) return static_cast<double>(noise(i * 131 + static_cast<std::int64_t>(k), 2000)) + 24;
    return way == 5 ? static_cast<double>(static_cast<float>(any)) : any;
  };
  coverage seen;
  for (std::int64_t way = 0; way < 7; ++way) {
    SCOPED_TRACE(way);
    const auto a = matrix_from_rows<V>(
        32 * 40, 200'000,
        [](std::int64_t i) {
          const std::int64_t slice = i / 32;
          std::vector<std::int64_t> of_row;
          std::int64_t column = noise(i, 250);
          for (std::int64_t j = 0; j < 20 + slice * 2; ++j) {
            const bool is_stored = noise(slice * 1000 + j, 8) < 3;
            column +=
                is_stored ? 300 + noise(i * 200 + j, slice % 2 == 0 ? 3 : 700) : 1 + noise(slice * 77 + j, 5);
            of_row.push_back(column);
          }
          return of_row;
        },
        [&](std::int64_t i, std::size_t k, std::int64_t column) { return value(way, i, k, column); });
    const auto s = stored(a, on_cuda, with_long_walks);
    EXPECT_GT(eliding(s), 20);
    seen.add(s);
    expect_back(a, s);
    expect_right(a, devices(), lanes_as_text);
  }
  seen.print("lane slices with elided deltas (r)");
}
TEST(packed_elided_deltas, of_any_pattern_are_exact) {
  expect_any_pattern<double>();
  expect_any_pattern<float>();
}

TEST(packed_elided_deltas, of_uneven_and_listed_and_shared_rows_are_exact) {
  for (const std::int64_t walk : {128, 64, 16}) {
    SCOPED_TRACE(walk);
    // Two of three rows lack an entry or two at the end; every tenth row is empty.
    const auto a = matrix_from_rows(
        700, columns_for_blocks(4, 32, 220),
        [](std::int64_t i) {
          auto of_row = row_of_blocks(i / 6, i % 10 == 9 ? 0 : 4, 32, 220);
          if (!of_row.empty()) of_row.resize(of_row.size() - static_cast<std::size_t>(i % 3));
          return of_row;
        },
        any_value);
    packed::options o = with_long_walks;
    o.longest_walk = walk;
    const auto s = stored(a, on_cuda, o);
    EXPECT_GT(eliding(s), 0);
    expect_back(a, s);
    expect_right(
        a, devices(),
        {{"longest_walk", std::to_string(walk)}, {"short_rows", "padded"}, {"elided_deltas", "always"}});
  }
}

/// Columns up to the largest possible one, with starts `row`; and unsorted columns with duplicates, so that
/// the distance from the previous step is negative or zero.
TEST(packed_elided_deltas, of_any_columns_are_exact) {
  constexpr std::int64_t cols = std::numeric_limits<std::int32_t>::max();
  const auto a = matrix_from_rows(
      64, cols,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        const std::int64_t lane = i % 32;
        const std::int64_t n = i + (lane == 31 ? 255 : lane * 29 % 255);
        const std::int64_t m = cols - 1 - i - (lane == 0 ? 255 : lane * 37 % 255);
        return {n + 2, n + 1, n, n, n + 1, m, m, m - 1, m - 3, m};
      },
      any_value);
  const auto s = stored(a, on_cuda, with_long_walks);
  EXPECT_EQ(eliding(s), 2);
  expect_back(a, s);
  const auto from_rows = matrix_from_rows(
      64, cols,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        const std::int64_t lane = i % 32;
        const std::int64_t n = i + (lane == 31 ? 255 : lane * 29 % 255);
        const std::int64_t m = i + (lane == 31 ? 255 : lane * 37 % 255);
        return {cols - 400 + n, cols - 401 + n, cols - 402 + n, m, m + 1, m + 2, m + 3, m + 4};
      },
      any_value);
  const auto of_rows = stored(from_rows, on_cuda, with_long_walks);
  EXPECT_EQ(eliding(of_rows), 2);
  for (const packed_slice& each : of_rows.slice.span()) EXPECT_EQ(each.starts(), packed_starts::row);
  expect_back(from_rows, of_rows);
}

/// As many steps as the mask has bits, one more, and very few.
TEST(packed_elided_deltas, are_of_two_to_128_steps) {
  for (const std::int64_t steps : {1, 2, 3, 4, 5, 127, 128, 129}) {
    SCOPED_TRACE(steps);
    const auto a = matrix_from_rows(
        96, 300'000,
        [&](std::int64_t i) {
          std::vector<std::int64_t> of_row;
          for (std::int64_t j = 0; j < steps; ++j)
            of_row.push_back((j == 0 ? 0 : 60'000) + noise(i * 64 + (j == 0 ? 0 : 1), 50'000) + j);
          return of_row;
        },
        any_value);
    packed::options o = with_long_walks;
    o.longest_walk = 256;
    // Two deltas of a lane take the space of four.
    expect_elision(a, steps > 4 && steps <= packed_max_masked_steps, o,
                   {{"longest_walk", "256"}, {"short_rows", "padded"}, {"elided_deltas", "always"}});
  }
}

/// A single lane moves by another distance in one step, so that step stores its deltas.
TEST(packed_elided_deltas, are_not_where_one_lane_differs) {
  for (std::int64_t one = 0; one < packed_lanes; ++one) {
    SCOPED_TRACE(one);
    const auto a = matrix_from_rows(
        packed_lanes, 2000,
        [&](std::int64_t i) {
          auto of_row = row_of_blocks(i, 3, 6, 200);
          if (i == one) of_row[10] += 1;
          return of_row;
        },
        any_value);
    const auto s = stored(a, on_cuda, with_long_walks);
    ASSERT_EQ(eliding(s), 1);
    const packed_delta_mask mask = s.slice.data()[0].delta_mask();
    EXPECT_TRUE(mask.has(10));
    EXPECT_TRUE(mask.has(11));
    EXPECT_FALSE(mask.has(9));
    expect_back(a, s);
    expect_right(a, devices(), lanes_as_text);
  }
}

/// Steps with stored deltas at both ends of each word of the mask.
TEST(packed_elided_deltas, may_end_at_any_bit) {
  const auto a = matrix_from_rows(
      packed_lanes, 100'000,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        std::int64_t column = noise(i, 250);
        for (std::int64_t j = 0; j < packed_max_masked_steps; ++j) {
          column += j % 32 == 0 || j % 32 == 31 ? 300 + noise(i * 128 + j, 5) : 1;
          of_row.push_back(column);
        }
        return of_row;
      },
      any_value);
  const auto s = stored(a, on_cuda, with_long_walks);
  ASSERT_EQ(eliding(s), 1);
  for (const std::uint32_t word : s.slice.data()[0].delta_mask().word) EXPECT_EQ(word, 0x80000001u);
  expect_back(a, s);
  expect_right(a, devices(), lanes_as_text);
}

TEST(packed_elided_deltas, are_not_where_they_cannot_be) {
  const auto blocks = [](std::int64_t i) { return row_of_blocks(i, 10, 6, 200); };
  const auto a = matrix_from_rows(320, columns_for_blocks(10, 6, 200), blocks, any_value);
  EXPECT_GT(eliding(stored(a, on_cuda, with_long_walks)), 0);
  EXPECT_EQ(eliding(stored(a, on_cpu)), 0) << "on a CPU";
  packed::options small = with_long_walks;
  small.elided_deltas = packed_elided_deltas::automatic;
  expect_elision(a, false, small, {{"longest_walk", "128"}, {"short_rows", "padded"}});
  packed::options never = with_long_walks;
  never.elided_deltas = packed_elided_deltas::never;
  expect_elision(a, false, never,
                 {{"longest_walk", "128"}, {"short_rows", "padded"}, {"elided_deltas", "never"}});
  {
    SCOPED_TRACE("more than 128 steps");
    const auto longer = matrix_from_rows(
        320, columns_for_blocks(22, 6, 200), [](std::int64_t i) { return row_of_blocks(i, 22, 6, 200); },
        any_value);
    packed::options o = with_long_walks;
    o.longest_walk = 256;
    expect_elision(longer, false, o,
                   {{"longest_walk", "256"}, {"short_rows", "padded"}, {"elided_deltas", "always"}});
  }
  {
    SCOPED_TRACE("with a cut row");
    packed::options o = with_long_walks;
    o.longest_part = 256;
    const auto cut = matrix_from_rows(
        320, 30'000, [&](std::int64_t i) { return i == 50 ? uneven_row(i, 1000, 30'000) : blocks(i); },
        any_value);
    expect_elision(cut, false, o,
                   {{"longest_walk", "128"},
                    {"short_rows", "padded"},
                    {"longest_part", "256"},
                    {"elided_deltas", "always"}});
  }
  {
    SCOPED_TRACE("with COO slices");
    const auto both = matrix_from_rows(
        2048, columns_for_blocks(10, 6, 200),
        [&](std::int64_t i) { return i < 1024 ? blocks(i) : uneven_row(i, i * i % 7, 2000); }, any_value);
    const auto s = stored(both, on_cuda,
                          {.longest_walk = 128,
                           .short_rows = packed_short_rows::entries,
                           .entries_per_slice = 32,
                           .elided_deltas = packed_elided_deltas::always});
    EXPECT_GT(s.meta.coo_slices, 0);
    EXPECT_LT(s.meta.coo_slices, s.meta.slices);
    EXPECT_EQ(eliding(s), 0);
    expect_back(both, s);
    expect_right(both, devices(),
                 {{"longest_walk", "128"},
                  {"short_rows", "entries"},
                  {"entries_per_slice", "32"},
                  {"elided_deltas", "always"}});
  }
  {
    SCOPED_TRACE("less than a 64th of all bytes");
    const auto few = matrix_from_rows(
        64 * 1024, 200'000,
        [&](std::int64_t i) {
          return i < 320 ? blocks(i)
                         : std::vector<std::int64_t>{i, i * 7919 % 150'000, i * 104'729 % 190'000};
        },
        any_value);
    expect_elision(few, false);
  }
}

/// `auto` elides deltas from 3 * 2^20 entries on if they take 7 bytes each, and from 2^25 on if they take 4,
/// in rows of 16 in the mean.
TEST(packed_elided_deltas, are_where_bytes_are_waited_for) {
  const auto with_rows = [](std::int64_t rows, double step, std::int64_t blocks = 16,
                            std::int64_t width = 6) {
    return matrix_from_rows(
        rows, columns_for_blocks(blocks, width, 200),
        [&](std::int64_t i) { return row_of_blocks(i % 1000, blocks, width, 200); },
        [&](std::int64_t i, std::size_t k, std::int64_t) {
          return step * static_cast<double>(i * blocks * width) + static_cast<double>(k) + step / 3;
        });
  };
  packed::options o = with_long_walks;
  o.elided_deltas = packed_elided_deltas::automatic;
  const option_texts options{{"longest_walk", "128"}, {"short_rows", "padded"}};
  constexpr std::int64_t rows = (3 << 20) / 96;
  expect_elision(with_rows(rows - 1, 1), false, o, options);
  expect_elision(with_rows(rows, 1), true, o, options);
  expect_elision(with_rows(rows, 0), false, o, options);  // a byte each
  // Rows of 15 and 16 entries. Elision saves enough in both.
  constexpr std::int64_t short_rows = (3 << 20) / 15 + 1;
  expect_elision(with_rows(short_rows, 1, 5, 3), false, o, options);
  expect_elision(with_rows(short_rows, 1, 5, 3), true);
  expect_elision(with_rows(short_rows, 1, 4, 4), true, o, options);
  using packed_code::saves_enough_by_elision;
  constexpr std::int64_t many = 1 << 25;
  const auto is_enough = [](packed_elided_deltas option, std::int64_t entries, std::int64_t bytes,
                            std::int64_t saved) {
    return saves_enough_by_elision(option, entries, entries * bytes / packed_piece, saved / packed_piece);
  };
  EXPECT_TRUE(is_enough(packed_elided_deltas::automatic, many, 4, many));
  EXPECT_FALSE(is_enough(packed_elided_deltas::automatic, many, 3, many));
  EXPECT_FALSE(is_enough(packed_elided_deltas::automatic, many / 2, 6, many));
  EXPECT_TRUE(is_enough(packed_elided_deltas::automatic, many / 2, 7, many));
  EXPECT_TRUE(is_enough(packed_elided_deltas::always, many / 2, 1, many));
  EXPECT_FALSE(is_enough(packed_elided_deltas::always, many, 8, many / 8));
}

/// The order of additions is the same.
template <value V>
void expect_same_bits() {
  const auto a = matrix_from_rows<V>(
      5000, columns_for_blocks(20, 6, 60'000),
      [](std::int64_t i) {
        auto of_row = row_of_blocks(i / 3, 20, 6, i < 2500 ? 200 : 60'000);
        if (i % 5 == 0) of_row.resize(of_row.size() - static_cast<std::size_t>(i % 7));
        return of_row;
      },
      any_value);
  const auto x = testing_support::random_vector<V>(a.cols, 1);
  for (const char* warps : {"1", "4"}) {
    std::vector<std::vector<V>> y;
    for (const char* way : {"always", "never"}) {
      const option_texts options{{"longest_walk", "128"},
                                 {"short_rows", "padded"},
                                 {"warps_per_slice", warps},
                                 {"elided_deltas", way}};
      const auto plan = inspect(a.view(), cuda{0}, {.format = "packed", .options = options});
      y.push_back(testing_support::poisoned<V>(a.rows));
      plan.multiply(V{1}, x, V{0}, y.back());
    }
    EXPECT_EQ(std::memcmp(y[0].data(), y[1].data(), y[0].size() * sizeof(V)), 0) << warps << " warps";
  }
}
TEST(packed_elided_deltas, do_not_change_a_bit_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_same_bits<double>();
  expect_same_bits<float>();
}

/// The footprint equals the bytes of the built storage.
TEST(packed_elided_deltas, are_counted_in_bytes) {
  const auto a = matrix_from_rows(
      640, columns_for_blocks(13, 3, 60'000), [](std::int64_t i) { return row_of_blocks(i, 13, 3, 60'000); },
      any_value);
  const auto view = a.view();
  const row_statistics statistics = measure_rows(view);
  for (const packed_elided_deltas way : {packed_elided_deltas::always, packed_elided_deltas::never}) {
    packed::options o = with_long_walks;
    o.elided_deltas = way;
    const footprint size =
        packed::measure(view, statistics, packed::resolve(o, statistics, on_cuda), on_cuda);
    const auto s = stored(a, on_cuda, o);
    EXPECT_EQ(size.bytes, static_cast<std::int64_t>(s.table.size() * sizeof(double) +
                                                    s.slice.size() * sizeof(packed_slice) + s.data.size()));
  }
  const auto with = stored(a, on_cuda, with_long_walks).data.size();
  packed::options never = with_long_walks;
  never.elided_deltas = packed_elided_deltas::never;
  const auto without = stored(a, on_cuda, never).data.size();
  // 13 of 39 deltas of 2 bytes are stored, padded to 16.
  EXPECT_EQ(without - with, 20u * (39 - 16) * 2 * packed_lanes);
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
