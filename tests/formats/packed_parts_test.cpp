// SPDX-License-Identifier: BSD-3-Clause
// packed: rows whose parts several warps have and one of them adds up, and what is asked for before it is needed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "formats/packed/asks.hpp"
#include "formats/packed/format.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/measure.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats {
namespace {

using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::same_bits;

constexpr std::int64_t part = 256;
const option_texts in_parts{{"longest_part", std::to_string(part)}};

/// Rows of so many parts each, whose entry k is value(row, k); the columns are 0, 1, ...
template <value V, class Value>
csr_matrix<V, std::int64_t> rows_of_parts(const std::vector<std::int64_t>& parts, Value&& value) {
  std::vector<std::int64_t> row_ptr{0};
  for (const std::int64_t n : parts) row_ptr.push_back(row_ptr.back() + n * part);
  const std::int64_t nnz = row_ptr.back();
  csr_matrix<V, std::int64_t> a{.rows = static_cast<std::int64_t>(parts.size()),
                                .cols = 100 * part,
                                .row_ptr = host_buffer<std::int64_t>(row_ptr.size()),
                                .col = host_buffer<std::int32_t>(static_cast<std::size_t>(nnz)),
                                .val = host_buffer<V>(static_cast<std::size_t>(nnz))};
  std::copy(row_ptr.begin(), row_ptr.end(), a.row_ptr.data());
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (std::int64_t k = 0; k < parts[static_cast<std::size_t>(r)] * part; ++k) {
      a.col.data()[a.row_ptr.data()[r] + k] = static_cast<std::int32_t>(k);
      a.val.data()[a.row_ptr.data()[r] + k] = static_cast<V>(value(r, k));
    }
  return a;
}

TEST(packed_parts, say_which_cut_row_they_are_of) {
  const auto a =
      rows_of_parts<double>({1, 3, 2, 70, 1, 5}, [](std::int64_t, std::int64_t k) { return 1 + k % 7; });
  const exec::target on_cuda{.kind = device_set::cuda, .compute_capability = 90};
  const row_statistics statistics = measure_rows(a.view());
  const auto s =
      packed::build(a.view(), packed::resolve({.longest_part = part}, statistics, on_cuda), on_cuda);
  ASSERT_EQ(s.carries.row.size(), 4u);
  std::int64_t parts = 0;
  for (const packed_slice& each : s.slice.span()) {
    if (!each.is_part()) continue;
    ++parts;
    ASSERT_LT(each.masks, s.carries.row.size());
    EXPECT_GE(each.row, s.carries.first[each.masks]);
    EXPECT_LT(each.row, s.carries.last[each.masks]);
  }
  EXPECT_EQ(parts, 3 + 2 + 70 + 5);
  EXPECT_FALSE(s.meta.carries.apart) << "the kernel adds them up itself";
}

/// A slot counts as empty while it is zero, so sums that are zeros are what could be waited for forever; and each product has to leave all of
/// them empty for the next.
template <value V>
void expect_any_sum_to_be_added() {
  constexpr V infinity = std::numeric_limits<V>::infinity();
  // Of two: one after another of the first three is nothing but zeros, sums that cancel, negative zeros, denormals, Inf, NaN; the rest is what it is.
  const auto value = [&](std::int64_t r, std::int64_t k) -> V {
    const std::int64_t p = k / part;
    const V sign = k % 2 == 0 ? V{1} : V{-1};
    if (r == 0) return V{0};
    if (r == 1) return p == 1 ? V{0} : sign * V(0.5);
    if (r == 2) return p == 0 ? -V{0} : V(0.25);
    if (r == 3) return p == 2 ? std::numeric_limits<V>::denorm_min() : V{0};
    if (r == 4) return k == 3 * part + 5 ? infinity : V{1};
    if (r == 5) return k == 5 ? std::numeric_limits<V>::quiet_NaN() : V{0};
    return sign * static_cast<V>(1 + k % 11);
  };
  const auto a = rows_of_parts<V>({3, 33, 2, 4, 5, 3, 64, 65, 7}, value);
  const auto x = std::vector<V>(static_cast<std::size_t>(a.cols), V{1});
  const auto before = random_vector<V>(a.rows, 3);
  for (const char* const warps : {"1", "4"}) {
    SCOPED_TRACE(warps);
    option_texts options = in_parts;
    options.push_back({"warps_per_slice", warps});
    const auto plan = inspect(a.view(), cuda{0}, {.format = "packed", .options = options});
    std::vector<V> first;
    for (int product = 0; product < 50; ++product) {
      auto y = poisoned<V>(a.rows);
      plan.multiply(V{1}, x, V{0}, y);
      if (first.empty()) first = y;
      ASSERT_TRUE(same_bits(y, first)) << product;
    }
    EXPECT_TRUE((verify<V, std::int64_t>(a.view(), V{1}, x, V{0}, {}, first).right()));
    EXPECT_EQ(first[0], V{0});
    EXPECT_FALSE(std::signbit(first[0]));
    EXPECT_EQ(first[4], infinity);
    EXPECT_TRUE(std::isnan(first[5]));
    auto y = before;
    plan.multiply(V{2}, x, V{-1}, y);
    EXPECT_TRUE((verify<V, std::int64_t>(a.view(), V{2}, x, V{-1}, before, y).right()));
  }
}
TEST(packed_parts, may_have_any_sum_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_any_sum_to_be_added<double>();
  expect_any_sum_to_be_added<float>();
}

/// More blocks than a device takes at once, and thousands of rows in parts among short ones.
TEST(packed_parts, of_many_rows_are_added_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  std::vector<std::int64_t> parts;
  for (std::int64_t r = 0; r < 6000; ++r) parts.push_back(r % 3 == 0 ? 2 + r % 5 : r % 2);
  const auto a = rows_of_parts<double>(
      parts, [](std::int64_t r, std::int64_t k) { return 0.25 + static_cast<double>((r * 7 + k) % 1021); });
  const auto x = random_vector<double>(a.cols, 1);
  const auto plan = inspect(a.view(), cuda{0}, {.format = "packed", .options = in_parts});
  std::vector<double> first;
  for (int product = 0; product < 20; ++product) {
    auto y = poisoned<double>(a.rows);
    plan.multiply(1.0, x, 0.0, y);
    if (first.empty()) first = y;
    ASSERT_TRUE(same_bits(y, first)) << product;
  }
  EXPECT_TRUE((verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, first).right()));
}

