// SPDX-License-Identifier: BSD-3-Clause
// New values of packed on a device: a kernel replaces them. The plan must then equal a fresh one, whatever
// values it had before.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "formats/packed/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/built_on_device.hpp"
#include "support/device_matrix.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

class values_of_packed : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

/// Each kind of slice, and each way in which lanes share rows.
const option_texts settings[] = {{},
                                 {{"longest_walk", "1"}},
                                 {{"longest_walk", "12"}, {"longest_part", "256"}},
                                 {{"short_rows", "entries"}},
                                 {{"short_rows", "padded"}},
                                 {{"warps_per_slice", "8"}},
                                 {{"short_rows", "padded"}, {"elided_deltas", "always"}}};

const char* const specifications[] = {"stencil(nx=50,ny=40,points=5,values=few(3))",
                                      "stencil(nx=12,ny=12,nz=12,points=27,dof=3,values=distinct)",
                                      "power_law(rows=10k,mean=30,max=9000)",
                                      "circuit(rows=20k)",
                                      "rmat(scale=11)",
                                      "heavy_row(rows=300,cols=40000,per_row=3,heavy=30000)",
                                      "arrow(n=3000)",
                                      "banded(n=5k,lower=7,upper=7,values=constant)",
                                      "empty_rows(rows=20k,fraction=0.97,per_row=3)"};

template <value V>
void expect_same_products(const plan<V>& made, const plan<V>& fresh, const stream& s) {
  const auto compare = [&](std::int64_t inputs, std::int64_t outputs, auto&& multiply) {
    const device_vector<V> x{std::span<const V>(random_vector<V>(inputs, 3))};
    device_vector<V> got{std::span<const V>(poisoned<V>(outputs))};
    device_vector<V> expected{std::span<const V>(poisoned<V>(outputs))};
    multiply(made, x, got);
    multiply(fresh, x, expected);
    EXPECT_TRUE(same_bits(got.fetch(), expected.fetch()));
  };
  compare(made.cols(), made.rows(), [&](const plan<V>& by, const auto& x, auto& y) {
    by.multiply(V(1.5), x.span(), V(0), y.span(), s.handle);
  });
  compare(made.rows(), made.cols(), [&](const plan<V>& by, const auto& x, auto& y) {
    by.multiply_transposed(V(1.5), x.span(), V(0), y.span(), s.handle);
  });
}

/// From values of `matrix` to others and back, given on the device and on the host.
template <value V, offset O>
void expect_updates(const csr_matrix<double, std::int64_t>& matrix) {
  const auto before = converted<V, O>(matrix);
  auto after = converted<V, O>(matrix);
  const auto values = random_vector<V>(after.nnz(), 5);
  for (std::size_t k = 0; k < values.size(); ++k) after.val[k] = values[k];
  if (after.nnz() > 2) {
    after.val[0] = std::numeric_limits<V>::infinity();
    after.val[1] = V(-0.0);
  }
  const device_matrix<V, O> before_there(before.view());
  const device_vector<V> after_there(std::as_const(after).val.span());
  const stream s;
  for (const option_texts& options : settings) {
    SCOPED_TRACE(testing::Message() << (options.empty() ? "default" : options[0].second) << ", "
                                    << 8 * sizeof(V) << " bits, offsets of " << 8 * sizeof(O));
    const inspect_options how{
        .format = "packed", .options = options, .values_change = true, .operations = operation_set::both};
    auto made = inspect(before_there.view(), cuda{0}, how);
    EXPECT_FALSE(made.reencodes());
    const auto fresh_before = inspect(before.view(), cuda{0}, how);
    const auto fresh_after = inspect(after.view(), cuda{0}, how);
    made.update_values(after_there.span(), s.handle);
    expect_same_products(made, fresh_after, s);
    made.update_values(before_there.val.span(), s.handle);
    expect_same_products(made, fresh_before, s);
    made.update_values(std::as_const(after).val.span());
    expect_same_products(made, fresh_after, s);
    const auto back = made.to_csr();
    EXPECT_TRUE(same_bits(std::vector<V>(back.val.span().begin(), back.val.span().end()),
                          std::vector<V>(after.val.span().begin(), after.val.span().end())));
  }
}

TEST_F(values_of_packed, are_replaced_in_the_battery_cuda) {
  for (const battery_entry& entry : battery()) {
    SCOPED_TRACE(entry.name);
    expect_updates<double, std::int32_t>(entry.matrix);
    expect_updates<float, std::int64_t>(entry.matrix);
  }
}

TEST_F(values_of_packed, are_replaced_in_every_kind_of_slice_cuda) {
  for (const char* const text : specifications) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    expect_updates<double, std::int64_t>(a);
    expect_updates<float, std::int32_t>(a);
  }
}

TEST_F(values_of_packed, are_built_whole_on_the_device_as_on_the_host_cuda) {
  using formats::packed;
  for (const char* const text : specifications) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    for (const packed::options& o :
         {packed::options{.values = formats::packed_value_storage::whole},
          packed::options{.longest_walk = 12, .values = formats::packed_value_storage::whole},
          packed::options{.short_rows = formats::packed_short_rows::entries,
          .values = formats::packed_value_storage::whole}})
      EXPECT_TRUE((is_built_alike<packed>(a.view(), o)));
  }
}

