// SPDX-License-Identifier: BSD-3-Clause
// Loops of cuSPARSE and cuBLAS on a CUDA device, with and without a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench_support/loops/device_vector.hpp"
#include "support/loop_cases.hpp"

namespace gossamer::testing_support {
namespace {

using bench_support::loop_method;

using device_loop_test = loop_cases::loop_test<device_set::cuda>;
class device_loop : public device_loop_test {};
class device_pdhg : public device_loop_test {};

std::string name_with_cuda(const testing::TestParamInfo<std::string>& instance) {
  return instance.param + "_cuda";
}

INSTANTIATE_TEST_SUITE_P(loops, device_loop,
                         testing::ValuesIn(loop_cases::loops_on(device_set::cuda, loop_method::cg)),
                         name_with_cuda);
INSTANTIATE_TEST_SUITE_P(loops, device_pdhg,
                         testing::ValuesIn(loop_cases::loops_on(device_set::cuda, loop_method::pdhg)),
                         name_with_cuda);

GOSSAMER_LOOP_TESTS(device_loop, device_pdhg)

TEST_P(device_loop, runs_whole_launches) {
  const auto a = laplace<double>(9, 9, 1);
  const std::vector<double> b(81, 1.0);
  auto loop = bench_support::inspect_loop<double>(loop_method::cg, GetParam(), a.view(), {.b = b}, cuda{0});
  if (loop.iterations_per_launch() == 1) return;
  EXPECT_THAT([&] { loop.iterate(1); },
              testing::Throws<error>(testing::Property(&error::code, errc::invalid_argument)));
}

TEST(device_vector_of_loops, holds_a_copy_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const std::vector<float> values{1, 2, 3};
  const bench_support::device_vector<float> there(values, cuda{0});
  EXPECT_EQ(there.span().size(), 3u);
  EXPECT_EQ(there.fetch(), values);
}

}  // namespace
}  // namespace gossamer::testing_support
