// SPDX-License-Identifier: BSD-3-Clause
// Shares that follow what threads took, with clocks that the test makes up.
#include "exec/cpu/adaptive_partition.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace {

namespace exec = gossamer::exec;
using shares = exec::adaptive_partition;
using clock = shares::clock;

/// Threads of known speeds that multiply by shares until those have settled.
class team {
 public:
  team(std::vector<std::int64_t> cost, std::vector<double> seconds_of_cost)
      : cost_(std::move(cost)), rate_(std::move(seconds_of_cost)), late_(rate_.size(), 0.0) {
    std::vector<std::int64_t> first;
    const auto threads = static_cast<int>(rate_.size());
    for (int t = 0; t < threads; ++t)
      first.push_back(gossamer::core::share_by_cost(cost_.data(), units(), t, threads).begin);
    first.push_back(units());
    adaptive_.start(1, first);
  }

  std::vector<double>& rate() { return rate_; }
  std::vector<double>& late() { return late_; }
  shares& adaptive() { return adaptive_; }
  [[nodiscard]] std::int64_t units() const { return static_cast<std::int64_t>(cost_.size()) - 1; }

  /// From now on a share takes up to that part of its time more or less, in each product.
  void add_noise(double part) { noise_ = std::uniform_real_distribution<double>(1 - part, 1 + part); }

  /// Whether that product was timed. slowed: a thread that is interrupted in it, or -1.
  bool multiply(int slowed = -1, int of = 0) {
    const bool timed = adaptive_.is_timed();
    if (!timed) return false;
    now_ += std::chrono::milliseconds(1);
    for (std::size_t t = 0; t < rate_.size(); ++t) {
      const auto begin = now_ + seconds(late_[t]);
      const double took =
          share_cost(t) * rate_[t] * noise_(random_) + (static_cast<int>(t) == slowed ? 1.0 : 0.0);
      adaptive_.note(static_cast<int>(t), of > 0 ? of : static_cast<int>(rate_.size()), begin,
                     begin + seconds(took));
    }
    adaptive_.learn(cost_.data());
    return true;
  }
  void settle() {
    for (int k = 0; k < 40 * shares::samples * shares::interval; ++k) multiply();
  }

  [[nodiscard]] double share_cost(std::size_t t) const {
    const auto first = adaptive_.first_units();
    return static_cast<double>(cost_[static_cast<std::size_t>(first[t + 1])] -
                               cost_[static_cast<std::size_t>(first[t])]);
  }
  /// When the last thread ends.
  [[nodiscard]] double end() const {
    double end = 0;
    for (std::size_t t = 0; t < rate_.size(); ++t) end = std::max(end, late_[t] + share_cost(t) * rate_[t]);
    return end;
  }
  /// When all would end that could cut units.
  [[nodiscard]] double ideal() const {
    double speed = 0;
    double missed = 0;
    for (std::size_t t = 0; t < rate_.size(); ++t) {
      speed += 1 / rate_[t];
      missed += late_[t] / rate_[t];
    }
    return (static_cast<double>(cost_.back()) + missed) / speed;
  }
  void expect_all_units_once() const {
    const auto first = adaptive_.first_units();
    ASSERT_EQ(first.size(), rate_.size() + 1);
    EXPECT_EQ(first.front(), 0);
    EXPECT_EQ(first.back(), units());
    for (std::size_t t = 0; t < rate_.size(); ++t) EXPECT_LT(first[t], first[t + 1]) << t;
  }

 private:
  static clock::duration seconds(double s) {
    return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(s));
  }
  std::vector<std::int64_t> cost_;
  std::vector<double> rate_;
  std::vector<double> late_;
  std::mt19937 random_{1};
  std::uniform_real_distribution<double> noise_{1, 1};
  clock::time_point now_{};
  shares adaptive_;
};