TEST(packed_asks, are_for_all_of_what_is_small) {
  constexpr std::int64_t mib = 1 << 20;
  constexpr std::int64_t cache = 60 * mib;
  EXPECT_EQ(packed_asks_of(4 * mib, mib, mib, cache),
            (packed_asks{.matrix = true, .vector = true, .late = true}));
  EXPECT_EQ(packed_asks_of(4 * mib + 1, mib, mib, cache),
            (packed_asks{.matrix = false, .vector = true, .late = true}));
  EXPECT_EQ(packed_asks_of(16 * mib + 1, mib, mib, cache), (packed_asks{.matrix = false, .vector = true}));
}
TEST(packed_sweeps, alternate_where_no_part_of_the_matrix_is_kept_and_none_of_a_row_is_added) {
  EXPECT_TRUE(packed_may_alternate({.eighths = 0}, 0));
  EXPECT_FALSE(packed_may_alternate({.eighths = 1}, 0));
  EXPECT_FALSE(packed_may_alternate({.eighths = 0}, 1));
}

TEST(packed_asks, are_for_x_where_the_matrix_stays_in_the_cache_or_x_is_much_of_all) {
  constexpr std::int64_t mib = 1 << 20;
  constexpr std::int64_t cache = 60 * mib;
  EXPECT_TRUE(packed_asks_of(cache, mib, mib, cache).vector);
  EXPECT_FALSE(packed_asks_of(cache + 1, mib, mib, cache).vector);
  EXPECT_TRUE(packed_asks_of(400 * mib, 100 * mib, mib, cache).vector);
  EXPECT_FALSE(packed_asks_of(404 * mib, 100 * mib, mib, cache).vector);
}

}  // namespace
}  // namespace gossamer::formats
