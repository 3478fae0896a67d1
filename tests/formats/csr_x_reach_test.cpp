// SPDX-License-Identifier: BSD-3-Clause
// Which matrices have an x that csr asks for ahead on a CPU, and that what is asked for near the end changes no product.
#include <gtest/gtest.h>

#include <utility>

#include "formats/csr/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

template <class V>
bool scattered(const char* specification) {
  const auto a = generate<V>(specification);
  const auto s = formats::csr::build(std::as_const(a).view(), {.kernel = formats::csr_kernel::thread},
                                     {.kind = device_set::cpu});
  return s.meta.x_scattered;
}

TEST(csr_x_reach, columns_anywhere_are_scattered_once_x_is_large) {
  EXPECT_TRUE(scattered<double>("uniform(rows=2000,cols=500k,per_row=40)"));
  EXPECT_FALSE(scattered<float>("uniform(rows=2000,cols=500k,per_row=40)")) << "2 MB of x";
  EXPECT_TRUE(scattered<float>("uniform(rows=2000,cols=1M,per_row=40)"));
}

TEST(csr_x_reach, rows_that_share_columns_are_not) {
  EXPECT_FALSE(scattered<double>("banded(n=500k,lower=2)"));
  EXPECT_FALSE(scattered<double>("stencil(nx=800,ny=800,points=5)"));
}

TEST(csr_x_reach, of_no_entries_nothing_is) {
  EXPECT_FALSE(scattered<double>("empty_rows(rows=3,cols=1M,every=1)"));
}

TEST(csr_x_reach, products_near_the_end_of_a_large_x_are_right) {
  for (const char* specification :
       {"uniform(rows=50,cols=1M,per_row=5)", "uniform(rows=50,cols=1M,per_row=37)",
        "uniform(rows=9,cols=1M,per_row=700)", "uniform(rows=1,cols=1M,per_row=129)"}) {
    SCOPED_TRACE(specification);
    check_products(generate<double>(specification));
  }
}

}  // namespace
}  // namespace gossamer::testing_support
