// SPDX-License-Identifier: BSD-3-Clause
// Interleaved timing and what is concluded from it: ranks of the binomial, turns, caches, bad settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "bench_support/generate/generate.hpp"
#include "gossamer/error.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"
#include "support/told_time.hpp"
#include "timer/interleave.hpp"
#include "timer/order_statistics.hpp"

namespace gossamer::testing_support {
namespace {

using timer::ranks_of_median;

/// P(at most k of n fair coins show heads), by Pascal's triangle: exact in doubles up to n = 50.
double at_most(std::size_t k, std::size_t n) {
  std::vector<double> row{1};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> next(row.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) {
      next[j] += row[j];
      next[j + 1] += row[j];
    }
    row = next;
  }
  return std::accumulate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(k) + 1, 0.0) /
         std::ldexp(1.0, static_cast<int>(n));
}

TEST(ranks_of_median, are_the_binomial_ones) {
  for (std::size_t n = 1; n <= 50; ++n) {
    SCOPED_TRACE(n);
    const auto [rank, confidence] = ranks_of_median(n);
    EXPECT_NEAR(confidence, std::max(0.0, 1 - 2 * at_most(rank, n)), 1e-12);
    if (n >= 6) {
      EXPECT_GE(confidence, 0.95);
    } else {
      EXPECT_EQ(rank, 0u);
      EXPECT_LT(confidence, 0.95);
    }
    // One further in on both sides would be too narrow.
    EXPECT_LT(1 - 2 * at_most(rank + 1, n), n >= 6 ? 0.95 : 1.0);
  }
  // By hand, for n = 10: the second and the ninth, 1 - 2 (1 + 10) / 1024.
  EXPECT_EQ(ranks_of_median(10).rank, 1u);
  EXPECT_NEAR(ranks_of_median(10).confidence, 1 - 22.0 / 1024, 1e-12);
}

TEST(ranks_of_median, of_many_samples_follow_the_normal_law) {
  for (const std::size_t n : {2000u, 100000u}) {
    const double expected = static_cast<double>(n) / 2 - 1.96 * std::sqrt(static_cast<double>(n)) / 2;
    EXPECT_NEAR(static_cast<double>(ranks_of_median(n).rank), expected, 2.0);
    EXPECT_GE(ranks_of_median(n).confidence, 0.95);
    EXPECT_LT(ranks_of_median(n).confidence, 0.96);
  }
}

TEST(ratio_of, is_of_pairs_and_not_of_medians) {
  // The machine slows down in the middle of the run; of each pair the first takes twice as long.
  const std::vector<double> a{2, 2.2, 2, 8, 8.8, 8, 8, 20, 20, 22, 20};
  std::vector<double> b(a.size());
  std::transform(a.begin(), a.end(), b.begin(), [](double x) { return x / 2; });
  const paired_ratio r = ratio_of(a, b);
  EXPECT_DOUBLE_EQ(r.ratio, 2);
  EXPECT_DOUBLE_EQ(r.low, 2);
  EXPECT_DOUBLE_EQ(r.high, 2);
  EXPECT_EQ(r.rounds, 11);
}

TEST(ratio_of, interval_is_made_of_order_statistics) {
  std::vector<double> a{5, 1, 9, 3, 7, 2, 8, 4, 6, 10, 11};
  const std::vector<double> ones(a.size(), 1.0);
  const paired_ratio r = ratio_of(a, ones);  // n = 11: the second and the tenth
  EXPECT_EQ(r.ratio, 6);
  EXPECT_EQ(r.low, 2);
  EXPECT_EQ(r.high, 10);
  const paired_ratio few = ratio_of(std::span(a).first(4), std::span(ones).first(4));
  EXPECT_EQ(few.ratio, 4);
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 9);
  EXPECT_DOUBLE_EQ(few.confidence, 1 - 2.0 / 16);
}