std::vector<std::int64_t> equal_units(std::int64_t units, std::int64_t each) {
  std::vector<std::int64_t> cost(static_cast<std::size_t>(units) + 1);
  for (std::size_t u = 0; u < cost.size(); ++u) cost[u] = static_cast<std::int64_t>(u) * each;
  return cost;
}

TEST(adaptive_partition, end_together_on_threads_that_are_unequally_fast) {
  constexpr std::int64_t each = 100;
  team t(equal_units(256, each), {1e-9, 1e-9, 2e-9, 1e-9, 1.5e-9, 1e-9, 1e-9, 2e-9});
  const double before = t.end();
  t.settle();
  t.expect_all_units_once();
  EXPECT_LT(t.end(), 0.8 * before);
  // A unit of the slowest, or what moving units has to gain.
  EXPECT_LT(t.end(), t.ideal() * 1.03 + each * 2e-9);
}

TEST(adaptive_partition, count_by_the_costs_of_units) {
  std::vector<std::int64_t> cost(201);
  for (std::size_t u = 1; u < cost.size(); ++u)
    cost[u] = cost[u - 1] + 10 + 5 * (static_cast<std::int64_t>(u) % 40);
  team t(cost, {1e-9, 3e-9, 1e-9, 1e-9});
  t.settle();
  t.expect_all_units_once();
  EXPECT_LT(t.end(), t.ideal() * 1.03 + 205 * 3e-9);
}

TEST(adaptive_partition, of_a_thread_that_begins_late_are_smaller) {
  team t(equal_units(160, 100), {1e-9, 1e-9, 1e-9, 1e-9});
  t.late() = {0, 0, 0, 1.5e-6};
  t.settle();
  EXPECT_LT(t.end(), t.ideal() * 1.03 + 100e-9);
  EXPECT_LT(t.share_cost(3), t.share_cost(0));
}

TEST(adaptive_partition, follow_threads_that_change) {
  team t(equal_units(256, 100), {1e-9, 2e-9, 1e-9, 1e-9});
  t.settle();
  t.rate() = {1e-9, 1e-9, 1e-9, 2e-9};
  t.settle();
  t.expect_all_units_once();
  EXPECT_LT(t.end(), t.ideal() * 1.03 + 200e-9);
}

TEST(adaptive_partition, follow_what_lasts_and_not_what_differs_from_product_to_product) {
  std::vector<double> rate(16, 1e-7);
  for (std::size_t t = 1; t < rate.size(); t += 4) rate[t] = 1.5e-7;
  team t(equal_units(512, 100), rate);
  t.add_noise(0.2);
  t.settle();
  double sum = 0;
  constexpr int times = 1000;
  for (int k = 0; k < times; ++k) {
    for (int timed = 0; timed < shares::samples;) timed += t.multiply() ? 1 : 0;
    sum += t.end() / t.ideal();
  }
  EXPECT_LT(sum / times, 1.06);  // 1.14 by the medians of five alone
}

TEST(adaptive_partition, do_not_follow_interruptions) {
  team t(equal_units(256, 100), {1e-9, 1e-9, 1e-9, 1e-9});
  for (int k = 0; k < 50 * shares::samples * shares::interval; ++k) t.multiply(k % 3 == 0 ? 2 : -1);
  for (std::size_t of = 0; of < 4; ++of) EXPECT_EQ(t.share_cost(of), 6400) << of;
}

TEST(adaptive_partition, leave_a_unit_to_each) {
  team t(equal_units(16, 100), {1e-9, 1e-3, 1e-9, 1e-9});
  t.settle();
  t.expect_all_units_once();
  EXPECT_EQ(t.share_cost(1), 100);
  t.rate()[1] = 1e-9;
  t.settle();
  EXPECT_EQ(t.share_cost(1), 400);
}

