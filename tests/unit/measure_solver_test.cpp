// SPDX-License-Identifier: BSD-3-Clause
// The cache state solver: products timed between two vector kernels whose own time is subtracted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"
#include "support/told_time.hpp"
#include "timer/interleave.hpp"

namespace gossamer::testing_support {
namespace {

/// A quarter of a microsecond: a power of two, so that sums and differences are exact.
constexpr double tick = 0x1p-22;

product_call taking(double& now, double seconds) {
  return [&now, seconds](cuda_stream) { now += seconds; };
}

interleaving between(const vector_kernels& kernels, std::int64_t rounds = 11) {
  return {.cache = cache_state::solver, .seconds = 0, .rounds = rounds, .kernels = kernels};
}

TEST(solver_state, samples_exclude_the_vector_kernels) {
  told_time watch;
  const std::vector<product_call> products{taking(watch.now, 24), taking(watch.now, 8)};
  const comparison c =
      timer::interleave(products, watch, between({taking(watch.now, 4), taking(watch.now, 1)}), true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, 24));
  EXPECT_EQ(c.seconds[1], std::vector<double>(11, 8));
  EXPECT_EQ(c.vector_seconds, std::vector(2, std::vector<double>(11, 5)));
  EXPECT_EQ(c.unresolved, std::vector<std::int64_t>(2, 0));
}

TEST(solver_state, steps_and_vector_kernels_are_timed_in_turns) {
  told_time watch;
  std::string order;
  const auto letter = [&](char name) {
    return [&, name](cuda_stream) {
      order += name;
      watch.now += 1;
    };
  };
  const std::vector<product_call> products{letter('p'), letter('q')};
  timer::interleave(products, watch, between({letter('x'), letter('y')}, 3), true);
  const std::string p = "xpyxpy";
  const std::string q = "xqyxqy";
  const std::string kernels = "xyxy";  // once untimed, once timed, as the steps are
  EXPECT_EQ(order, "xpyxy" + p + kernels + "xqyxy" + q + kernels  // how long they take
                       + kernels + p + kernels + q                // the first round
                       + q + kernels + p + kernels                // backwards
                       + kernels + q + kernels + p);              // begins one further
}

/// A machine that becomes slower from round to round.
class slowing final : public told_time {
 public:
  double slowness = 1;
  double time(const product_call& product, std::int64_t calls) override {
    slowness = 1 + static_cast<double>(batches.size() / 2);
    return told_time::time(product, calls);
  }
};

TEST(solver_state, vector_kernels_are_subtracted_round_by_round) {
  slowing watch;
  const auto taking_more = [&](double seconds) {
    return [&, seconds](cuda_stream) { watch.now += watch.slowness * seconds; };
  };
  const product_call product = taking_more(16);
  const comparison c =
      timer::interleave({&product, 1}, watch, between({taking_more(2), taking_more(1)}, 4), true);
  EXPECT_EQ(c.seconds[0], (std::vector<double>{32, 48, 64, 80}));
  EXPECT_EQ(c.vector_seconds[0], (std::vector<double>{6, 9, 12, 15}));
}

TEST(solver_state, batches_have_equal_calls_and_are_long_enough_for_the_product) {
  told_time watch;
  const product_call product = taking(watch.now, tick);
  const product_call kernel = taking(watch.now, 64 * tick);
  const comparison c = timer::interleave({&product, 1}, watch, between({kernel, kernel}), true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, tick));
  EXPECT_EQ(c.vector_seconds[0], std::vector<double>(11, 128 * tick));
  // 256 calls are the first power of two with 50 microseconds of the product.
  std::vector<std::int64_t> calls;
  for (std::int64_t n = 1; n < 256; n *= 2) calls.insert(calls.end(), 2, n);
  calls.insert(calls.end(), 2 * 12, 256);
  EXPECT_EQ(watch.batches, calls);
}

/// The first batch is disturbed, so that a single call seems to be enough.
class disturbed_once final : public told_time {
 public:
  double time(const product_call& product, std::int64_t calls) override {
    const double disturbance = batches.empty() ? 1 : 0;
    return told_time::time(product, calls) + disturbance;
  }
};

