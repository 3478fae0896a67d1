// SPDX-License-Identifier: BSD-3-Clause
// packed: cut rows, whose row parts several warps multiply and one of them adds; the number of warps of a
// slice; what is prefetched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "formats/packed/cuda/launch_policy.hpp"
#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::same_bits;

/// Rows with as many entries as a row part, one less, one more, and several times as many.
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
    const auto a =
        matrix_from_rows(static_cast<std::int64_t>(lengths.size()), 5 * part, columns,
                         [](std::int64_t i, std::size_t k, std::int64_t) {
                           return 0.25 + static_cast<double>((i * 7 + static_cast<std::int64_t>(k)) % 1021);
                         });
    const auto s = stored(a, on_cuda, {.longest_part = part});
    EXPECT_EQ(s.meta.carries.slots, 2 + 2 + 3 + 5);
    EXPECT_EQ(s.meta.carries.longest, 5);
    EXPECT_EQ(packed::scratch<f64>(s.view()), 12 + 4 * 128 / 8)
        << "a value for each row part, a cache line for each cut row";
    expect_back(a, s);
    for (const char* const warps : {"1", "8"}) {
      const option_texts options{{"longest_part", std::to_string(part)}, {"warps_per_slice", warps}};
      expect_right(a, where, options);
    }
  }
}

