// SPDX-License-Identifier: BSD-3-Clause
// The oracle accepts what rounding may do and nothing more; the timer times.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"
#include "support/vectors.hpp"
#include "timer/array_bytes.hpp"

namespace gossamer::testing_support {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(oracle, accepts_any_order_and_rejects_four_bounds) {
  const auto a = bench_support::generate<float>("uniform(rows=200,cols=300,per_row=40)");
  const auto x = random_vector<float>(300, 1);
  const auto y = random_vector<float>(200, 2);
  std::vector<float> forward(200);
  std::vector<float> backward(200);
  for (std::size_t i = 0; i < 200; ++i) {
    float up = 0;
    float down = 0;
    for (std::size_t k = 0; k < 40; ++k) {
      up += a.val[i * 40 + k] * x[static_cast<std::size_t>(a.col[i * 40 + k])];
      down += a.val[i * 40 + 39 - k] * x[static_cast<std::size_t>(a.col[i * 40 + 39 - k])];
    }
    forward[i] = 2.0f * up - y[i];
    backward[i] = 2.0f * down - y[i];
  }
  const auto check = [&](const std::vector<float>& got) {
    return bench_support::verify<float, std::int64_t>(a.view(), 2.0f, x, -1.0f, y, got);
  };
  EXPECT_TRUE(check(forward).passed());
  EXPECT_TRUE(check(backward).passed());
  EXPECT_NE(forward, backward);
  auto wrong = forward;
  wrong[77] += 1e-3f;
  EXPECT_FALSE(check(wrong).passed());
  EXPECT_EQ(check(wrong).row, 77);
}

TEST(oracle, sees_a_dropped_entry_and_a_stale_y) {
  const auto a = bench_support::generate<double>("uniform(rows=50,cols=60,per_row=5)");
  const auto x = random_vector<double>(60, 3);
  std::vector<double> exact(50);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = i * 5; k < i * 5 + 5; ++k)
      exact[i] += a.val[k] * x[static_cast<std::size_t>(a.col[k])];
  }
  const auto check = [&](const std::vector<double>& got) {
    return bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, {}, got);
  };
  EXPECT_TRUE(check(exact).passed());
  auto dropped = exact;
  dropped[49] -= a.val[249] * x[static_cast<std::size_t>(a.col[249])];
  EXPECT_FALSE(check(dropped).passed());
  auto stale = exact;
  stale[10] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check(stale).error_ratio, infinity);
  EXPECT_EQ(check(stale).row, 10);
}

TEST(oracle, knows_infinities_and_overflow) {
  const std::vector<std::int64_t> row_ptr{0, 1, 3};
  const std::vector<std::int32_t> col{0, 0, 1};
  const std::vector<double> val{1.0, 1e308, 1e308};
  const csr_view<double, std::int64_t> a{.rows = 2, .cols = 2, .row_ptr = row_ptr, .col = col, .val = val};
  const auto ratio = [&](double x0, double got0, double got1) {
    const std::vector<double> x{x0, 10.0};
    const std::vector<double> got{got0, got1};
    return bench_support::verify<double, std::int64_t>(a, 1.0, x, 0.0, {}, got).error_ratio;
  };
  EXPECT_LE(ratio(1.0, 1.0, infinity), 1.0);            // overflows in f64: Inf is right
  EXPECT_EQ(ratio(1.0, infinity, infinity), infinity);  // row 0 does not
  EXPECT_LE(ratio(infinity, infinity, infinity), 1.0);
  EXPECT_EQ(ratio(infinity, 5.0, infinity), infinity);
  EXPECT_EQ(ratio(infinity, -infinity, infinity), infinity);
}

TEST(oracle, reports_blind_rows) {
  const auto a = bench_support::generate<float>("dense(rows=1,cols=6M,values=constant)");
  const std::vector<float> x(6000000, 1.0f);
  const std::vector<float> got{6e6f};
  EXPECT_EQ((bench_support::verify<float, std::int64_t>(a.view(), 1.0f, x, 0.0f, {}, got).blind_rows), 1);
  const auto b = bench_support::generate<float>("dense(rows=3,cols=1M,values=constant)");
  const std::vector<float> three(3, 1e6f);
  EXPECT_EQ((bench_support::verify<float, std::int64_t>(b.view(), 1.0f, std::span(x).first(1000000), 0.0f, {},
                                                        three)
                 .blind_rows),
            0);
}

TEST(oracle, refuses_wrong_lengths) {
  const auto a = bench_support::generate<double>("diagonal(n=4)");
  const std::vector<double> three(3);
  const std::vector<double> four(4);
  EXPECT_THROW((bench_support::verify<double, std::int64_t>(a.view(), 1.0, three, 0.0, {}, four)), error);
  EXPECT_THROW((bench_support::verify<double, std::int64_t>(a.view(), 1.0, four, 1.0, three, four)), error);
  EXPECT_THROW((bench_support::verify<double, std::int64_t>(a.view(), 1.0, four, 0.0, {}, three)), error);
}

TEST(ramp, is_the_documented_vector) {
  const auto x = ramp<double>(200);
  EXPECT_EQ(x[0], 1.0);
  EXPECT_EQ(x[96], 1.0 + 96.0 / 97.0);
  EXPECT_EQ(x[97], 1.0);
  EXPECT_EQ(x[199], 1.0 + 5.0 / 97.0);
}

/// What happens, timed by a clock of the test's own.
template <class Body>
double elapsed_in(Body&& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(timer, measures_a_sleep) {
  timing t;
  const double all = elapsed_in(
      [&] { t = time_repeatedly([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, 0.05); });
  EXPECT_GE(t.min, 2e-3);
  EXPECT_LE(t.min, t.median);
  EXPECT_LE(t.median, t.max);
  EXPECT_GE(t.count, 3);
  EXPECT_LE(t.min * static_cast<double>(t.count), all) << "samples follow each other";
}

TEST(timer, divides_batches_of_short_calls) {
  std::int64_t calls = 0;
  volatile int sink = 0;
  timing t;
  const double all = elapsed_in([&] {
    t = time_repeatedly(
        [&] {
          sink = sink + 1;
          ++calls;
        },
        0.02);
  });
  EXPECT_GT(t.median, 0.0);
  // At least three of five calls are in a sample. A sample that is not divided has the time of all its calls.
  EXPECT_LE(t.min * static_cast<double>(calls), 2 * all);
}

TEST(bandwidth, is_of_arrays_of_four_caches_as_far_as_memory_goes) {
  constexpr std::int64_t mib = 1 << 20;
  EXPECT_EQ(timer::array_bytes(1), 16 * mib);
  EXPECT_EQ(timer::array_bytes(4 * mib), 16 * mib);
  EXPECT_EQ(timer::array_bytes(32 * mib), 128 * mib);
  EXPECT_EQ(timer::array_bytes(128 * mib), 512 * mib);
  EXPECT_EQ(timer::array_bytes(300 * mib), 512 * mib);
}

TEST(bandwidth, is_positive_for_any_array_size) {
  for (const std::int64_t cache : {1, 5 << 20}) {
    SCOPED_TRACE(cache);
    for (const double measured : {copy_bandwidth(cpu{}, cache), stream_triad_bandwidth(0, cache)}) {
      EXPECT_GT(measured, 0);
      EXPECT_TRUE(std::isfinite(measured)) << measured;
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support