TEST(solver_state, too_short_samples_are_repeated_with_more_calls) {
  disturbed_once watch;
  const product_call product = taking(watch.now, tick);
  const comparison c = timer::interleave({&product, 1}, watch, between({product, product}), true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, tick));
  EXPECT_EQ(c.unresolved[0], 0);
  // 32 calls are the first power of two with 5 microseconds of the product.
  EXPECT_EQ(watch.batches[1], 1);
  EXPECT_EQ(watch.batches.back(), 32);
}

TEST(solver_state, negative_differences_are_reported_as_measured) {
  told_time watch;
  bool y_is_cached = false;
  const product_call product = [&](cuda_stream) { y_is_cached = true; };
  const product_call after = [&](cuda_stream) {
    watch.now += y_is_cached ? 1 : 2;
    y_is_cached = false;
  };
  const comparison c = timer::interleave({&product, 1}, watch, between({taking(watch.now, 1), after}), true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, -1));
  EXPECT_EQ(c.vector_seconds[0], std::vector<double>(11, 3));
  EXPECT_EQ(c.unresolved[0], 11);
}

TEST(solver_state, a_product_that_takes_no_time_is_unresolved) {
  told_time watch;
  const product_call product = [](cuda_stream) {};
  const product_call kernel = taking(watch.now, 4 * tick);
  const comparison c = timer::interleave({&product, 1}, watch, between({kernel, kernel}), true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, 0));
  EXPECT_EQ(c.unresolved[0], 11);
  // Batches end at 10 milliseconds: 8192 steps of 2 microseconds.
  EXPECT_EQ(watch.batches.back(), 8192);
}

TEST(solver_state, needs_both_vector_kernels) {
  const product_call nothing = [](cuda_stream) {};
  for (const vector_kernels& kernels : {vector_kernels{}, {nothing, {}}, {{}, nothing}})
    EXPECT_THROW(time_interleaved({&nothing, 1}, cpu{}, between(kernels)), error);
}

TEST(solver_kernels, leave_the_product_as_it_is) {
  const auto a = bench_support::generate<double>("diagonal(n=200,values=constant)");
  const auto made = inspect(a.view(), cpu{}, {.format = "csr"});
  product_vectors<double> vectors(200, 200, cpu{});
  const product_call product = vectors.call(made);
  vectors.poison();
  const comparison c = time_interleaved({&product, 1}, cpu{}, between(vectors.solver_kernels()));
  EXPECT_EQ(c.seconds[0].size(), 11u);
  EXPECT_THAT(vectors.result(), testing::ElementsAreArray(ramp<double>(200)));
  EXPECT_EQ(std::vector(vectors.x().begin(), vectors.x().end()), ramp<double>(200));
}

/// 1 * -0 + 0 * 0 is +0: the sign shows which elements of x were written.
TEST(solver_kernels, before_writes_every_element_of_x) {
  for (const std::int64_t cols : {1, 100, 40000}) {
    product_vectors<float> vectors(3, cols, cpu{.threads = 2});
    const std::span<const float> x = vectors.x();
    std::fill_n(const_cast<float*>(x.data()), x.size(), -0.0f);
    vectors.solver_kernels().before({});
    EXPECT_EQ(std::count_if(x.begin(), x.end(), [](float v) { return v != 0 || std::signbit(v); }), 0);
  }
}

/// 0 * infinity raises a flag: it shows which element of y was read.
TEST(solver_kernels, after_reads_every_element_of_y) {
  product_vectors<double> vectors(50, 3, cpu{.threads = 1});
  const vector_kernels kernels = vectors.solver_kernels();
  for (std::size_t i = 0; i < 50; ++i) {
    std::fill(vectors.y().begin(), vectors.y().end(), 1.0);
    vectors.y()[i] = INFINITY;
    std::feclearexcept(FE_INVALID);
    kernels.after({});
    EXPECT_NE(std::fetestexcept(FE_INVALID), 0) << i;
  }
}

}  // namespace
}  // namespace gossamer::testing_support