TEST(packed_parts, have_the_length_of_the_option) {
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
  EXPECT_EQ(part(8192, 400'000), 8192) << "no row is cut";
  EXPECT_EQ(part(8193, 100'000), 1024);
  EXPECT_EQ(part(8193, 900'000), 2048);
  EXPECT_EQ(part(90'000, 20'000'000), 8192);
}

TEST(packed_options, walk_longer_if_columns_are_scattered_and_rows_are_not_short) {
  const auto walk = [](std::int64_t nnz, double mean, double spread) {
    const row_statistics s{
        .rows = 100'000, .cols = 100'000, .nnz = nnz, .mean = mean, .max = 353, .spread = spread};
    return packed::resolve({}, s, on_cuda).longest_walk;
  };
  EXPECT_EQ(walk(800'000, 12, 0.6), 64) << "as rmat(scale=16,edge_factor=12)";
  EXPECT_EQ(walk(700'000, 4, 0.6), 8) << "as a circuit, whose few long rows would end last";
  EXPECT_EQ(walk(800'000, 12, 0.4), 8);
  EXPECT_EQ(walk(500'000, 12, 0.6), 8) << "a small matrix";
}

TEST(packed_options, give_few_slices_more_warps) {
  const auto warps = [](std::int64_t slices) {
    const row_statistics s{
        .rows = 32 * slices, .cols = 32 * slices, .nnz = 32 * slices * 73, .mean = 73, .max = 80};
    return packed::resolve({}, s, on_cuda).warps_per_slice;
  };
  EXPECT_EQ(warps(548), 4) << "as fem(nx=18,dof=3)";
  EXPECT_EQ(warps(800), 2) << "1600 warps";
  EXPECT_EQ(warps(2100), 2) << "all warps run at once";
  EXPECT_EQ(warps(2500), 4)
      << "as fem(nx=30,dof=3), where the last sixth of two warps a slice would begin after the others end";
  EXPECT_EQ(warps(3200), 2);
  EXPECT_EQ(warps(15'999), 2);
  EXPECT_EQ(warps(16'000), 1) << "one warp a slice fills the device";
}

TEST(packed_options, give_long_rows_more_warps_if_columns_are_scattered) {
  const auto warps = [](double spread) {
    const row_statistics s{.rows = 900'000,
                           .cols = 1'500'000,
                           .nnz = 10'735'501,
                           .mean = 11.9,
                           .standard_deviation = 169,
                           .max = 20'001,
                           .spread = spread};
    return packed::resolve({}, s, on_cuda).warps_per_slice;
  };
  EXPECT_EQ(warps(0.69), 2);
  EXPECT_EQ(warps(0.4), 1);
}

TEST(packed_options, balance_uneven_rows_by_two_warps_until_slices_are_many) {
  const auto warps = [](std::int64_t rows) {
    const row_statistics s{.rows = rows,
                           .cols = rows,
                           .nnz = 16 * rows,
                           .mean = 16,
                           .standard_deviation = 60,
                           .max = 2000,
                           .spread = 0.9};
    return packed::resolve({}, s, on_cuda).warps_per_slice;
  };
  EXPECT_EQ(warps(300'000), 2);
  EXPECT_EQ(warps(400'000), 1);
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

constexpr std::int64_t part = 256;
const option_texts in_parts{{"longest_part", std::to_string(part)}};

/// Rows with parts[row] row parts each. Entry k has value(row, k) and column k.
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

TEST(packed_parts, store_the_row_they_belong_to) {
  const auto a =
      rows_of_parts<double>({1, 3, 2, 70, 1, 5}, [](std::int64_t, std::int64_t k) { return 1 + k % 7; });
  const row_statistics statistics = measure_rows(a.view());
  const auto s =
      packed::build(a.view(), packed::resolve({.longest_part = part}, statistics, on_cuda), on_cuda);
  ASSERT_EQ(s.carries.row.size(), 4u);
  std::int64_t parts = 0;
  for (const packed_slice& each : s.slice.span()) {
    if (!each.is_row_part()) continue;
    ++parts;
    ASSERT_LT(each.masks, s.carries.row.size());
    EXPECT_GE(each.row, s.carries.first[each.masks]);
    EXPECT_LT(each.row, s.carries.last[each.masks]);
  }
  EXPECT_EQ(parts, 3 + 2 + 70 + 5);
  EXPECT_FALSE(s.meta.carries.apart) << "the kernel itself adds them";
}

/// A zero marks an empty slot, so a sum of zero could be waited for forever. Each product must leave all
/// slots empty for the next.
template <value V>
void expect_any_sum_to_be_added() {
  constexpr V infinity = std::numeric_limits<V>::infinity();
  // Row parts whose sums are zeros, cancelled sums, negative zeros, denormals, Inf or NaN, and ordinary ones.
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
    EXPECT_TRUE((bench_support::verify<V, std::int64_t>(a.view(), V{1}, x, V{0}, {}, first).passed()));
    EXPECT_EQ(first[0], V{0});
    EXPECT_FALSE(std::signbit(first[0]));
    EXPECT_EQ(first[4], infinity);
    EXPECT_TRUE(std::isnan(first[5]));
    auto y = before;
    plan.multiply(V{2}, x, V{-1}, y);
    EXPECT_TRUE((bench_support::verify<V, std::int64_t>(a.view(), V{2}, x, V{-1}, before, y).passed()));
  }
}
TEST(packed_parts, may_have_any_sum_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_any_sum_to_be_added<double>();
  expect_any_sum_to_be_added<float>();
}

/// More blocks than a device runs at once, and thousands of cut rows among short ones.
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
  EXPECT_TRUE((bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, first).passed()));
}

TEST(packed_prefetch_policy, covers_small_matrices_entirely) {
  constexpr std::int64_t mib = 1 << 20;
  constexpr std::int64_t cache = 60 * mib;
  EXPECT_EQ(choose_packed_prefetch(4 * mib, mib, mib, cache),
            (packed_prefetch_policy{.matrix = true, .vector = true}));
  EXPECT_EQ(choose_packed_prefetch(4 * mib + 1, mib, mib, cache),
            (packed_prefetch_policy{.matrix = false, .vector = true}));
}

TEST(packed_prefetch_policy, covers_x_if_the_matrix_is_cached_or_x_is_large) {
  constexpr std::int64_t mib = 1 << 20;
  constexpr std::int64_t cache = 60 * mib;
  EXPECT_TRUE(choose_packed_prefetch(cache, mib, mib, cache).vector);
  EXPECT_FALSE(choose_packed_prefetch(cache + 1, mib, mib, cache).vector);
  EXPECT_TRUE(choose_packed_prefetch(400 * mib, 100 * mib, mib, cache).vector);
  EXPECT_FALSE(choose_packed_prefetch(404 * mib, 100 * mib, mib, cache).vector);
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
