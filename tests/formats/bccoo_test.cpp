// SPDX-License-Identifier: BSD-3-Clause
// bccoo: the byte code of paper 001, written out by hand, and the table of frequent values.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "bench_support/catalog/matrix_sets.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/papers/bccoo/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/stored_arrays.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::alike;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;
using testing_support::poisoned;
using testing_support::random_vector;

using bytes = std::vector<int>;

bytes data_of(const bccoo_storage<double, host_buffer>& s) {
  return {s.data.data(), s.data.data() + s.data.size()};
}

/// The bytes of a value where it stands in full.
template <class V>
bytes literal(V value) {
  std::uint8_t raw[sizeof(V)];
  std::memcpy(raw, &value, sizeof(V));
  return {raw, raw + sizeof(V)};
}

bytes joined(std::initializer_list<bytes> pieces) {
  bytes all;
  for (const bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

template <class V>
struct small_matrix {
  std::vector<std::int64_t> row_ptr;
  std::vector<std::int32_t> col;
  std::vector<V> val;
  std::int64_t cols = 1 << 30;
  [[nodiscard]] csr_view<V, std::int64_t> view() const {
    return {.rows = static_cast<std::int64_t>(row_ptr.size()) - 1,
            .cols = cols,
            .row_ptr = row_ptr,
            .col = col,
            .val = val};
  }
};

/// All in one chunk, every value 1.0, which is entry 0 of the table.
bytes data_of_columns(std::vector<std::int64_t> row_ptr, std::vector<std::int32_t> col,
                      std::int64_t chunk = 1024) {
  const std::vector<double> ones(col.size(), 1.0);
  const small_matrix<double> a{.row_ptr = std::move(row_ptr), .col = std::move(col), .val = ones};
  return data_of(bccoo::build(a.view(), {.chunk = chunk, .codes = bccoo_codes::tuples}, on_cpu));
}

template <class V>
void expect_same_bits(std::span<const V> expected, std::span<const V> got) {
  ASSERT_EQ(expected.size(), got.size());
  if (!expected.empty()) {
    EXPECT_EQ(std::memcmp(expected.data(), got.data(), expected.size_bytes()), 0);
  }
}

/// Bytes as forecast; the matrix back bit for bit; the same with and without what measure() found.
template <class V>
bccoo_storage<V, host_buffer> checked_as(const small_matrix<V>& a, const bccoo::options& o,
                                         const exec::target& target) {
  const auto view = a.view();
  const auto f = bccoo::measure(view, measure_rows(view), o, target);
  EXPECT_TRUE(f.exact);
  auto s = bccoo::build(view, o, target, f);
  std::int64_t held = 0;
  bccoo_storage<V, host_buffer>::arrays(s, [&](const char*, const auto& array) {
    held += static_cast<std::int64_t>(array.span().size_bytes());
  });
  EXPECT_EQ(held, f.bytes);
  const auto back = bccoo::to_csr(s);
  EXPECT_TRUE(alike(list(back.row_ptr), a.row_ptr));
  EXPECT_TRUE(alike(list(back.col), a.col));
  expect_same_bits<V>(a.val, back.val.span());
  const auto again = bccoo::build(view, o, target);
  expect_same_bits<V>(again.lut.span(), s.lut.span());
  EXPECT_TRUE(alike(list(again.data), list(s.data)));
  return s;
}

/// In both codings and, of chunk_uniform, for both devices; of tuples 2 to 13 bytes an entry beside one a
/// row.
template <class V>
bccoo_storage<V, host_buffer> checked(const small_matrix<V>& a, std::int64_t chunk) {
  const bccoo::options uniform{.chunk = chunk, .codes = bccoo_codes::chunk_uniform};
  const auto with_numbers = checked_as(a, uniform, on_cuda);
  EXPECT_LE(checked_as(a, uniform, on_cpu).data.size(), with_numbers.data.size());
  const auto published = checked_as(a, {.chunk = chunk, .codes = bccoo_codes::chunk_published}, on_cpu);
  EXPECT_TRUE(alike(list(published.data), list(with_numbers.data)));
  auto s = checked_as(a, {.chunk = chunk, .codes = bccoo_codes::tuples}, on_cpu);
  const std::int64_t nnz = a.view().nnz();
  const auto entry_bytes = static_cast<std::int64_t>(s.data.size()) - a.view().rows;
  EXPECT_GE(entry_bytes, 2 * nnz);
  EXPECT_LE(entry_bytes, static_cast<std::int64_t>(5 + sizeof(V)) * nnz);
  return s;
}

/// The matrix of the page: rows of 2, 1, 0 and 3 entries, two to a chunk.
TEST(bccoo, arrays_of_the_page) {
  const small_matrix<double> a{
      .row_ptr = {0, 2, 3, 3, 6}, .col = {0, 2, 1, 0, 2, 3}, .val = {4, 1, 3, 1, 4, 2}, .cols = 4};
  const auto s = checked(a, 2);
  EXPECT_THAT(list(s.lut), ElementsAre(1, 4, 2, 3));  // 1 and 4 twice, 2 and 3 once
  EXPECT_THAT(list(s.row), ElementsAre(0, 1, 3));
  EXPECT_THAT(list(s.offset), ElementsAre(0, 5, 15, 20));
  EXPECT_THAT(data_of(s), ElementsAre(0x80, 1, 0x82, 0, 0xFF,                    //
                                      0x81, 3, 0xFF, 0xFF, 0xFE, 0, 0, 0, 0, 0,  //
                                      0x82, 1, 0x81, 2, 0xFF));
}

/// The difference is the code up to 124, has two bytes up to 65,535, and beyond that the column stands in
/// four.
TEST(bccoo, codes_of_differences) {
  EXPECT_EQ(data_of_columns({0, 2}, {7, 7}), (bytes{0x87, 0, 0x80, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 2}, {1, 125}), (bytes{0x81, 0, 0xFC, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 2}, {1, 126}), (bytes{0x81, 0, 0xFD, 0x7D, 0x00, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 2}, {1, 65536}), (bytes{0x81, 0, 0xFD, 0xFF, 0xFF, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 2}, {1, 65537}), (bytes{0x81, 0, 0xFE, 0x01, 0x00, 0x01, 0x00, 0, 0xFF}));
}

TEST(bccoo, a_column_before_the_last_one_is_absolute) {
  EXPECT_EQ(data_of_columns({0, 2}, {9, 8}), (bytes{0x89, 0, 0xFE, 8, 0, 0, 0, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 2}, {0x1FFFFFFE, 0x0A0B0C0D}),
            (bytes{0xFE, 0xFE, 0xFF, 0xFF, 0x1F, 0, 0xFE, 0x0D, 0x0C, 0x0B, 0x0A, 0, 0xFF}));
}

/// The first column of a chunk counts from 0.
TEST(bccoo, first_column_of_a_chunk) {
  EXPECT_EQ(data_of_columns({0, 1}, {0}), (bytes{0x80, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 1}, {124}), (bytes{0xFC, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 1}, {125}), (bytes{0xFD, 125, 0, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 1}, {65535}), (bytes{0xFD, 0xFF, 0xFF, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 1}, {65536}), (bytes{0xFE, 0, 0, 1, 0, 0, 0xFF}));
  // Again in the second chunk, although the row goes on.
  EXPECT_EQ(data_of_columns({0, 3}, {100, 101, 102}, 2), (bytes{0xE4, 0, 0x81, 0, 0xE6, 0, 0xFF}));
}

/// The first column of a row counts from where the row before it began, in the same chunk; rows without
/// entries do not matter.
TEST(bccoo, first_column_of_a_row) {
  EXPECT_EQ(data_of_columns({0, 2, 2, 4}, {50, 60, 53, 54}),
            (bytes{0xB2, 0, 0x8A, 0, 0xFF, 0xFF, 0x83, 0, 0x81, 0, 0xFF}));
  EXPECT_EQ(data_of_columns({0, 2, 3}, {50, 60, 49}),
            (bytes{0xB2, 0, 0x8A, 0, 0xFF, 0xFE, 49, 0, 0, 0, 0, 0xFF}));
  // Where the row before began in the chunk before, from what it has in this one.
  EXPECT_EQ(data_of_columns({0, 3, 4}, {50, 60, 70, 75}, 2),
            (bytes{0xB2, 0, 0x8A, 0, 0xC6, 0, 0xFF, 0x85, 0, 0xFF}));
}

/// 300 values that differ: the 256 with the smallest bits are in the table, the others stand behind their
/// codes. 13 bytes at the most.
TEST(bccoo, values_in_full_and_from_the_table) {
  small_matrix<double> a{.row_ptr = {0, 300}, .col = {}, .val = {}};
  for (int k = 0; k < 300; ++k) {
    a.col.push_back(1 << 20);
    a.val.push_back(300 - k);
  }
  a.col[2] = 7;
  const auto s = checked(a, 1024);
  ASSERT_EQ(s.lut.size(), 256u);
  EXPECT_EQ(s.lut[0], 1.0);
  EXPECT_EQ(s.lut[255], 256.0);
  const bytes data = data_of(s);
  const bytes begin = joined(
      {{0x7E, 0, 0, 0x10, 0}, literal(300.0), {0x00}, literal(299.0), {0x7E, 7, 0, 0, 0}, literal(298.0)});
  EXPECT_EQ(bytes(data.begin(), data.begin() + 35), begin);
  EXPECT_EQ(bytes(data.end() - 5, data.end()), (bytes{0x80, 1, 0x80, 0, 0xFF}));
}

/// Every code, 0 to 0x7E, with a value that is in the table and with one that is not.
template <class V>
void expect_every_code() {
  small_matrix<V> a{.row_ptr = {0}, .col = {}, .val = {}};
  for (int k = 0; k < 512; ++k) {  // 256 values that occur twice or more, and so fill the table
    a.col.push_back(0);
    a.val.push_back(static_cast<V>(1 + k / 2));
  }
  a.row_ptr.push_back(512);
  bytes expected;
  std::int32_t column = 0;
  V rare{1000};
  for (int code = 0; code <= 0x7E; ++code) {
    for (const bool in_table : {true, false}) {
      const int difference = code < 0x7D ? code : code == 0x7D ? 0x1234 : 0x12345;
      column += difference;
      a.col.push_back(column);
      a.val.push_back(in_table ? V{3} : rare);
      const auto byte = [](int number, int place) { return number >> (8 * place) & 0xFF; };
      bytes number;
      if (code == 0x7D) number = {0x34, 0x12};
      if (code == 0x7E) number = {byte(column, 0), byte(column, 1), byte(column, 2), byte(column, 3)};
      expected =
          joined({expected, {in_table ? 0x80 | code : code}, number, in_table ? bytes{0} : literal(rare)});
      if (!in_table) ++rare;
    }
  }
  expected.push_back(0xFF);
  a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  const auto s = checked(a, 1024);
  EXPECT_EQ(s.lut[0], V{3});  // 129 times
  ASSERT_EQ(s.data.size(), 512 * 2 + 1 + expected.size());
  EXPECT_EQ((bytes{s.data.data() + 512 * 2 + 1, s.data.data() + s.data.size()}), expected);
}

TEST(bccoo, every_code_with_the_value_in_the_table_and_in_full) {
  expect_every_code<double>();
  expect_every_code<float>();
}

TEST(bccoo, f32_values_in_full_have_four_bytes) {
  small_matrix<float> a{.row_ptr = {0, 258}, .col = std::vector<std::int32_t>(258, 3), .val = {}};
  for (int k = 0; k < 258; ++k) a.val.push_back(static_cast<float>(258 - k));
  const auto s = checked(a, 1024);
  const bytes data(s.data.data(), s.data.data() + 12);
  EXPECT_EQ(data, joined({{0x03}, literal(258.0f), {0x00}, literal(257.0f), {0x80, 255}}));
  EXPECT_EQ(s.data.size(), 2u * 5 + 256 * 2 + 1);
}

TEST(bccoo, tables_of_255_256_and_257_values) {
  for (const int distinct : {255, 256, 257}) {
    small_matrix<double> a{.row_ptr = {0, 2 * distinct}, .col = {}, .val = {}};
    for (int k = 0; k < 2 * distinct; ++k) {
      a.col.push_back(k);
      a.val.push_back(1 + k % distinct);
    }
    const auto s = checked(a, 1024);
    EXPECT_EQ(s.lut.size(), static_cast<std::size_t>(std::min(distinct, 256)));
    bytes expected;  // columns one apart; all values are as frequent, so that the largest is the one left out
    for (int k = 0; k < 2 * distinct; ++k) {
      const auto difference = static_cast<std::uint8_t>(k == 0 ? 0 : 1);
      if (k % distinct < 256)
        expected =
            joined({expected,
                    {static_cast<std::uint8_t>(0x80 | difference), static_cast<std::uint8_t>(k % distinct)}});
      else
        expected = joined({expected, {difference}, literal(257.0)});
    }
    expected.push_back(0xFF);
    EXPECT_EQ(data_of(s), expected) << distinct;
  }
}

TEST(bccoo, equal_values_make_a_table_of_one) {
  const small_matrix<double> a{.row_ptr = {0, 3}, .col = {0, 1, 2}, .val = {-2.5, -2.5, -2.5}};
  const auto s = checked(a, 1024);
  EXPECT_THAT(list(s.lut), ElementsAre(-2.5));
  EXPECT_THAT(data_of(s), ElementsAre(0x80, 0, 0x81, 0, 0x81, 0, 0xFF));
}

/// Marks of empty rows stand in the chunk of the entry before them; the first chunk begins with row 0.
TEST(bccoo, empty_rows_anywhere_in_a_chunk) {
  const small_matrix<double> a{
      .row_ptr = {0, 0, 0, 1, 1, 2, 2, 2, 4, 4}, .col = {5, 6, 7, 8}, .val = {1, 1, 1, 1}};
  const auto s = checked(a, 2);
  EXPECT_THAT(list(s.row), ElementsAre(0, 7));
  EXPECT_THAT(list(s.offset), ElementsAre(0, 11, 17));
  EXPECT_THAT(data_of(s), ElementsAre(0xFF, 0xFF, 0x85, 0, 0xFF, 0xFF, 0x81, 0, 0xFF, 0xFF, 0xFF,  //
                                      0x87, 0, 0x81, 0, 0xFF, 0xFF));
  EXPECT_EQ(s.carries.row.size(), 0u);  // no row is in both
  EXPECT_EQ(data_of_columns({0, 0, 0, 0}, {}), (bytes{0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(data_of_columns({0}, {}), bytes{});
}

/// Five entries in chunks of two: the row is one run over three chunks, the last of which has one entry.
TEST(bccoo, a_row_over_many_chunks) {
  const small_matrix<double> a{
      .row_ptr = {0, 0, 5, 5}, .col = {3, 4, 5, 6, 7}, .val = {1, 1, 1, 1, 1}, .cols = 8};
  const auto s = checked(a, 2);
  EXPECT_THAT(list(s.row), ElementsAre(0, 1, 1));
  EXPECT_THAT(list(s.offset), ElementsAre(0, 5, 9, 13));
  EXPECT_THAT(data_of(s), ElementsAre(0xFF, 0x83, 0, 0x81, 0,  //
                                      0x85, 0, 0x81, 0,        //
                                      0x87, 0, 0xFF, 0xFF));
  EXPECT_THAT(list(s.carries.row), ElementsAre(1));
  EXPECT_THAT(list(s.carries.first), ElementsAre(1));
  EXPECT_THAT(list(s.carries.last), ElementsAre(5));
}

/// A mark without the top bit ends a row too, for this decoder as for the one that gives the matrix back.
TEST(bccoo, takes_0x7f_for_the_end_of_a_row) {
  const small_matrix<double> a{.row_ptr = {0, 2, 2, 3}, .col = {0, 2, 1}, .val = {4, 1, 3}, .cols = 3};
  auto s = bccoo::build(a.view(), {.chunk = 1024, .codes = bccoo_codes::tuples}, on_cpu);
  EXPECT_EQ(std::count(s.data.data(), s.data.data() + s.data.size(), 0xFF), 3);
  std::replace(s.data.data(), s.data.data() + s.data.size(), std::uint8_t{0xFF}, std::uint8_t{0x7F});
  const auto back = bccoo::to_csr(s);
  EXPECT_TRUE(alike(list(back.row_ptr), a.row_ptr));
  EXPECT_TRUE(alike(list(back.col), a.col));
  const std::vector<double> x{1, 10, 100};
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    std::vector<double> y(3, std::numeric_limits<double>::quiet_NaN());
    const auto passes = bccoo::passes<f64>(s.view(), level);
    passes[0].run(s.view(), {.alpha = 1, .x = x.data(), .beta = 0, .y = y.data()}, 0, 1, nullptr);
    EXPECT_THAT(y, ElementsAre(104, 0, 30)) << name(level);
  }
}

/// What compares equal or unordered as a number is told apart by its bits.
TEST(bccoo, keeps_every_bit_of_a_value) {
  const double quiet = std::bit_cast<double>(std::uint64_t{0x7FF8000000000123});
  const double signalling = std::bit_cast<double>(std::uint64_t{0xFFF0000000000456});
  const std::vector<double> odd{
      0.0, -0.0, quiet, signalling, 5e-324, -1e-310, std::numeric_limits<double>::infinity(), std::nan("")};
  small_matrix<double> in_table{.row_ptr = {0, 8}, .col = std::vector<std::int32_t>(8, 1), .val = odd};
  EXPECT_EQ(checked(in_table, 3).lut.size(), 8u);
  // As rare ones among 256 that come twice they stand in full.
  small_matrix<double> in_full = in_table;
  for (int k = 0; k < 512; ++k) {
    in_full.val.push_back(1 + k / 2);
    in_full.col.push_back(1);
  }
  in_full.row_ptr = {0, 520};
  const auto s = checked(in_full, 1024);
  for (const double each : odd) {
    for (const double entry : list(s.lut))
      EXPECT_NE(std::bit_cast<std::uint64_t>(each), std::bit_cast<std::uint64_t>(entry));
  }
  const float quiet_f32 = std::bit_cast<float>(0x7FC00077u);
  const float signalling_f32 = std::bit_cast<float>(0xFF800005u);
  checked(
      small_matrix<float>{
          .row_ptr = {0, 4}, .col = {0, 0, 0, 0}, .val = {-0.0f, quiet_f32, signalling_f32, 1e-45f}},
      2);
}

/// What stands behind the last chunk.
const bytes nothing_behind(64, 0);

/// The bytes of a chunk_uniform array: what is there, and zeros up to a multiple of 16.
bytes filled(bytes array) {
  array.resize((array.size() + 15) / 16 * 16);
  return array;
}

constexpr bccoo::options uniform(std::int64_t chunk = 1024) {
  return {.chunk = chunk, .codes = bccoo_codes::chunk_uniform};
}

TEST(bccoo_uniform, arrays_of_the_page) {
  const small_matrix<double> a{
      .row_ptr = {0, 2, 3, 3, 6}, .col = {0, 2, 1, 0, 2, 3}, .val = {4, 1, 3, 1, 4, 2}, .cols = 4};
  const auto s = checked_as(a, uniform(2), on_cuda);
  EXPECT_THAT(list(s.lut), ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(list(s.row), ElementsAre(0, 1, 3));
  EXPECT_THAT(list(s.format), ElementsAre(0x10, 0x10, 0x10));
  EXPECT_THAT(list(s.column), ElementsAre(0, 0, 2));
  EXPECT_THAT(list(s.offset), ElementsAre(0, 48, 96, 144));
  EXPECT_EQ(data_of(s), joined({filled({0, 0}), filled({0, 2}), filled({1, 0}),  //
                                filled({0, 2}), filled({1, 0}), filled({3, 0}),  //
                                filled({0, 0}), filled({0, 1}), filled({1, 2}), nothing_behind}));
}

/// The same on a CPU: a chunk in which one row ends says where, since that takes no more than the rows of its
/// two entries.
TEST(bccoo_uniform, ends_of_rows_on_a_cpu) {
  const small_matrix<double> a{
      .row_ptr = {0, 2, 3, 3, 6}, .col = {0, 2, 1, 0, 2, 3}, .val = {4, 1, 3, 1, 4, 2}, .cols = 4};
  const auto s = checked_as(a, uniform(2), on_cpu);
  EXPECT_THAT(list(s.format), ElementsAre(0x34, 0x10, 0x34));
  EXPECT_THAT(list(s.offset), ElementsAre(0, 48, 96, 144));
  EXPECT_EQ(data_of(s), joined({filled({2, 0}), filled({0, 2}), filled({1, 0}),  //
                                filled({0, 2}), filled({1, 0}), filled({3, 0}),  //
                                filled({2, 0}), filled({0, 1}), filled({1, 2}), nothing_behind}));
  const auto in_one = checked_as(a, uniform(), on_cpu);  // row 2 ends where row 1 does
  EXPECT_THAT(list(in_one.format), ElementsAre(0x10));   // 8 bytes of ends, 6 of rows
  const small_matrix<double> even{
      .row_ptr = {0, 3, 3, 6}, .col = {0, 2, 1, 0, 2, 3}, .val = {1, 1, 1, 1, 1, 1}, .cols = 4};
  const auto ends = checked_as(even, uniform(), on_cpu);
  EXPECT_THAT(list(ends.format), ElementsAre(0x34));
  EXPECT_EQ(data_of(ends), joined({filled({3, 0, 3, 0, 6, 0}), filled({0, 2, 1, 0, 2, 3}), filled({0}),  //
                                   nothing_behind}));
}

TEST(bccoo_uniform, ends_of_rows_beyond_65535_have_four_bytes) {
  const auto of_entries = [](int n) {
    const small_matrix<float> a{.row_ptr = {0, n, n},
                                .col = std::vector<std::int32_t>(static_cast<std::size_t>(n), 5),
                                .val = std::vector<float>(static_cast<std::size_t>(n), 1)};
    return checked_as(a, uniform(1 << 20), on_cpu);
  };
  const auto two = of_entries(65535);
  EXPECT_THAT(list(two.format), ElementsAre(0x34));
  EXPECT_EQ((bytes{two.data.data(), two.data.data() + 6}), (bytes{0xFF, 0xFF, 0xFF, 0xFF, 0, 0}));
  const auto four = of_entries(65536);
  EXPECT_THAT(list(four.format), ElementsAre(0x38));
  EXPECT_EQ((bytes{four.data.data(), four.data.data() + 8}), (bytes{0, 0, 1, 0, 0, 0, 1, 0}));
}

/// Three diagonals of nine rows, the values 1 to 25 in their order, which is that of the table too. In the
/// second tile is row 8 alone.
TEST(bccoo_uniform, diagonals_on_a_cpu) {
  small_matrix<double> a{.row_ptr = {0}, .col = {}, .val = {}, .cols = 9};
  for (int i = 0; i < 9; ++i) {
    for (int j = std::max(0, i - 1); j < std::min(9, i + 2); ++j) {
      a.col.push_back(j);
      a.val.push_back(static_cast<double>(a.col.size()));
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  }
  const auto s = checked_as(a, uniform(), on_cpu);
  EXPECT_THAT(list(s.format), ElementsAre(0x50));
  EXPECT_THAT(list(s.column), ElementsAre(-1));
  EXPECT_EQ(data_of(s), joined({{2, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0},
                                filled({2, 0, 1, 0, 0, 0, 2, 0}),
                                filled({1, 2, 0, 8, 9}),
                                filled({0xFE, 1, 1}),
                                filled({0, 3, 6, 9,  12, 15, 18, 21, 1, 4, 7, 10, 13, 16, 19, 22,  //
                                        2, 5, 8, 11, 14, 17, 20, 23, 24}),
                                nothing_behind}));
}

/// Columns that do not ascend in a row cannot be told from a diagonal's order: such a chunk stays as it is.
TEST(bccoo_uniform, only_ascending_columns_go_on_diagonals) {
  small_matrix<double> a{.row_ptr = {0}, .col = {}, .val = {}, .cols = 100};
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 3; ++j) a.col.push_back(i + j);
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  }
  a.val.assign(a.col.size(), 1.0);
  EXPECT_THAT(list(checked_as(a, uniform(), on_cpu).format), ElementsAre(0x50));
  std::swap(a.col[100], a.col[101]);
  EXPECT_THAT(list(checked_as(a, uniform(), on_cpu).format), ElementsAre(0x34));
  std::swap(a.col[100], a.col[101]);
  a.col[101] = a.col[100];  // a duplicate
  EXPECT_THAT(list(checked_as(a, uniform(), on_cpu).format), ElementsAre(0x34));
}

/// The diagonal of column 0 in a tile's third row begins at -2.
TEST(bccoo_uniform, diagonals_that_are_too_far_apart_are_none) {
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max() - 1;
  for (const std::int32_t before_last : {0, 2}) {
    small_matrix<double> a{.row_ptr = {0}, .col = {}, .val = {}, .cols = std::int64_t{last} + 1};
    for (int i = 0; i < 64; ++i) {
      if (i % 8 >= 2) a.col.push_back(i % 8 - 2);
      a.col.push_back(i % 8 + 99);
      if (i % 8 == 0) a.col.push_back(last - before_last);
      a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
    }
    a.val.assign(a.col.size(), 1.0);
    const unsigned format = list(checked_as(a, uniform(), on_cpu).format).front();
    EXPECT_EQ(format & bccoo_uniform::on_diagonals,
              before_last == 0 ? 0u : unsigned{bccoo_uniform::on_diagonals});
  }
}

/// Columns take what the difference of the largest from the smallest takes, in whatever order they stand.
TEST(bccoo_uniform, widths_of_columns) {
  const auto of_columns = [](std::vector<std::int32_t> col) {
    const small_matrix<double> a{.row_ptr = {0, static_cast<std::int64_t>(col.size())},
                                 .col = col,
                                 .val = std::vector(col.size(), 1.0)};
    return checked_as(a, uniform(), on_cuda);
  };
  const bytes zeros = filled({0});
  const auto one = of_columns({1000, 1255, 1001});
  EXPECT_THAT(list(one.format), ElementsAre(0x10));
  EXPECT_THAT(list(one.column), ElementsAre(1000));
  EXPECT_EQ(data_of(one), joined({zeros, filled({0, 255, 1}), zeros, nothing_behind}));
  const auto two = of_columns({1256, 1000});
  EXPECT_THAT(list(two.format), ElementsAre(0x11));
  EXPECT_EQ(data_of(two), joined({zeros, filled({0, 1, 0, 0}), zeros, nothing_behind}));
  EXPECT_EQ(data_of(of_columns({7, 65542})),
            joined({zeros, filled({0, 0, 0xFF, 0xFF}), zeros, nothing_behind}));
  const auto four = of_columns({7, 65543});
  EXPECT_THAT(list(four.format), ElementsAre(0x12));
  EXPECT_THAT(list(four.column), ElementsAre(7));
  EXPECT_EQ(data_of(four), joined({zeros, filled({0, 0, 0, 0, 0, 0, 1, 0}), zeros, nothing_behind}));
}

/// The escape: rows of a chunk that spans more than 255 rows stand in 2 bytes, beyond 65,535 in 4.
TEST(bccoo_uniform, widths_of_rows) {
  const auto of_rows = [](std::int64_t second) {  // entries in row 1 and in the one so many behind it
    small_matrix<double> a{.row_ptr = {0, 0}, .col = {3, 3}, .val = {1, 1}};
    a.row_ptr.resize(static_cast<std::size_t>(second) + 2, 1);
    a.row_ptr.push_back(2);
    a.row_ptr.push_back(2);
    return checked_as(a, uniform(), on_cuda);
  };
  const bytes zeros = filled({0});
  const auto one = of_rows(255);
  EXPECT_THAT(list(one.row), ElementsAre(1));
  EXPECT_THAT(list(one.format), ElementsAre(0x10));
  EXPECT_EQ(data_of(one), joined({filled({0, 255}), zeros, zeros, nothing_behind}));
  const auto two = of_rows(256);
  EXPECT_THAT(list(two.format), ElementsAre(0x14));
  EXPECT_EQ(data_of(two), joined({filled({0, 0, 0, 1}), zeros, zeros, nothing_behind}));
  EXPECT_THAT(list(of_rows(65535).format), ElementsAre(0x14));
  const auto four = of_rows(65536);
  EXPECT_THAT(list(four.format), ElementsAre(0x18));
  EXPECT_EQ(data_of(four), joined({filled({0, 0, 0, 0, 0, 0, 1, 0}), zeros, zeros, nothing_behind}));
}

/// One value that is not in the table, and its whole chunk stands in full; the next chunk is looked up.
TEST(bccoo_uniform, values_in_full_and_from_the_table) {
  small_matrix<double> a{.row_ptr = {0, 514}, .col = std::vector<std::int32_t>(514, 9), .val = {}};
  for (int k = 0; k < 514; ++k)
    a.val.push_back(1 + k / 2);  // 257 values, of which 257.0 has the largest bits
  const auto s = checked_as(a, uniform(512), on_cuda);
  EXPECT_THAT(list(s.format), ElementsAre(0x10, 0x00));
  EXPECT_THAT(list(s.offset), ElementsAre(0, 1536, 1584));
  const bytes data = data_of(s);
  EXPECT_EQ(bytes(data.begin() + 1024, data.begin() + 1030), (bytes{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(bytes(data.begin() + 1568, data.begin() + 1584), joined({literal(257.0), literal(257.0)}));
  small_matrix<float> narrow{.row_ptr = a.row_ptr, .col = a.col, .val = {a.val.begin(), a.val.end()}};
  EXPECT_EQ(checked_as(narrow, uniform(512), on_cuda).offset[2], 1536 + 48);
}

TEST(bccoo_uniform, tables_of_255_256_and_257_values) {
  for (const int distinct : {255, 256, 257}) {
    small_matrix<double> a{.row_ptr = {0, distinct},
                           .col = std::vector<std::int32_t>(static_cast<std::size_t>(distinct), 9),
                           .val = {}};
    bytes expected;
    for (int k = 0; k < distinct; ++k) {
      a.val.push_back(1 + k);
      expected = joined({expected, distinct <= 256 ? bytes{k} : literal(1.0 + k)});
    }
    const auto s = checked_as(a, uniform(), on_cuda);
    EXPECT_THAT(list(s.format), ElementsAre(distinct <= 256 ? 0x10 : 0x00));
    const bytes zeros = filled(bytes(static_cast<std::size_t>(distinct), 0));
    EXPECT_EQ(data_of(s), joined({zeros, zeros, filled(expected), nothing_behind})) << distinct;
  }
}

/// Chunks of two: row 2 is in three of them, rows without entries stand before, between and behind, and the
/// last chunk has one entry.
TEST(bccoo_uniform, empty_rows_and_a_row_over_many_chunks) {
  const small_matrix<double> a{
      .row_ptr = {0, 0, 0, 5, 5, 5, 6, 7, 7}, .col = {3, 4, 5, 6, 7, 0, 9}, .val = {1, 1, 1, 1, 1, 1, 1}};
  const auto s = checked(a, 2);
  const auto numbers = checked_as(a, uniform(2), on_cuda);
  EXPECT_EQ(s.row.size(), 4u);
  EXPECT_THAT(list(numbers.row), ElementsAre(2, 2, 2, 6));
  EXPECT_THAT(list(numbers.column), ElementsAre(3, 5, 0, 9));
  EXPECT_THAT(list(numbers.format), ElementsAre(0x10, 0x10, 0x10, 0x10));
  EXPECT_THAT(list(numbers.offset), ElementsAre(0, 48, 96, 144, 192));
  EXPECT_EQ(data_of(numbers), joined({filled({0, 0}), filled({0, 1}), filled({0}),  //
                                      filled({0, 0}), filled({0, 1}), filled({0}),  //
                                      filled({0, 3}), filled({7, 0}), filled({0}),  //
                                      filled({0}), filled({0}), filled({0}), nothing_behind}));
  EXPECT_THAT(list(numbers.carries.row), ElementsAre(2));
  EXPECT_THAT(list(numbers.carries.first), ElementsAre(1));
  EXPECT_THAT(list(numbers.carries.last), ElementsAre(5));
}

/// Rows of whole numbers of which only every row_step-th has entries, and one 5000.
template <class V>
struct whole_numbers {
  small_matrix<V> a;
  std::vector<V> x;
  std::vector<V> expected;  ///< A x
};

template <class V>
whole_numbers<V> make_whole_numbers(std::int64_t rows, std::int64_t row_step, std::int32_t cols, int values) {
  whole_numbers<V> made{.a = {.row_ptr = {0}, .col = {}, .val = {}, .cols = cols}, .x = {}, .expected = {}};
  auto& [a, x, expected] = made;
  std::mt19937 random(static_cast<unsigned>(rows + cols + values));
  for (std::int64_t i = 0; i < rows; ++i) {
    std::uint64_t length = 0;
    if (i % row_step == 0) length = i == 5 * row_step ? 5000 : random() % 23;
    for (std::uint64_t k = 0; k < length; ++k) {
      a.col.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(cols)));
      a.val.push_back(static_cast<V>(1 + random() % static_cast<unsigned>(values)));
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  }
  x.resize(static_cast<std::size_t>(cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<V>(j % 5);
  expected.resize(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      expected[i] += a.val[k] * x[static_cast<std::size_t>(a.col[k])];
  return made;
}

/// So that every sum is exact: rows, columns and values of every width, at every instruction set.
template <class V>
void multiplies_exactly(std::int64_t rows, std::int64_t row_step, std::int32_t cols, int values) {
  const auto [a, x, expected] = make_whole_numbers<V>(rows, row_step, cols, values);
  for (const char* const chunk : {"70", "1024", "3000", "1048576"}) {
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      if (!runs_here(level)) continue;
      for (const char* const codes : {"chunk_uniform", "chunk_published"}) {
        const auto plan = inspect(a.view(), cpu{.threads = 2, .level = level},
                                  {.format = "bccoo", .options = {{"chunk", chunk}, {"codes", codes}}});
        auto y = poisoned<V>(rows);
        plan.multiply(V{1}, x, V{0}, y);
        EXPECT_EQ(y, expected) << plan.describe() << " rows " << rows << " cols " << cols;
      }
    }
  }
}

TEST(bccoo_uniform, multiplies_exactly_in_every_width) {
  for (const std::int64_t row_step : {1, 40, 90})
    for (const std::int32_t cols : {200, 60000, 1000000})
      for (const int values : {2, 3, 8, 9, 16, 17, 1000}) {
        multiplies_exactly<double>(2000 * row_step, row_step, cols, values);
        multiplies_exactly<float>(2000 * row_step, row_step, cols, values);
      }
}

/// Eight rows with three to five neighbouring columns each, here and there one less, and after them some
/// without entries.
template <class V>
whole_numbers<V> make_diagonals(std::int64_t rows, int apart, int values) {
  const auto cols = static_cast<std::int32_t>(apart * 4 + rows);
  whole_numbers<V> made{.a = {.row_ptr = {0}, .col = {}, .val = {}, .cols = cols}, .x = {}, .expected = {}};
  auto& [a, x, expected] = made;
  std::mt19937 random(static_cast<unsigned>(rows + apart + values));
  x.resize(static_cast<std::size_t>(cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<V>(j % 5);
  for (std::int64_t i = 0; i < rows; ++i) {
    expected.push_back(0);
    for (int d = 0; d < 5 && i % 50 < 45; ++d) {
      if (random() % 8 == 0 || (d >= 3 && i % 40 < 16)) continue;
      a.col.push_back(static_cast<std::int32_t>(i) + d * apart);
      a.val.push_back(static_cast<V>(1 + random() % static_cast<unsigned>(values)));
      expected.back() += a.val.back() * x[static_cast<std::size_t>(a.col.back())];
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  }
  return made;
}

template <class V>
void multiplies_diagonals_exactly(std::int64_t rows, int apart, int values) {
  auto [a, x, expected] = make_diagonals<V>(rows, apart, values);
  // What no row has, between two diagonals and past them, must not reach any.
  const std::vector<V> given = x;
  for (const char* const chunk : {"70", "1024", "3000", "1048576"}) {
    const auto s = bccoo::build(a.view(), uniform(std::atoi(chunk)), on_cpu);
    EXPECT_GT(std::count_if(s.format.data(), s.format.data() + s.format.size(),
                            [](std::uint8_t f) { return (f & bccoo_uniform::on_diagonals) != 0; }),
              0);
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      if (!runs_here(level)) continue;
      const auto plan =
          inspect(a.view(), cpu{.threads = 2, .level = level},
                  {.format = "bccoo", .options = {{"chunk", chunk}, {"codes", "chunk_uniform"}}});
      auto y = poisoned<V>(rows);
      plan.multiply(V{1}, x, V{0}, y);
      EXPECT_EQ(y, expected) << plan.describe() << " values " << values << " apart " << apart;
      // Infinity reaches the rows that have its column and no other.
      const std::int32_t wild = a.col[a.col.size() / 2];
      x[static_cast<std::size_t>(wild)] = std::numeric_limits<V>::infinity();
      plan.multiply(V{1}, x, V{0}, y);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const auto* const begin = a.col.data() + a.row_ptr[i];
        const auto* const end = a.col.data() + a.row_ptr[i + 1];
        EXPECT_EQ(y[i],
                  std::find(begin, end, wild) == end ? expected[i] : std::numeric_limits<V>::infinity());
      }
      x = given;
    }
  }
}

TEST(bccoo_uniform, multiplies_diagonals_exactly) {
  for (const std::int64_t rows : {100, 2001})
    for (const int apart : {1, 300, 20000})
      for (const int values : {1, 3, 8, 9, 16, 17, 1000}) {
        multiplies_diagonals_exactly<double>(rows, apart, values);
        multiplies_diagonals_exactly<float>(rows, apart, values);
      }
}

template <class V>
void multiplies_exactly_on_cuda(std::int64_t rows, std::int64_t row_step, std::int32_t cols, int values) {
  const auto [a, x, expected] = make_whole_numbers<V>(rows, row_step, cols, values);
  for (const char* const chunk : {"70", "1024", "3000", "1048576"}) {
    for (const char* const accumulate : {"ordered", "atomic"}) {
      for (const char* const entries : {"2", "4", "8"}) {
        for (const char* const format : {"bcoo", "bccoo"}) {
          const option_texts options{
              {"chunk", chunk}, {"accumulate", accumulate}, {"entries_per_thread", entries}};
          const auto plan = inspect(a.view(), cuda{0}, {.format = format, .options = options});
          for (const double beta : {0.0, 2.0}) {
            auto y = beta == 0 ? poisoned<V>(rows) : expected;
            plan.multiply(V{1}, x, static_cast<V>(beta), y);
            auto times = expected;
            for (V& each : times) each *= static_cast<V>(1 + beta);
            EXPECT_EQ(y, times) << plan.describe() << " beta " << beta << " cols " << cols;
          }
        }
      }
    }
  }
}

/// Gaps of 39 and 89 empty rows are longer than one thread writes.
TEST(bccoo_uniform, multiplies_exactly_in_every_width_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  for (const std::int64_t row_step : {1, 20, 40, 90})
    for (const std::int32_t cols : {200, 60000, 1000000})
      for (const int values : {1, 3, 1000}) {
        multiplies_exactly_on_cuda<double>(2000 * row_step, row_step, cols, values);
        multiplies_exactly_on_cuda<float>(2000 * row_step, row_step, cols, values);
      }
}

/// What stands in lanes that a row does not fill must not meet the value: infinity times nothing is not a
/// number.
TEST(bccoo_uniform, one_infinite_value) {
  const double inf = std::numeric_limits<double>::infinity();
  const small_matrix<double> a{.row_ptr = {0, 2, 2, 3}, .col = {0, 2, 1}, .val = {inf, inf, inf}, .cols = 3};
  const std::vector<double> x{1, 10, 100};
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    std::vector<double> y(3);
    inspect(a.view(), cpu{.threads = 1, .level = level},
            {.format = "bccoo", .options = {{"codes", "chunk_uniform"}}})
        .multiply(1.0, x, 0.0, y);
    EXPECT_THAT(y, ElementsAre(inf, 0, inf)) << name(level);
  }
}

/// By frequency, and by bit pattern among the equally frequent: 1 < 2 as numbers and as bits, but -1 comes
/// after both.
TEST(frequent_values, stand_in_a_fixed_order) {
  const std::vector<double> values{3, -1, 2, 3, 1, -1, 2, 3, 1, 7};
  EXPECT_THAT(frequent_values<double>(values, 256), ElementsAre(3, 1, 2, -1, 7));
  EXPECT_THAT(frequent_values<double>(values, 3), ElementsAre(3, 1, 2));
  EXPECT_THAT(frequent_values<double>({}, 256), ElementsAre());
}

/// Beside a count by a map: few different values, all different, and some frequent among many rare ones; more
/// than a part's table holds, several parts, several buckets.
TEST(frequent_values, agree_with_a_plain_count) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {std::size_t{10}, std::size_t{3000}, std::size_t{300000}}) {
    for (const int kind : {0, 1, 2, 3}) {
      std::vector<double> values(size);
      for (double& each : values) {
        const auto draw = random();
        if (kind == 0)
          each = static_cast<double>(draw % 300);
        else if (kind == 1 || (kind == 2 && draw % 2 == 0))
          each = static_cast<double>(random() >> 11);
        else
          each = std::floor(std::sqrt(static_cast<double>(draw % 20000000))) / 8;
      }
      std::map<std::uint64_t, std::int64_t> count;
      for (const double each : values) ++count[std::bit_cast<std::uint64_t>(each)];
      std::vector<std::pair<std::int64_t, std::uint64_t>> order;
      for (const auto& [pattern, times] : count) order.emplace_back(-times, pattern);
      std::sort(order.begin(), order.end());
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < std::min<std::size_t>(256, order.size()); ++i)
        expected.push_back(order[i].second);
      std::vector<std::uint64_t> got;
      for (const double each : frequent_values<double>(values, 256))
        got.push_back(std::bit_cast<std::uint64_t>(each));
      EXPECT_EQ(got, expected) << size << " values of kind " << kind;
    }
  }
}

/// The more frequent first, of equally frequent ones the first; what is not finite is none of them, and -0.0
/// is not 0.0.
TEST(tabulate, counts_all_of_a_few_values) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{3, -1, nan, 2, 0.0, 3, 1, -1, 2, -0.0, 3, 1, 7};
  const value_table<double> all = tabulate<double>(values, 256);
  EXPECT_THAT(all.values, ElementsAre(3, -1, 2, 1, 0, 0, 7));
  EXPECT_FALSE(std::signbit(all.values[4]));
  EXPECT_TRUE(std::signbit(all.values[5]));
  EXPECT_TRUE(all.holds_all);
  EXPECT_TRUE(tabulate<double>(values, 7).holds_all);
  EXPECT_THAT(tabulate<double>(values, 3).values, ElementsAre(3, -1, 2));
  EXPECT_FALSE(tabulate<double>(values, 3).holds_all);
  EXPECT_THAT(tabulate<double>({}, 256).values, ElementsAre());
  EXPECT_TRUE(tabulate<double>({}, 256).holds_all);
}

/// Of many values a sample's, and what it missed only where all of that finds room; the same for any number
/// of threads. What of a sample falls into a part of each period is that part, whatever the period (4.5
/// standard deviations at most): rows repeat at any distance.
TEST(sampled_place, meets_no_period) {
  std::mt19937_64 random(5);
  for (const auto& [samples, tolerance] :
       {std::pair{std::int64_t{1024}, 0.07}, std::pair{sampled_values, 0.0125}})
    for (int n = 0; n < (samples < sampled_values ? 4000 : 400); ++n) {
      const auto size = static_cast<std::int64_t>(samples + random() % 50'000'000);
      const auto period = static_cast<std::int64_t>(2 + random() % 300);
      const auto part = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(period - 1));
      std::int64_t inside = 0;
      for (std::int64_t k = 0; k < samples; ++k)
        inside += sampled_place(k, size, samples) % period < part ? 1 : 0;
      EXPECT_NEAR(static_cast<double>(inside) / static_cast<double>(samples),
                  static_cast<double>(part) / static_cast<double>(period), tolerance)
          << samples << " of " << size << ", " << part << " of " << period;
    }
}

TEST(most_in_table, is_no_less_than_a_table_holds) {
  const auto of = [](auto&& value_of, std::size_t size) {
    std::vector<double> values(size);
    for (std::size_t k = 0; k < size; ++k) values[k] = value_of(k);
    return most_in_table<double>(values, 256);
  };
  const auto different = [](std::size_t k) { return static_cast<double>(k); };
  EXPECT_EQ(of(different, 0), 1);
  EXPECT_EQ(of(different, 200), 1);
  EXPECT_EQ(of(different, 1024), 0.25);
  for (const std::size_t size : {std::size_t{1024}, std::size_t{500'000}}) {
    EXPECT_EQ(of([](std::size_t) { return 5.0; }, size), 1);
    EXPECT_EQ(of([](std::size_t) { return std::nan(""); }, size), 1) << "an exact table may hold them";
    const double half = of([](std::size_t k) { return k % 2 == 0 ? 5.0 : static_cast<double>(k); }, size);
    EXPECT_GE(half, 0.5);
    EXPECT_LE(half, size > 1024 ? 0.53 : 0.75);
  }
  EXPECT_LT(of(different, 500'000), 0.02);
}

TEST(tabulate, samples_many_values) {
  constexpr std::size_t many = 64 * static_cast<std::size_t>(sampled_values);
  std::vector<double> values(many);
  for (std::size_t k = 0; k < many; ++k) values[k] = k % 3 == 0 ? 5 : static_cast<double>(k % 40);
  const auto sampled = [&](std::size_t at) {
    for (std::int64_t k = 0; k < sampled_values; ++k)
      if (static_cast<std::size_t>(sampled_place(k, static_cast<std::int64_t>(many))) == at) return true;
    return false;
  };
  EXPECT_EQ(tabulate<double>(values, 40).values.size(), 40u);
  EXPECT_EQ(tabulate<double>(values, 40).values.front(), 5);
  EXPECT_TRUE(tabulate<double>(values, 40).holds_all);
  EXPECT_FALSE(tabulate<double>(values, 39).holds_all);
  std::vector<std::size_t> rare;
  for (std::size_t k = 100; rare.size() < 10; ++k)
    if (!sampled(k)) rare.push_back(k);
  for (const std::size_t at : rare) values[at] = 1000 - static_cast<double>(at);
  const value_table<double> room_for_all = tabulate<double>(values, 50);
  EXPECT_TRUE(room_for_all.holds_all);
  ASSERT_EQ(room_for_all.values.size(), 50u);
  std::vector<double> last(room_for_all.values.end() - 10, room_for_all.values.end());
  EXPECT_TRUE(std::is_sorted(last.begin(), last.end()));
  EXPECT_EQ(last.back(), 1000 - static_cast<double>(rare.front()));
  const value_table<double> too_few = tabulate<double>(values, 49);
  EXPECT_FALSE(too_few.holds_all);
  EXPECT_EQ(too_few.values.size(), 40u) << "none of those that were missed, since not all have room";
  for (std::size_t k = 0; k < many; ++k) values[k] = k % 100 == 0 ? 1.0 : 2.0 + static_cast<double>(k);
  const value_table<double> of_different = tabulate<double>(values, 256);
  EXPECT_FALSE(of_different.holds_all);
  EXPECT_EQ(of_different.values.size(), 256u);
  EXPECT_EQ(of_different.values.front(), 1.0);
}

/// Ties go to the value that is sampled first, whichever thread counts it.
TEST(tabulate, is_the_same_for_any_number_of_threads) {
  std::vector<double> values(100'000);
  for (const std::int64_t different : {3, 300, 5000, 100'000}) {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = std::sin(static_cast<double>((k * 7919) % static_cast<std::size_t>(different)));
    const auto by = [&](int threads) {
      const thread_limit limit(threads);
      return tabulate<double>(values, 256);
    };
    const value_table<double> one = by(1);
    EXPECT_EQ(one.holds_all, different < 256);
    for (const int threads : {2, 7, 16}) {
      EXPECT_EQ(by(threads).values, one.values) << different << " values, " << threads << " threads";
      EXPECT_EQ(by(threads).holds_all, one.holds_all);
    }
  }
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  std::vector<double> first;
  for (std::int64_t k = 0; k < 256; ++k)
    first.push_back(static_cast<double>(sampled_place(k, static_cast<std::int64_t>(values.size()))));
  const thread_limit limit(7);
  EXPECT_EQ(tabulate<double>(values, 256).values, first) << "none is met twice";
}

template <class V>
small_matrix<V> copied(const csr_matrix<V, std::int64_t>& a) {
  return {.row_ptr = list(a.row_ptr), .col = list(a.col), .val = list(a.val), .cols = a.cols};
}

TEST(bccoo, gives_the_gallery_back) {
  for (const bench_support::matrix_set_member& each : bench_support::find_matrix_set("gallery").members) {
    SCOPED_TRACE(each.specification);
    checked(copied(bench_support::generate<double>(each.specification)), papers_chunk);
    checked(copied(bench_support::generate<float>(each.specification)), papers_chunk);
  }
}

/// Every third value is one that arithmetic would not keep: -0.0, a denormal, a NaN of either kind. Those of
/// the first half are few and frequent, in the second nearly all differ.
template <class V>
small_matrix<V> with_odd_values(small_matrix<V> a) {
  using bits = bits_of_value<V>;
  const auto sign = std::bit_cast<bits>(-V{0});
  const auto infinite = std::bit_cast<bits>(std::numeric_limits<V>::infinity());
  const auto quiet = std::bit_cast<bits>(std::numeric_limits<V>::quiet_NaN());
  for (std::size_t k = 0; k < a.val.size(); k += 3) {
    const auto payload = static_cast<bits>(1 + (k < a.val.size() / 2 ? k % 4 : k % (1 << 21)));
    const bits patterns[] = {sign, payload, static_cast<bits>(sign | payload),
                             static_cast<bits>(quiet | payload),
                             static_cast<bits>(sign | infinite | payload)};
    a.val[k] = std::bit_cast<V>(patterns[k / 3 % std::size(patterns)]);
  }
  return a;
}

TEST(bccoo, gives_the_gallery_back_with_odd_values) {
  for (const bench_support::matrix_set_member& each : bench_support::find_matrix_set("gallery").members) {
    SCOPED_TRACE(each.specification);
    checked(with_odd_values(copied(bench_support::generate<double>(each.specification))), papers_chunk);
    checked(with_odd_values(copied(bench_support::generate<float>(each.specification))), papers_chunk);
  }
}

/// What stands for the widths of all other tests that go over the battery: the tools that look at every
/// access of a GPU's kernels see this matrix.
TEST(bccoo, the_battery_has_numbers_of_every_width) {
  const auto& all = testing_support::battery();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const auto& each) { return each.name == "numbers_of_every_width"; });
  ASSERT_NE(found, all.end());
  const auto a = copied(found->matrix);
  const auto by_default = [](const exec::target& target, bccoo_codes codes) {
    return bccoo::resolve({.codes = codes}, {}, target);
  };
  const std::vector<int> of_1024{0x10, 0x10, 0x00, 0x00, 0x15, 0x15, 0x05,
                                 0x05, 0x12, 0x12, 0x0A, 0x02, 0x10};
  EXPECT_THAT(list(checked_as(a, by_default(on_cuda, bccoo_codes::automatic), on_cuda).format),
              ElementsAreArray(of_1024));
  EXPECT_THAT(list(checked_as(a, by_default(on_cpu, bccoo_codes::chunk_published), on_cpu).format),
              ElementsAreArray(of_1024));
  EXPECT_THAT(list(checked_as(a, by_default(on_cpu, bccoo_codes::chunk_uniform), on_cpu).format),
              ElementsAre(0x24, 0x05, 0x0A, 0x10));
  // With few values, as in tests of whole numbers.
  auto whole = a;
  for (std::size_t k = 0; k < whole.val.size(); ++k) whole.val[k] = static_cast<double>(k % 10);
  std::vector<int> looked_up = of_1024;
  for (int& each : looked_up) each |= 0x10;
  EXPECT_THAT(list(checked_as(whole, uniform(), on_cuda).format), ElementsAreArray(looked_up));
  EXPECT_THAT(list(checked_as(whole, by_default(on_cpu, bccoo_codes::chunk_uniform), on_cpu).format),
              ElementsAre(0x34, 0x15, 0x1A, 0x10));
  // Tuples: by the bytes of the column, and whether the value is in the table.
  const auto tuples = checked_as(a, by_default(on_cpu, bccoo_codes::tuples), on_cpu);
  std::map<std::pair<int, bool>, std::int64_t> count;
  for (std::size_t at = 0; at < tuples.data.size();) {
    const int code = tuples.data[at] & 0x7F;
    const bool in_table = (tuples.data[at] & 0x80) != 0;
    const int column = code == 0x7D ? 2 : code == 0x7E ? 4 : 0;
    if (code != 0x7F) ++count[{column, in_table}];
    at += code == 0x7F ? 1 : static_cast<std::size_t>(1 + column + (in_table ? 1 : 8));
  }
  std::int64_t entries = 0;
  for (const int column : {0, 2, 4}) {
    for (const bool in_table : {false, true}) {
      EXPECT_GT((count[{column, in_table}]), 100) << column << " " << in_table;
      entries += count[{column, in_table}];
    }
  }
  EXPECT_EQ(entries, a.view().nnz());
}

TEST(bccoo, chunks_of_every_length_give_the_matrix_back) {
  for (const auto& entry : testing_support::battery()) {
    SCOPED_TRACE(entry.name);
    if (entry.matrix.nnz() > 20000) continue;
    for (const std::int64_t chunk : {1, 2, 3, 7, 64, 1000, 1024}) checked(copied(entry.matrix), chunk);
  }
}

/// f(name, matrix) of each real matrix in the folder that GOSSAMER_MATRICES names.
template <class F>
void for_each_real_matrix(F&& f) {
  const char* const folder = std::getenv("GOSSAMER_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "GOSSAMER_MATRICES is not set, so no real matrices were read";
  int taken = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".gz" && file.path().extension() != ".mtx") continue;
    SCOPED_TRACE(file.path().filename());
    csr_matrix<double, std::int64_t> read;
    try {
      read = read_matrix_market<double>(file.path()).matrix;
    } catch (const error& problem) {
      ASSERT_EQ(problem.code(), errc::unsupported) << problem.what();  // complex
      continue;
    }
    f(file.path().filename().string(), read);
    ++taken;
  }
  EXPECT_GT(taken, 0);
  std::printf("%d real matrices\n", taken);
}

/// Smaller ones carry the table: what they take is printed.
TEST(bccoo, gives_real_matrices_back_in_no_more_bytes_than_csr) {
  for_each_real_matrix([](const std::string& name, const csr_matrix<double, std::int64_t>& read) {
    const auto s = checked(copied(read), papers_chunk);
    std::int64_t held = 0;
    bccoo_storage<double, host_buffer>::arrays(s, [&](const char*, const auto& array) {
      held += static_cast<std::int64_t>(array.span().size_bytes());
    });
    const std::int64_t of_csr = read.nnz() * 12 + (read.rows + 1) * 4;
    if (read.nnz() >= 2000)
      EXPECT_LE(held, of_csr);
    else if (held > of_csr)
      std::printf("%s: %lld nonzeros, %lld bytes, csr %lld\n", name.c_str(),
                  static_cast<long long>(read.nnz()), static_cast<long long>(held),
                  static_cast<long long>(of_csr));
  });
}

TEST(bccoo, gives_real_matrices_back_with_odd_values) {
  for_each_real_matrix([](const std::string&, const csr_matrix<double, std::int64_t>& read) {
    checked(with_odd_values(copied(read)), papers_chunk);
  });
}

std::string what(const std::function<void()>& f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(bccoo, each_device_has_its_coding) {
  EXPECT_EQ(bccoo::resolve({}, {}, on_cpu).codes, bccoo_codes::tuples);
  EXPECT_EQ(bccoo::resolve({}, {}, on_cuda).codes, bccoo_codes::chunk_uniform);
  EXPECT_EQ(bccoo::resolve({}, {}, on_cpu).chunk, 1024);
  EXPECT_EQ(bccoo::resolve({}, {}, on_cuda).chunk, 1024);
  EXPECT_EQ(bccoo::resolve({.codes = bccoo_codes::chunk_uniform}, {}, on_cpu).chunk, 4096);
  EXPECT_EQ(bccoo::resolve({.codes = bccoo_codes::chunk_published}, {}, on_cpu).chunk, 1024);
  const auto parse = [](const char* option, const char* value, device_set kind) {
    return what([&] { formats::parse_options<bccoo>({{option, value}}, kind); });
  };
  EXPECT_EQ(parse("codes", "tuples", device_set::cuda),
            "unsupported: bccoo: option codes = tuples exists on cpu only");
  EXPECT_EQ(parse("codes", "chunk_uniform", device_set::cuda), "nothing");
  EXPECT_EQ(parse("codes", "chunk_published", device_set::cuda),
            "unsupported: bccoo: option codes = chunk_published exists on cpu only");
  EXPECT_EQ(parse("accumulate", "ordered", device_set::cpu),
            "unsupported: bccoo: option accumulate exists on cuda only");
  EXPECT_EQ(parse("entries_per_thread", "2", device_set::cpu),
            "unsupported: bccoo: option entries_per_thread exists on cuda only");
  EXPECT_EQ(what([] { bccoo::resolve({.entries_per_thread = 3}, {}, on_cuda); }),
            "bccoo: option entries_per_thread = \"3\" is not 2, 4 or 8");
  EXPECT_EQ(parse("entries_per_thread", "8", device_set::cuda), "nothing");
  EXPECT_NE(parse("entries_per_thread", "9", device_set::cuda), "nothing");
  EXPECT_EQ(bccoo::options{}.entries_per_thread, 8);
}

/// Without slots there is nothing to list. Long gaps between rows are not written by one thread.
TEST(bccoo, gpu_work_follows_the_encoding) {
  const small_matrix<double> a{
      .row_ptr = {0, 2, 3, 3, 6}, .col = {0, 2, 1, 0, 2, 3}, .val = {4, 1, 3, 1, 4, 2}, .cols = 4};
  bccoo::options o = uniform(2);
  const auto ordered = bccoo::build(a.view(), o, on_cuda);
  EXPECT_TRUE(ordered.meta.carries.apart);
  EXPECT_FALSE(ordered.meta.device.adds);
  EXPECT_THAT(list(ordered.carries.row), ElementsAre(3));
  o.accumulate = chunk_accumulate::atomic;
  const auto atomic = bccoo::build(a.view(), o, on_cuda);
  EXPECT_TRUE(atomic.meta.device.adds);
  EXPECT_EQ(atomic.carries.run_at_cut.size(), 0u);
  const auto size = [&](const bccoo::options& each) {
    return bccoo::measure(a.view(), measure_rows(a.view()), each, on_cuda).bytes;
  };
  EXPECT_EQ(size(uniform(2)) - size(o), 4 * 4 + 20);
  for (const auto& [empty, adds] : {std::pair{32, false}, {33, true}}) {
    small_matrix<double> gap{.row_ptr = {0, 1}, .col = {0, 1}, .val = {1, 2}, .cols = 2};
    gap.row_ptr.insert(gap.row_ptr.end(), static_cast<std::size_t>(empty), 1);
    gap.row_ptr.push_back(2);
    EXPECT_EQ(bccoo::build(gap.view(), uniform(), on_cuda).meta.device.adds, adds) << empty;
  }
}

TEST(bccoo, refuses_more_chunks_than_can_be_numbered) {
  const csr_view<float, std::int64_t> a{.rows = 1, .cols = 9, .row_ptr = {}, .col = {}, .val = {}};
  const row_statistics s{.rows = 1, .cols = 9, .nnz = std::int64_t{3} << 30};
  const footprint refused = bccoo::measure(a, s, {.chunk = 1}, on_cpu);
  EXPECT_THAT(refused.refusal, HasSubstr("3221225472 chunks of 1; there may be 2147483647"));
  EXPECT_FALSE(refused.exact);
  EXPECT_GE(refused.bytes, s.nnz * 9);
}

/// New values move in and out of the table, which changes the bytes; the rows that chunks share stay.
void updated_values_are_reencoded(const resource& where) {
  const auto a = bench_support::generate<double>("power_law(rows=3000,mean=9)");
  auto plan =
      inspect(a.view(), where, {.format = "bccoo", .options = {{"chunk", "100"}}, .values_change = true});
  const std::int64_t before = plan.bytes();
  EXPECT_EQ(plan.slots(), a.nnz());
  const std::vector<double> twos(static_cast<std::size_t>(a.nnz()), 2.0);
  plan.update_values(twos);
  EXPECT_LT(plan.bytes(), before);
  const csr_view<double, std::int64_t> changed{
      .rows = a.rows, .cols = a.cols, .row_ptr = a.row_ptr.span(), .col = a.col.span(), .val = twos};
  EXPECT_EQ(plan.bytes(), forecast(changed, measure_rows(changed), "bccoo", {{"chunk", "100"}}, where).bytes);
  const auto x = random_vector<double>(a.cols, 3);
  auto y = poisoned<double>(a.rows);
  plan.multiply(1.0, x, 0.0, y);
  EXPECT_TRUE((bench_support::verify<double, std::int64_t>(changed, 1.0, x, 0.0, {}, y).passed()));
}

TEST(bccoo, updated_values_are_reencoded) {
  updated_values_are_reencoded(cpu{.threads = 2});
}

TEST(bccoo, updated_values_are_reencoded_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  EXPECT_EQ(find_format("bccoo").reencodes, device_set::both);
  updated_values_are_reencoded(cuda{0});
}

}  // namespace
}  // namespace gossamer::formats
