// SPDX-License-Identifier: BSD-3-Clause
// Views are plain data that kernels take by value, and a device pointer never passes for a host one.
#include <gtest/gtest.h>

#include <concepts>
#include <span>
#include <type_traits>

#include "gossamer/matrix.hpp"
#include "gossamer/types.hpp"

namespace {

using gossamer::coo_view;
using gossamer::csr_view;
using gossamer::device_space;
using gossamer::device_span;

template <class T>
constexpr bool plain = std::is_trivially_copyable_v<T>&& std::is_standard_layout_v<T>;

static_assert(plain<csr_view<float, std::int32_t>> && plain<csr_view<double, std::int64_t>>);
static_assert(plain<csr_view<float, std::int32_t, device_space>> &&
              plain<csr_view<double, std::int64_t, device_space>>);
static_assert(plain<coo_view<float>> && plain<coo_view<double, device_space>>);
static_assert(plain<device_span<double>> && plain<std::span<const double>>);

static_assert(!std::convertible_to<device_span<double>, std::span<double>>);
static_assert(!std::convertible_to<std::span<double>, device_span<double>>);
static_assert(!std::constructible_from<std::span<double>, device_span<double>>);
static_assert(!std::constructible_from<std::span<const double>, device_span<const double>>);
static_assert(!std::constructible_from<device_span<double>, std::span<double>>);
static_assert(!std::constructible_from<device_span<const double>, std::vector<double>&>);
static_assert(!std::convertible_to<csr_view<double, int, device_space>, csr_view<double, int>>);
static_assert(!std::convertible_to<csr_view<double, int>, csr_view<double, int, device_space>>);

static_assert(std::convertible_to<device_span<double>, device_span<const double>>);
static_assert(!std::constructible_from<device_span<double>, device_span<const double>>);
static_assert(!std::constructible_from<device_span<float>, device_span<double>>);

static_assert(gossamer::value<float> && gossamer::value<double> && !gossamer::value<int>);
static_assert(gossamer::offset<std::int32_t> && gossamer::offset<std::int64_t> &&
              !gossamer::offset<std::uint32_t>);
static_assert(gossamer::value_name<float>() == "f32" && gossamer::value_name<double>() == "f64");
static_assert(gossamer::offset_name<std::int32_t>() == "int32" &&
              gossamer::offset_name<std::int64_t>() == "int64");

TEST(views, a_default_view_is_an_empty_matrix) {
  const csr_view<double> a;
  EXPECT_EQ(a.rows, 0);
  EXPECT_EQ(a.cols, 0);
  EXPECT_EQ(a.nnz(), 0);
  EXPECT_EQ(coo_view<float>{}.nnz(), 0);
}

TEST(views, a_device_span_keeps_its_pointer_and_size) {
  double there = 0;  // never read through the span
  const device_span<double> d(&there, 3);
  const device_span<const double> c = d;
  EXPECT_EQ(c.data(), &there);
  EXPECT_EQ(c.size(), 3U);
  EXPECT_FALSE(c.empty());
  EXPECT_TRUE(device_span<double>{}.empty());
}

}  // namespace