TEST(ratio_of, interval_has_the_stated_coverage) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> skewed(0, 0.3);  // its median is 1, its mean is not
  constexpr int measurements = 4000;
  for (const std::size_t n : {11u, 40u}) {
    int covered = 0;
    double confidence = 0;
    for (int measurement = 0; measurement < measurements; ++measurement) {
      std::vector<double> a(n);
      for (double& each : a) each = 1.1 * skewed(random);
      const paired_ratio r = ratio_of(a, std::vector<double>(n, 1.0));
      covered += r.low <= 1.1 && 1.1 <= r.high ? 1 : 0;
      confidence = r.confidence;
    }
    // Four standard deviations of a count of successes.
    EXPECT_NEAR(covered, measurements * confidence,
                4 * std::sqrt(measurements * confidence * (1 - confidence)));
  }
}

TEST(ratio_of, refuses_what_is_no_pairs) {
  const std::vector<double> two{1, 2};
  const std::vector<double> three{1, 2, 3};
  EXPECT_THROW(ratio_of(two, three), error);
  EXPECT_THROW(ratio_of({}, {}), error);
}

TEST(summarise, median_interval_and_spread) {
  std::vector<double> samples(101);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = 100.0 + static_cast<double>((i * 37) % 101) - 50.0;
  const timing t = summarise(samples);
  EXPECT_EQ(t.median, 100);
  EXPECT_EQ(t.min, 50);
  EXPECT_EQ(t.max, 150);
  EXPECT_EQ(t.count, 101);
  EXPECT_EQ(t.median - t.low, t.high - t.median);
  EXPECT_NEAR(t.high - t.median, 0.98 * std::sqrt(101.0), 1.1);
  EXPECT_NEAR(t.spread, 50 / 1.349 / 100, 1e-12);
  EXPECT_EQ(summarise(std::vector<double>{1, 3}).median, 2);
  EXPECT_THROW(summarise({}), error);
}

