// SPDX-License-Identifier: BSD-3-Clause
// What csr and pattern_csr prefetch on a CPU: which matrices have such an x, which come from memory, and that
// what is asked for near the end changes no product.
#include <gtest/gtest.h>

#include <utility>

#include "bench_support/generate/generate.hpp"
#include "formats/csr/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

template <class V>
bool scattered(const char* specification) {
  const auto a = bench_support::generate<V>(specification);
  const auto s = formats::csr::build(std::as_const(a).view(), {.kernel = formats::csr_kernel::thread},
                                     {.kind = device_set::cpu});
  return s.meta.reading.x_scattered;
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
    for (const char* const format : {"csr", "pattern_csr"})
      check_products(bench_support::generate<double>(specification), format);
  }
}

TEST(csr_reading, comes_from_memory_beyond_half_of_the_cache_that_the_threads_have) {
  constexpr std::int64_t mib = 1 << 20;
  EXPECT_FALSE(formats::are_beyond_cache(16 * mib, 32 * mib));
  EXPECT_TRUE(formats::are_beyond_cache(16 * mib + 1, 32 * mib));
  EXPECT_FALSE(formats::are_beyond_cache(mib, mib)) << "a core's own cache has it";
  EXPECT_TRUE(formats::are_beyond_cache(mib + 1, mib));
}

TEST(csr_reading, of_a_plan_goes_by_the_cache_of_its_threads) {
  const auto a =
      bench_support::generate<double>("stencil(nx=1200,ny=1200,points=5)");  // 86 MB of values and columns
  const std::int64_t bytes = a.nnz() * 12;
  for (const int threads : {1, 2}) {
    const auto s = formats::csr::build(a.view(), {.kernel = formats::csr_kernel::thread},
                                       {.kind = device_set::cpu, .threads = threads});
    EXPECT_EQ(s.meta.reading.beyond_cache, formats::are_beyond_cache(bytes, exec::cpu_cache_bytes(threads)));
    EXPECT_EQ(s.meta.reading.entries_a_thread, a.nnz() / threads);
  }
}

}  // namespace
}  // namespace gossamer::testing_support
