// SPDX-License-Identifier: BSD-3-Clause
// Solvers on a CUDA device: the cases of the CPU with vectors there, streams, functions of the caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/cg_cases.hpp"
#include "support/device_solver_places.hpp"
#include "support/lsqr_cases.hpp"
#include "support/pdhg_cases.hpp"
#include "support/system_cases.hpp"

namespace gossamer::testing_support {
namespace {

using solve::status;

class device_solve : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

#define GOSSAMER_CASE_OF(cases, name)           \
  TEST_F(device_solve, cases##_##name##_cuda) { \
    cases::name<device_place<false>, double>(); \
    cases::name<device_place<false>, float>();  \
    cases::name<device_place<true>, double>();  \
    cases::name<staged_on_device, double>();    \
  }
#define GOSSAMER_CASE(name) GOSSAMER_CASE_OF(cg_cases, name)
GOSSAMER_CG_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE
#define GOSSAMER_CASE(name) GOSSAMER_CASE_OF(system_cases, name)
GOSSAMER_SYSTEM_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE
#define GOSSAMER_CASE(name) GOSSAMER_CASE_OF(lsqr_cases, name)
GOSSAMER_LSQR_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE
#define GOSSAMER_CASE(name) GOSSAMER_CASE_OF(pdhg_cases, name)
GOSSAMER_PDHG_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE
#undef GOSSAMER_CASE_OF

/// Large enough for several waves of thread blocks, twice.
TEST_F(device_solve, bits_do_not_vary_cuda) {
  const auto a = laplace<double>(1200, 1000, 0.5);
  const auto b = random_vector<double>(a.rows, 3);
  const auto made = inspect(a.view(), cuda{0});
  std::vector<double> expected(b.size());
  const auto first = device_place<false>::system(system_solver::cg, made, b, expected, {.rtol = 1e-9});
  EXPECT_EQ(first.outcome, status::converged);
  for (int again = 0; again < 3; ++again) {
    std::vector<double> x(b.size());
    const auto found = device_place<true>::system(system_solver::cg, made, b, x, {.rtol = 1e-9});
    EXPECT_EQ(found.iterations, first.iterations);
    EXPECT_EQ(found.residual, first.residual);
    EXPECT_TRUE(same_bits(x, expected));
  }
}

TEST_F(device_solve, takes_functions_of_the_caller_cuda) {
  const auto a = laplace<double>(90, 80, 0.1);
  const auto made = inspect(a.view(), cuda{0});
  const device_vector<double> b{std::span<const double>(random_vector<double>(a.rows, 3))};
  device_vector<double> x(b.span().size());
  const stream s;
  solve::options<double, device_space> how{.zero_initial_guess = true};
  const auto plain = solve::cg(made, b.span(), x.span(), s.handle, how);
  const auto expected = x.fetch();
  int calls = 0;
  how.preconditioner = [&](device_span<const double> r, device_span<double> z, cuda_stream at) {
    ++calls;
    EXPECT_EQ(at.handle(), s.handle);
    check(cudaMemcpyAsync(z.data(), r.data(), r.size() * sizeof(double), cudaMemcpyDeviceToDevice,
                          at.handle()));
  };
  const auto found = solve::cg(made, b.span(), x.span(), s.handle, how);
  EXPECT_EQ(found.iterations, plain.iterations);
  EXPECT_TRUE(same_bits(x.fetch(), expected));
  EXPECT_GE(calls, found.iterations);
}

TEST_F(device_solve, refuses_a_stream_that_is_captured_cuda) {
  const auto a = laplace<double>(9, 8);
  const auto made = inspect(a.view(), cuda{0});
  const device_vector<double> b{std::span<const double>(random_vector<double>(a.rows, 3))};
  device_vector<double> x(b.span().size());
  const stream s;
  check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeRelaxed));
  EXPECT_THAT([&] { solve::cg(made, b.span(), x.span(), s.handle, {.zero_initial_guess = true}); },
              testing::Throws<error>(testing::Property(&error::code, errc::unsupported)));
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(s.handle, &graph));
  check(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace gossamer::testing_support