TEST(time_interleaved, every_round_times_each_product_in_varying_order) {
  std::string order;
  std::vector<product_call> products;
  for (const char letter : {'a', 'b', 'c'}) {
    products.emplace_back([&order, letter](cuda_stream) {
      order += letter;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  }
  const comparison c = time_interleaved(products, cpu{}, {.seconds = 0, .rounds = 6});
  ASSERT_EQ(c.seconds.size(), 3u);
  for (const auto& samples : c.seconds) {
    EXPECT_EQ(samples.size(), 6u);
    for (const double s : samples) EXPECT_GE(s, 100e-6);
  }
  EXPECT_EQ(c.exposed, 0);
  EXPECT_EQ(c.preempted.size(), 3u);
  // Twice each before (once at all, once to see how long it takes); then one untimed and one timed call a
  // turn.
  EXPECT_EQ(order,
            "aabbcc"
            "aabbcc"
            "ccbbaa"
            "bbccaa"
            "aaccbb"
            "ccaabb"
            "bbaacc");
}

TEST(time_interleaved, gives_each_product_its_own_times) {
  told_time watch;
  const std::vector<product_call> products{[&](cuda_stream) { watch.now += 24; },
                                           [&](cuda_stream) { watch.now += 8; }};
  const comparison c = timer::interleave(products, watch, {.seconds = 0}, true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, 24));
  EXPECT_EQ(c.seconds[1], std::vector<double>(11, 8));
}

TEST(time_interleaved, short_calls_are_batched_and_divided) {
  told_time watch;
  std::int64_t count = 0;
  const product_call quarter_microsecond = [&](cuda_stream) {
    ++count;
    watch.now += 0x1p-22;
  };
  const comparison c =
      timer::interleave({&quarter_microsecond, 1}, watch, {.seconds = 0, .rounds = 11}, true);
  EXPECT_EQ(c.seconds[0], std::vector<double>(11, 0x1p-22));
  // 256 calls are the first power of two that takes 50 microseconds. Once at all, and each fewer calls once.
  EXPECT_EQ(count, 1 + 511 + 11 * 256);
}

/// The buffer that a cold sample goes over, seen through the allocation hook.
struct flush_buffer {
  static constexpr std::size_t bytes = std::size_t{8} << 20;
  double* begin = nullptr;

  static void* allocate(std::size_t size, std::size_t alignment, int, void* user) {
    void* const taken = ::operator new (size, std::align_val_t{alignment}, std::nothrow);
    if (size >= bytes) static_cast<flush_buffer*>(user)->begin = static_cast<double*>(taken);
    return taken;
  }
  static void release(void* pointer, std::size_t, int, void*) { std::free(pointer); }

  [[nodiscard]] bool every_line_was_written(double times) const {
    constexpr std::size_t line = 64 / sizeof(double);
    for (std::size_t i = 0; i < bytes / sizeof(double); i += line)
      if (begin[i] != times) return false;
    return true;
  }
};

TEST(time_interleaved, cold_calls_are_single_and_the_caches_are_filled_with_other_memory_before_each) {
  flush_buffer flushed;
  const allocation_hook before = set_host_allocation_hook(
      {.allocate = flush_buffer::allocate, .release = flush_buffer::release, .user = &flushed});
  int count = 0;
  int flushed_before = 0;
  const product_call looks = [&](cuda_stream) {
    if (count > 0 && flushed.begin != nullptr)
      flushed_before += flushed.every_line_was_written(count) ? 1 : 0;
    ++count;
  };
  const comparison cold = time_interleaved(
      {&looks, 1}, cpu{.threads = 1},
      {.cache = cache_state::cold, .seconds = 0, .flush_bytes = std::int64_t{flush_buffer::bytes}});
  set_host_allocation_hook(before);
  EXPECT_EQ(cold.seconds[0].size(), 11u);
  EXPECT_EQ(count, 12);  // once untimed, and no call between the flush and the sample
  EXPECT_EQ(flushed_before, 11);
}

TEST(time_interleaved, refuses_settings_without_meaning) {
  const product_call nothing = [](cuda_stream) {};
  const auto with = [&](const interleaving& how) { return time_interleaved({&nothing, 1}, cpu{}, how); };
  EXPECT_THROW(with({.seconds = std::nan("")}), error);
  EXPECT_THROW(with({.seconds = -1}), error);
  EXPECT_THROW(with({.seconds = INFINITY}), error);
  EXPECT_THROW(with({.rounds = 0}), error);
  EXPECT_THROW(with({.flush_bytes = -1}), error);
  EXPECT_TRUE(time_interleaved({}, cpu{}).seconds.empty());
}

TEST(time_interleaved, passes_on_what_a_product_throws) {
  const product_call throws = [](cuda_stream) { throw error(errc::busy, "no"); };
  EXPECT_THROW(time_interleaved({&throws, 1}, cpu{}, {.seconds = 0}), error);
}

TEST(call_latency, is_the_time_of_one_call) {
  const product_call sleeps = [](cuda_stream) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  EXPECT_GE(call_latency(sleeps, cpu{}, 3), 1e-3);
  EXPECT_THROW(call_latency(sleeps, cpu{}, 0), error);
}

TEST(product_vectors, multiply_the_ramp_and_show_what_is_not_written) {
  const auto a = bench_support::generate<double>("diagonal(n=200,values=constant)");
  const auto made = inspect(a.view(), cpu{}, {.format = "csr"});
  product_vectors<double> vectors(200, 200, cpu{});
  vectors.poison();
  for (const double y : vectors.result()) EXPECT_TRUE(std::isnan(y));
  vectors.call(made)({});
  EXPECT_THAT(vectors.result(), testing::ElementsAreArray(ramp<double>(200)));
  EXPECT_TRUE(vectors.device_y().empty());
}

TEST(last_level_cache, is_plausible) {
  const std::int64_t bytes = last_level_cache_bytes(cpu{});
  EXPECT_GE(bytes, 32 << 10);
  EXPECT_LT(bytes, std::int64_t{1} << 36);
}

TEST(thread_count, is_the_requested_count_within_the_limit) {
  EXPECT_EQ(thread_count({.threads = 3}), 3);
  EXPECT_GE(thread_count({}), 1);
  EXPECT_LT(thread_count({.threads = 1 << 30}), 1 << 30);
}

}  // namespace
}  // namespace gossamer::testing_support