/// A product must have the values of the update before it, however close it follows.
TEST_F(values_of_packed, are_those_of_the_update_before_the_product_cuda) {
  const auto a = bench_support::generate<double>("uniform(rows=60k,per_row=24)");
  auto made = inspect(a.view(), cuda{0}, {.format = "packed", .values_change = true});
  const device_vector<double> x{std::span<const double>(random_vector<double>(a.cols, 1))};
  const device_vector<double> some{std::span<const double>(random_vector<double>(a.nnz(), 2))};
  const device_vector<double> others{std::span<const double>(random_vector<double>(a.nnz(), 3))};
  device_vector<double> y{std::span<const double>(poisoned<double>(a.rows))};
  const stream s;
  const auto product_of = [&](const device_vector<double>& values) {
    made.update_values(values.span(), s.handle);
    made.multiply(1.0, x.span(), 0.0, y.span(), s.handle);
    return y.fetch();
  };
  const auto of_some = product_of(some);
  const auto of_others = product_of(others);
  for (int repeat = 0; repeat < 100; ++repeat) {
    for (int k = 0; k < 5; ++k) {
      made.update_values((k % 2 == 0 ? some : others).span(), s.handle);
      made.multiply(1.0, x.span(), 0.0, y.span(), s.handle);
    }
    ASSERT_TRUE(same_bits(y.fetch(), of_some)) << repeat;
    made.update_values(others.span(), s.handle);
    made.multiply(1.0, x.span(), 0.0, y.span(), s.handle);
    ASSERT_TRUE(same_bits(y.fetch(), of_others)) << repeat;
  }
}

/// A limit makes the host build the plan, and keeps arrays there.
TEST_F(values_of_packed, are_replaced_in_host_memory_too_cuda) {
  const auto a = bench_support::generate<double>("circuit(rows=20k)");
  auto other = bench_support::generate<double>("circuit(rows=20k)");
  bench_support::assign_values(other, "distinct", 7);
  const device_vector<double> values(std::as_const(other).val.span());
  const stream s;
  for (const std::int64_t limit : {0, 50'000, 1'000'000'000}) {
    SCOPED_TRACE(limit);
    const inspect_options how{
        .format = "packed", .values_change = true, .memory_limit = limit, .operations = operation_set::both};
    auto made = inspect(a.view(), cuda{0}, how);
    made.update_values(values.span(), s.handle);
    expect_same_products(made, inspect(other.view(), cuda{0}, how), s);
  }
}

TEST_F(values_of_packed, are_encoded_again_if_asked_for_cuda) {
  const auto a = bench_support::generate<double>("stencil(nx=50,ny=40,points=5,values=few(3))");
  for (const auto& option : {std::pair{"values", "encoded"}, std::pair{"precision", "f32"}}) {
    auto made =
        inspect(a.view(), cuda{0},
                {.format = "packed", .options = {{option.first, option.second}}, .values_change = true});
    EXPECT_TRUE(made.reencodes()) << option.first;
    EXPECT_THAT([&] { made.update_values(device_span<const double>(nullptr, a.val.size()), cuda_stream()); },
                testing::Throws<error>(testing::Property(&error::code, errc::unsupported)));
  }
  const auto encoded = inspect(
      a.view(), cuda{0}, {.format = "packed", .options = {{"values", "encoded"}}, .values_change = true});
  const auto whole = inspect(a.view(), cuda{0}, {.format = "packed", .values_change = true});
  EXPECT_LT(encoded.streamed_bytes() * 3, whole.streamed_bytes());
}

TEST_F(values_of_packed, are_replaced_after_a_description_is_read_cuda) {
  const auto a = bench_support::generate<double>("circuit(rows=20k)");
  const auto made = inspect(a.view(), cuda{0},
                            {.format = "auto", .values_change = true, .operations = operation_set::both});
  EXPECT_EQ(made.format(), "packed");
  auto like = inspect(a.view(), description{made.describe()});
  EXPECT_FALSE(like.reencodes());
  EXPECT_EQ(like.options(), made.options());
  const stream s;
  expect_same_products(like, made, s);
  const device_vector<double> values{std::span<const double>(random_vector<double>(a.nnz(), 5))};
  like.update_values(values.span(), s.handle);
  auto other = inspect(a.view(), cuda{0},
                       {.format = "auto", .values_change = true, .operations = operation_set::both});
  other.update_values(random_vector<double>(a.nnz(), 5));
  expect_same_products(like, other, s);
}

TEST_F(values_of_packed, are_not_rounded_and_whole_cuda) {
  const auto a = bench_support::generate<double>("arrow(n=300)");
  EXPECT_THAT(
      [&] {
        static_cast<void>(inspect(
            a.view(), cuda{0}, {.format = "packed", .options = {{"values", "whole"}, {"precision", "f16"}}}));
      },
      testing::Throws<error>(testing::AllOf(
          testing::Property(&error::code, errc::invalid_argument),
          testing::Property(&error::what, testing::HasSubstr("values = whole with a precision")))));
}

}  // namespace
}  // namespace gossamer::testing_support
