// SPDX-License-Identifier: BSD-3-Clause
// Children of a process that uses CUDA: one clear error, and nothing that hangs or prints when they end.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "support/child.hpp"
#include "support/device_vectors.hpp"

namespace gossamer::testing_support {
namespace {

constexpr const char* forked_matrix = "stencil(nx=300,ny=300,points=5)";

/// Whether call() throws the one error; else it is printed what came.
bool is_refused(const char* what, const std::function<void()>& call) {
  try {
    call();
  } catch (const error& problem) {
    if (problem.code() == errc::unsupported &&
        std::string_view(problem.what()).find("CUDA was used before fork()") != std::string_view::npos)
      return true;
    std::fprintf(stderr, "%s: %s: %s\n", what, std::string(name(problem.code())).c_str(), problem.what());
    return false;
  }
  std::fprintf(stderr, "%s: nothing was thrown\n", what);
  return false;
}

/// So that the order of additions does not show.
csr_matrix<double, std::int64_t> matrix_of_ones(const char* pattern) {
  auto a = bench_support::generate<double>(pattern);
  std::fill_n(a.val.data(), a.val.size(), 1.0);
  return a;
}

bool is_right(const csr_matrix<double, std::int64_t>& a, const resource& where) {
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
  std::vector<double> expected(static_cast<std::size_t>(a.rows));
  std::vector<double> y(expected.size());
  inspect(a.view(), cpu{.threads = 1}, {.format = "csr"}).multiply(1.0, x, 0.0, expected);
  inspect(a.view(), where, {.format = "csr"}).multiply(1.0, x, 0.0, y);
  return y == expected;
}

class fork_of : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

TEST_F(fork_of, plans_on_a_device_are_refused_in_the_child_and_may_be_destroyed_cuda) {
  const auto a = matrix_of_ones(forked_matrix);
  for (const char* const format : {"csr", "packed", "csr_gathered"}) {
    SCOPED_TRACE(format);
    const inspect_options options{.format = format, .values_change = true};
    std::optional<plan<double>> made = inspect(a.view(), cuda{0}, options);
    std::optional<workspace> room = made->make_workspace();
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    made->multiply(1.0, x, 0.0, y, *room);
    std::optional<device_vector<double>> x_on_device(x);
    std::optional<device_vector<double>> y_on_device(y);
    made->multiply(1.0, x_on_device->span(), 0.0, y_on_device->span(), {});
    const std::string described = made->describe();
    EXPECT_EQ(status_of_child([&] {
                const auto there = std::as_const(*x_on_device).span();
                const bool refused =
                    cuda_device_count() == 0 &&
                    is_refused("multiply", [&] { made->multiply(1.0, x, 0.0, y); }) &&
                    is_refused("workspace", [&] { made->multiply(1.0, x, 0.0, y, *room); }) &&
                    is_refused("device", [&] { made->multiply(1.0, there, 0.0, y_on_device->span(), {}); }) &&
                    is_refused("update", [&] { made->update_values(a.view().val); }) &&
                    is_refused("to_csr", [&] { static_cast<void>(made->to_csr()); }) &&
                    is_refused("make_workspace", [&] { static_cast<void>(made->make_workspace()); }) &&
                    is_refused("inspect", [&] { static_cast<void>(inspect(a.view(), cuda{0}, options)); }) &&
                    is_refused("properties", [] { static_cast<void>(cuda_properties(0)); });
                const bool described_still = made->describe() == described;
                room.reset();
                made.reset();
                return refused && described_still && is_right(a, cpu{.threads = 2});
              }),
              0);
    made->multiply(1.0, x, 0.0, y);
  }
  EXPECT_TRUE(is_right(a, cuda{0}));
}

TEST_F(fork_of, hybrid_plans_are_refused_in_the_child_and_may_be_destroyed_cuda) {
  const auto a = matrix_of_ones(forked_matrix);
  std::optional<plan<double>> made = inspect(a.view(), parse_hybrid("cpu:2,cuda:0"), {.format = "csr"});
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  made->multiply(1.0, x, 0.0, y);
  const device_vector<double> x_on_device(x);
  device_vector<double> y_on_device(y);
  made->multiply(1.0, x_on_device.span(), 0.0, y_on_device.span(), {});
  EXPECT_EQ(status_of_child([&] {
              const bool refused = is_refused("multiply", [&] { made->multiply(1.0, x, 0.0, y); }) &&
                                   is_refused("device", [&] {
                                     made->multiply(1.0, x_on_device.span(), 0.0, y_on_device.span(), {});
                                   });
              made.reset();
              return refused;
            }),
            0);
  made->multiply(1.0, x, 0.0, y);
}

/// What was copied through pinned pieces by threads that sleep between copies.
TEST_F(fork_of, child_does_not_wait_for_copy_threads_cuda) {
  const auto a = bench_support::generate<double>("diagonal(n=2M)");
  std::optional<plan<double>> made = inspect(a.view(), cuda{0}, {.format = "csr"});
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  for (int k = 0; k < 2; ++k) made->multiply(1.0, x, 0.0, y);
  EXPECT_EQ(status_of_child([&] {
              made.reset();
              return true;
            }),
            0);
}

TEST_F(fork_of, child_may_end_by_exit_with_a_plan_of_its_parent_cuda) {
  static std::optional<plan<double>> kept;  // destroyed as a program ends
  const auto a = matrix_of_ones(forked_matrix);
  kept = inspect(a.view(), cuda{0}, {.format = "csr", .copy = true});
  testing::internal::CaptureStderr();
  const pid_t child = begin_child([]() -> bool { std::exit(0); });
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  kept.reset();
}

/// In processes of their own, whose parents have not used CUDA.
TEST(fork_before_first_use, child_can_use_cuda) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto a = matrix_of_ones(forked_matrix);
        const auto by_cuda = [&] { return cuda_device_count() == 0 || is_right(a, cuda{0}); };
        const int of_the_child = status_of_child(by_cuda);
        std::_Exit(of_the_child == 0 && by_cuda() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(fork_after_first_use, child_is_refused_cuda) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto a = matrix_of_ones(forked_matrix);
        if (cudaFree(nullptr) != cudaSuccess) std::_Exit(0);  // no device here
        std::_Exit(status_of_child([&] {
          return is_refused("inspect",
                            [&] { static_cast<void>(inspect(a.view(), cuda{0}, {.format = "csr"})); });
        }));
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gossamer::testing_support
