// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 4 of paper 004: diagonal blocks and the other entries on two resources, here both on the CPU.
#include "bench_support/split/split_product.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "bench_support/generate/generate.hpp"

namespace {

using namespace gossamer;
using bench_support::split_product;

template <class V>
void expect_sum_of_parts(const char* what) {
  const auto a = bench_support::generate<V>(what);
  const split_product<V> product(
      a.view(),
      {.blocks = {.where = cpu{.threads = 1}, .format = "dia", .options = {{"max_padding", "100"}}},
       .rest = {.where = cpu{.threads = 1}, .format = "csr"}},
      {});
  std::vector<V> x(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(1 + i % 5);
  std::vector<V> expected(static_cast<std::size_t>(a.rows), V{3});
  std::vector<V> y = expected;
  inspect(a.view(), cpu{.threads = 1}, {.format = "csr"})
      .multiply(V{2}, std::span<const V>(x), V{1}, std::span<V>(expected));
  for (int k = 0; k < 3; ++k) {  // the worker goes on after a product
    y.assign(y.size(), V{3});
    product.multiply(V{2}, std::span<const V>(x), V{1}, std::span<V>(y));
  }
  for (std::size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(y[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << i;
  ASSERT_EQ(product.parts().size(), 2u);
  EXPECT_EQ(product.parts()[0].format, "dia");
  EXPECT_GT(product.parts()[0].nnz, 0);
  EXPECT_GT(product.parts()[1].nnz, 0);
  EXPECT_EQ(product.parts()[0].nnz + product.parts()[1].nnz, a.nnz());
  EXPECT_GT(product.bytes(), static_cast<std::int64_t>(sizeof(V)) * a.nnz());
}

TEST(split_product, is_the_sum_of_both_parts) {
  expect_sum_of_parts<double>("stencil(nx=30,ny=20,points=5)");
  expect_sum_of_parts<float>("fem(nx=5,dof=3)");
}

TEST(split_product, throws_what_a_part_throws_and_works_afterwards) {
  const auto a = bench_support::generate<double>("stencil(nx=30,ny=20,points=5)");
  const split_product<double> product(a.view(), {.blocks = {.format = "dia"}, .rest = {.format = "csr"}}, {});
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(a.rows)), expected = y;
  for (int k = 0; k < 2; ++k)
    EXPECT_THROW(product.multiply(1, std::span(x).first(3), 0, std::span(y)), error);
  EXPECT_THROW(product.multiply(1, x, 0, std::span(y).first(3)), error);
  product.multiply(1, x, 0, std::span(y));
  inspect(a.view(), cpu{}, {.format = "csr"}).multiply(1, x, 0, std::span(expected));
  EXPECT_THAT(y, testing::Pointwise(testing::DoubleNear(1e-12), expected));
}

TEST(split_product, refuses_device_vectors) {
  const auto a = bench_support::generate<double>("stencil(nx=8,ny=8,points=5)");
  const split_product<double> product(a.view(), {.blocks = {.format = "dia"}, .rest = {.format = "csr"}}, {});
  EXPECT_THROW(product.multiply(1, {}, 0, {}, {}), error);
}

TEST(split_product, reports_a_part_that_cannot_be_made) {
  const auto a = bench_support::generate<double>("stencil(nx=8,ny=8,points=5)");
  EXPECT_THROW(
      split_product<double>(a.view(), {.blocks = {.format = "nothing"}, .rest = {.format = "csr"}}, {}),
      error);
}

}  // namespace
