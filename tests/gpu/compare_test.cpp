// SPDX-License-Identifier: BSD-3-Clause
// The timer on a device: it sees the device's time and not the host's, and what cold goes over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "exec/cuda/device.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"
#include "gpu/failing_allocator.hpp"
#include "timer/device_clock.hpp"

namespace gossamer::testing_support {
namespace {

class timer_on_device : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
  const resource gpu = cuda{0};
};

TEST_F(timer_on_device, measures_a_wait_and_not_the_host_cuda) {
  constexpr double wait = 30e-6;
  constexpr auto dawdling = std::chrono::microseconds(100);
  const product_call plain = [](cuda_stream s) { timer::wait_on_device(wait, s); };
  const product_call slow_launch = [&](cuda_stream s) {
    const auto end = std::chrono::steady_clock::now() + dawdling;
    while (std::chrono::steady_clock::now() < end) {
    }
    timer::wait_on_device(wait, s);
  };
  const std::vector<product_call> products{plain, slow_launch};
  for (const cache_state state : {cache_state::hot, cache_state::cold}) {
    const comparison c = time_interleaved(products, gpu, {.cache = state, .seconds = 0.02});
    // On a busy host some launches end too late, and such a sample has them in it.
    for (const auto& samples : c.seconds) {
      EXPECT_GE(summarise(samples).min, wait * 0.98);
      EXPECT_LT(summarise(samples).min, 100e-6) << "less than launching takes";
    }
  }
  EXPECT_GE(call_latency(slow_launch, gpu), wait + 100e-6);
}

TEST_F(timer_on_device, reports_products_that_synchronize_cuda) {
  const product_call waits = [](cuda_stream s) {
    timer::wait_on_device(20e-6, s);
    exec::synchronize(s);
  };
  const comparison c = time_interleaved({&waits, 1}, gpu, {.seconds = 0});
  EXPECT_EQ(c.exposed, static_cast<std::int64_t>(c.seconds[0].size()));
  EXPECT_GE(summarise(c.seconds[0]).min, 19e-6);
}

/// Whatever memory and caches take: the buffer is larger than the cache, and is there before the first
/// sample.
TEST_F(timer_on_device, cold_samples_flush_the_l2_cache_cuda) {
  failing_allocator counted{.allowed = 1000};
  const allocation_hook before = set_device_allocation_hook(
      {.allocate = failing_allocator::allocate, .release = failing_allocator::release, .user = &counted});
  std::vector<std::int64_t> held;
  const product_call looks = [&](cuda_stream s) {
    held.push_back(counted.held);
    timer::wait_on_device(20e-6, s);
  };
  const comparison c = time_interleaved({&looks, 1}, gpu, {.cache = cache_state::cold, .seconds = 0});
  set_device_allocation_hook(before);
  EXPECT_EQ(c.seconds[0].size(), 11u);
  ASSERT_GE(held.size(), 12u);  // once untimed
  EXPECT_EQ(held.front(), 0);
  for (std::size_t k = 1; k < held.size(); ++k) EXPECT_GE(held[k], 4 * last_level_cache_bytes(gpu)) << k;
}

TEST_F(timer_on_device, vectors_are_poisoned_and_come_back_cuda) {
  const auto a = bench_support::generate<float>("diagonal(n=300,values=constant)");
  const auto made = inspect(a.view(), gpu, {.format = "csr"});
  product_vectors<float> vectors(300, 300, gpu);
  EXPECT_TRUE(vectors.y().empty());
  vectors.poison();
  for (const float y : vectors.result()) EXPECT_TRUE(std::isnan(y));
  vectors.call(made)({});
  EXPECT_THAT(vectors.result(), testing::ElementsAreArray(ramp<float>(300)));
}

/// Diagonals of ones: the product is x.
template <value V>
void expect_intact_after_steps(const std::string& format) {
  SCOPED_TRACE(format);
  const resource gpu = cuda{0};
  const auto a = bench_support::generate<V>("diagonal(n=50000,values=constant)");
  const auto made = inspect(a.view(), gpu, {.format = format});
  product_vectors<V> vectors(50000, 50000, gpu);
  const product_call product = vectors.call(made);
  const vector_kernels kernels = vectors.solver_kernels();
  vectors.poison();
  const comparison c =
      time_interleaved({&product, 1}, gpu, {.cache = cache_state::solver, .seconds = 0, .kernels = kernels});
  EXPECT_EQ(c.seconds[0].size(), 11u);
  EXPECT_EQ(c.vector_seconds[0].size(), 11u);
  EXPECT_THAT(vectors.result(), testing::ElementsAreArray(ramp<V>(50000)));
  vectors.poison();
  kernels.before({});
  product({});
  EXPECT_THAT(vectors.result(), testing::ElementsAreArray(ramp<V>(50000))) << "x is not the ramp any more";
}

class vector_kernels_on_device : public timer_on_device {};

TEST_F(vector_kernels_on_device, vectors_are_intact_after_steps_of_a_solver_cuda) {
  for (const char* format : {"csr", "packed"}) {
    expect_intact_after_steps<float>(format);
    expect_intact_after_steps<double>(format);
  }
}

/// 1 * -0 + 0 * 0 is +0: the sign shows which elements of x were written.
TEST_F(vector_kernels_on_device, a_vector_kernel_writes_every_element_of_x_cuda) {
  const exec::device_guard guard(0);
  for (const std::size_t cols : {1u, 256u, 100001u}) {
    product_vectors<double> vectors(3, static_cast<std::int64_t>(cols), gpu);
    const std::vector<double> negative(cols, -0.0);
    std::vector<double> x(cols);
    void* const there = const_cast<double*>(vectors.device_x().data());
    const std::size_t bytes = cols * sizeof(double);
    exec::copy_async(there, negative.data(), bytes, exec::copy_kind::host_to_device, {});
    vectors.solver_kernels().before({});
    exec::copy_async(x.data(), there, bytes, exec::copy_kind::device_to_host, {});
    exec::synchronize_device();
    EXPECT_TRUE(std::none_of(x.begin(), x.end(), [](double v) { return v != 0 || std::signbit(v); }));
  }
}

TEST_F(vector_kernels_on_device, samples_of_a_solver_exclude_its_vector_kernels_cuda) {
  const auto waiting = [](double seconds) {
    return [=](cuda_stream s) { timer::wait_on_device(seconds, s); };
  };
  const std::vector<product_call> products{waiting(40e-6), waiting(80e-6)};
  const comparison c = time_interleaved(
      products, gpu,
      {.cache = cache_state::solver, .seconds = 0.02, .kernels = {waiting(30e-6), waiting(20e-6)}});
  // Each launch takes a few microseconds of the device; the vector kernels would add 50.
  EXPECT_NEAR(summarise(c.seconds[0]).median, 40e-6, 15e-6);
  EXPECT_NEAR(summarise(c.seconds[1]).median, 80e-6, 15e-6);
  EXPECT_NEAR(summarise(c.vector_seconds[0]).median, 50e-6, 15e-6);
  EXPECT_EQ(c.unresolved, std::vector<std::int64_t>(2, 0));
}

TEST_F(timer_on_device, cache_and_versions_are_known_cuda) {
  EXPECT_GT(last_level_cache_bytes(gpu), 1 << 20);
  const cuda_device_properties p = cuda_properties(0);
  EXPECT_GE(p.driver_cuda, p.runtime_cuda / 1000 * 1000);
  EXPECT_GE(p.runtime_cuda, 11000);
}

}  // namespace
}  // namespace gossamer::testing_support