TEST(adaptive_partition, includes_threads_without_an_initial_share) {
  std::vector<std::int64_t> cost{0};
  for (int u = 0; u <= 50; ++u) cost.push_back(cost.back() + (u == 0 ? 500 : 10));
  team t(cost, {1e-9, 1e-9, 1e-9, 3e-9});
  ASSERT_EQ(t.share_cost(1), 0);
  EXPECT_DOUBLE_EQ(t.end(), 750e-9);
  t.settle();
  t.expect_all_units_once();
  EXPECT_DOUBLE_EQ(t.end(), 500e-9);
}

TEST(adaptive_partition, ignore_products_of_another_team) {
  team t(equal_units(256, 100), {1e-9, 5e-9, 1e-9, 1e-9});
  for (int k = 0; k < 1000; ++k) t.multiply(-1, 2);
  for (std::size_t of = 0; of < 4; ++of) EXPECT_EQ(t.share_cost(of), 6400) << of;
}

TEST(adaptive_partition, restarts_with_other_units) {
  team t(equal_units(256, 100), {1e-9, 5e-9, 1e-9, 1e-9});
  t.settle();
  EXPECT_TRUE(t.adaptive().are_of(1, 4));
  EXPECT_FALSE(t.adaptive().are_of(2, 4));
  EXPECT_FALSE(t.adaptive().are_of(1, 3));
  const std::vector<std::int64_t> other{0, 10, 20};
  t.adaptive().start(2, other);
  EXPECT_TRUE(t.adaptive().are_of(2, 2));
  EXPECT_EQ(std::vector<std::int64_t>(t.adaptive().first_units().begin(), t.adaptive().first_units().end()),
            other);
}

/// Speeds and lateness that were learned say nothing of other units: the first five products decide again.
TEST(adaptive_partition, forgets_times_of_other_units) {
  shares adaptive;
  const auto take = [&](int products, int first_ns, int second_ns, int second_late_ns) {
    for (int k = 0; k < products; ++k) {
      ASSERT_TRUE(adaptive.is_timed());
      const auto first = adaptive.first_units();
      const auto now = clock::time_point{} + std::chrono::milliseconds(k);
      const auto late = now + std::chrono::nanoseconds(second_late_ns);
      adaptive.note(0, 2, now, now + std::chrono::nanoseconds((first[1] - first[0]) * first_ns));
      adaptive.note(1, 2, late, late + std::chrono::nanoseconds((first[2] - first[1]) * second_ns));
      adaptive.learn(nullptr);
    }
  };
  adaptive.start(1, std::vector<std::int64_t>{0, 50, 100});
  take((shares::early_rounds - 1) * shares::samples, 900, 100, 3000);
  EXPECT_LT(adaptive.first_units()[1], 30);
  adaptive.start(2, std::vector<std::int64_t>{0, 50, 100});
  take(shares::samples, 100, 300, 0);
  EXPECT_EQ(adaptive.first_units()[1], 75);
}

TEST(adaptive_partition, times_early_products_always_and_later_ones_seldom) {
  team t(equal_units(256, 100), {1e-9, 1e-9});
  for (int k = 0; k < shares::early_rounds * shares::samples; ++k) EXPECT_TRUE(t.multiply()) << k;
  int timed = 0;
  for (int k = 0; k < 10 * shares::interval; ++k) timed += t.multiply() ? 1 : 0;
  EXPECT_EQ(timed, 10);
}

TEST(adaptive_partition, need_no_costs) {
  shares adaptive;
  adaptive.start(7, std::vector<std::int64_t>{0, 50, 100});
  for (int k = 0; k < shares::early_rounds * shares::samples; ++k) {
    ASSERT_TRUE(adaptive.is_timed());
    for (int t = 0; t < 2; ++t) {
      const auto first = adaptive.first_units();
      const auto count = first[static_cast<std::size_t>(t) + 1] - first[static_cast<std::size_t>(t)];
      adaptive.note(t, 2, {}, clock::time_point{} + std::chrono::nanoseconds(count * (t == 0 ? 100 : 300)));
    }
    adaptive.learn(nullptr);
  }
  EXPECT_EQ(adaptive.first_units()[1], 75);
}

}  // namespace
