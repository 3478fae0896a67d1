// SPDX-License-Identifier: BSD-3-Clause
// Loops of cuSPARSE and cuBLAS on a CUDA device, with and without a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench_support/loops/device_vector.hpp"
#include "support/loop_cases.hpp"

namespace gossamer::testing_support {
namespace {

using bench_support::loop_method;

class device_loop : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bench_support::peer_presence here =
        bench_support::find_loop_here(has(loop_method::cg) ? loop_method::cg : loop_method::pdhg, GetParam());
    if (!here.present) GTEST_SKIP() << GetParam() << " is absent: " << here.reason;
    EXPECT_NE(here.version, "");
  }
  static bool has(loop_method method) {
    const std::vector<std::string> names = loop_cases::loops_on(device_set::cuda, method);
    return std::find(names.begin(), names.end(), GetParam()) != names.end();
  }
  /// Of those that solve systems.
  template <class F>
  static void for_each_method(F&& f) {
    for (const loop_method method : loop_cases::system_methods) {
      SCOPED_TRACE(name(method));
      if (has(method)) f(method);
    }
  }
};
class device_pdhg : public device_loop {};

std::string name_with_cuda(const testing::TestParamInfo<std::string>& instance) {
  return instance.param + "_cuda";
}

INSTANTIATE_TEST_SUITE_P(loops, device_loop,
                         testing::ValuesIn(loop_cases::loops_on(device_set::cuda, loop_method::cg)),
                         name_with_cuda);
INSTANTIATE_TEST_SUITE_P(loops, device_pdhg,
                         testing::ValuesIn(loop_cases::loops_on(device_set::cuda, loop_method::pdhg)),
                         name_with_cuda);

TEST_P(device_loop, solves_exactly) {
  if (GetParam() == "cusparse_sliced_ell_cublas_graph") GTEST_SKIP() << "it refuses matrices of so few rows";
  for_each_method([](loop_method method) {
    loop_cases::solves_exactly<double>(method, GetParam(), cuda{0});
    loop_cases::solves_exactly<float>(method, GetParam(), cuda{0});
  });
}
TEST_P(device_loop, follows_the_reference) {
  if (!has(loop_method::cg)) return;
  loop_cases::cg_follows_the_reference<double>(GetParam(), cuda{0});
  loop_cases::cg_follows_the_reference<float>(GetParam(), cuda{0});
}
TEST_P(device_loop, converges) {
  for_each_method([](loop_method method) {
    loop_cases::converges<double>(method, GetParam(), cuda{0});
    loop_cases::converges<float>(method, GetParam(), cuda{0});
  });
}
TEST_P(device_loop, of_zero_is_zero) {
  for_each_method(
      [](loop_method method) { loop_cases::of_zero_is_zero<double>(method, GetParam(), cuda{0}); });
}
TEST_P(device_loop, runs_whole_launches) {
  const auto a = laplace<double>(9, 9, 1);
  const std::vector<double> b(81, 1.0);
  auto loop = bench_support::inspect_loop<double>(loop_method::cg, GetParam(), a.view(), {.b = b}, cuda{0});
  if (loop.iterations_per_launch() == 1) return;
  EXPECT_THAT([&] { loop.iterate(1); },
              testing::Throws<error>(testing::Property(&error::code, errc::invalid_argument)));
}
TEST_P(device_pdhg, follows_the_reference) {
  loop_cases::pdhg_follows_the_reference<double>(GetParam(), cuda{0});
  loop_cases::pdhg_follows_the_reference<float>(GetParam(), cuda{0});
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
