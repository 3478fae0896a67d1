// SPDX-License-Identifier: BSD-3-Clause
// Products whose shared rows are combined by a second kernel, which begins before the first has ended: nothing may be read too early.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gossamer/gossamer.hpp"
#include "gossamer/measure.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

struct shared_rows {
  std::string name;
  std::string matrix;
  std::string format;
  option_texts options;
};

/// One for each way in which runs are combined: by a thread, a warp or a block each, or short ones by warps beside long ones; and one for
/// each format that has a second kernel.
const std::vector<shared_rows>& cases() {
  static const std::vector<shared_rows> all = {
      {"thread_a_run", "uniform(rows=20000,per_row=7)", "brc", {{"block_width", "1"}}},
      {"warp_a_run", "uniform(rows=5000,per_row=200)", "brc", {{"block_width", "1"}}},
      {"block_a_run", "uniform(rows=300,cols=5000,per_row=700)", "brc", {{"block_width", "1"}}},
      {"warp_a_short_run",
       "heavy_row(rows=3000,cols=3000,per_row=4,heavy=2500)",
       "brc",
       {{"block_width", "1"}}},
      {"csr", "uniform(rows=3000,per_row=1100)", "csr", {{"kernel", "balanced"}}},
      {"coo", "uniform(rows=3000,per_row=1100)", "coo", {}},
      {"bcoo", "uniform(rows=3000,per_row=700)", "bcoo", {}},
      {"bccoo", "uniform(rows=3000,per_row=700)", "bccoo", {{"entries_per_thread", "2"}}},
      {"csr_fragment", "uniform(rows=3000,per_row=1100)", "csr_fragment", {}},
      {"hyb", "power_law(rows=30000,mean=12)", "hyb", {{"tail", "brc"}, {"width", "3"}}},
      {"diag_blocks", "uniform(rows=3000,per_row=1100)", "diag_blocks", {}}};
  return all;
}

std::string with_suffix(const testing::TestParamInfo<shared_rows>& each) {
  return each.param.name + "_cuda";
}

class overlap : public testing::TestWithParam<shared_rows> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
  csr_matrix<double, std::int64_t> a = generate<double>(GetParam().matrix);
  inspect_options how{.format = GetParam().format, .options = GetParam().options};
};

/// y <- A y / scale - y / 2, again and again: each product reads what the one before wrote last.
TEST_P(overlap, products_in_a_row_see_all_of_the_one_before) {
  ASSERT_LE(a.rows, a.cols);
  const auto plan = inspect(a.view(), cuda{0}, how);
  workspace room = plan.make_workspace();
  const auto x = random_vector<double>(a.cols, 1);
  const auto y = random_vector<double>(a.rows, 2);
  const double alpha = 1.0 / static_cast<double>(a.nnz() / a.rows + 1);
  constexpr int products = 200;
  const auto run = [&](bool waits) {
    device_vector<double> x_there{std::span<const double>(x)};
    device_vector<double> y_there{std::span<const double>(y)};
    const stream s;
    for (int i = 0; i < products; ++i) {
      plan.multiply(alpha, std::as_const(x_there).span(), -0.5, y_there.span(), s.handle, room);
      if (waits) check(cudaStreamSynchronize(s.handle));
      // What was just written is read by the next product, as x where the matrix is square.
      check(cudaMemcpyAsync(x_there.span().data(), y_there.span().data(), y.size() * sizeof(double),
                            cudaMemcpyDeviceToDevice, s.handle));
    }
    return y_there.fetch();
  };
  const auto apart = run(true);
  EXPECT_TRUE(std::isfinite(apart.front()));
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(same_bits(apart, run(false)));
}

TEST_P(overlap, the_first_product_of_all_may_be_recorded) {
  const auto plan = inspect(a.view(), cuda{0}, how);
  workspace room = plan.make_workspace();
  const auto x = random_vector<double>(a.cols, 3);
  const auto y = random_vector<double>(a.rows, 4);
  device_vector<double> x_there{std::span<const double>(x)};
  device_vector<double> y_there{std::span<const double>(y)};
  const stream s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal));
  plan.multiply(1.5, std::as_const(x_there).span(), -0.5, y_there.span(), s.handle, room);
  check(cudaStreamEndCapture(s.handle, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  check(cudaGraphLaunch(ready, s.handle));
  EXPECT_TRUE((verify<double, std::int64_t>(a.view(), 1.5, x, -0.5, y, y_there.fetch()).right()));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
}

INSTANTIATE_TEST_SUITE_P(kernels, overlap, testing::ValuesIn(cases()), with_suffix);

}  // namespace
}  // namespace gossamer::testing_support
