// SPDX-License-Identifier: BSD-3-Clause
// The shares of a pass that is too short for its units to be stolen, on threads that may be unequally fast:
// what each took for its share in earlier products says what it gets in later ones.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>

#include "core/bisect.hpp"
#include "core/parallel.hpp"
#include "exec/cpu/work_stealing.hpp"

namespace gossamer::inline v0::exec {

/// Self-scheduling from product to product instead of within one: two virtual processors that share a core
/// stay so for thousands of short products. Which thread multiplies a unit changes no bit. For one product at
/// a time; allocates nothing.
class adaptive_partition {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr int most_threads = work_stealing_units::most_threads;
  /// Shares follow the medians of so many timed products, since any of them may have been interrupted.
  static constexpr int samples = 5;
  /// And of these medians the mean of all until there are so many, after which a new one counts as one of so
  /// many: alone they differ by 5 %, and of sixteen threads the slowest seems 10 % slower than it is.
  static constexpr int rounds_of_mean = 8;
  /// All of the first products are timed, until shares were made again so many times; then one of so many.
  static constexpr int early_rounds = 8;
  static_assert(early_rounds >= rounds_of_mean, "rounds are counted so far");
  static constexpr int interval = 16;

  /// Whether they are of these units, between so many threads.
  [[nodiscard]] bool are_of(std::uint64_t units_id, int team) const noexcept {
    return units_id == units_id_ && team == team_;
  }

  /// Begins with these shares: the first unit of each thread, at most most_threads, and how many units there
  /// are, at least as many.
  void start(std::uint64_t units_id, std::span<const std::int64_t> first_units) noexcept {
    units_id_ = units_id;
    team_ = static_cast<int>(first_units.size()) - 1;
    std::copy(first_units.begin(), first_units.end(), first_unit_.begin());
    late_.fill(0);
    speed_.fill(0);
    products_ = 0;
    rounds_ = taken_ = 0;
  }

  /// In the form that start() was given.
  [[nodiscard]] std::span<const std::int64_t> first_units() const noexcept {
    return std::span(first_unit_).first(static_cast<std::size_t>(team_) + 1);
  }

  /// Before each product: whether its threads note() their times, and learn() follows.
  [[nodiscard]] bool is_timed() noexcept { return rounds_ < early_rounds || products_++ % interval == 0; }

  /// By each thread, of its own share.
  void note(int thread, int team, clock::time_point begin, clock::time_point end) noexcept {
    thread_times& own = times_[static_cast<std::size_t>(thread)];
    own.team = team;
    own.begin[static_cast<std::size_t>(taken_)] = begin;
    own.end[static_cast<std::size_t>(taken_)] = end;
  }

  /// After a timed product. cost has units + 1 elements, what the units before each one take; null where all
  /// take the same.
  void learn(const std::int64_t* cost) noexcept {
    if (times_[0].team != team_) return;  // it had other shares, or not all threads
    if (++taken_ < samples) return;
    taken_ = 0;
    rounds_ = std::min(rounds_ + 1, early_rounds);
    share_out([&](std::int64_t unit) { return static_cast<double>(cost != nullptr ? cost[unit] : unit); });
  }

 private:
  /// A thread's own lines.
  struct alignas(64) thread_times {
    std::array<clock::time_point, samples> begin;
    std::array<clock::time_point, samples> end;
    int team = 0;
  };

  static double median(std::array<double, samples> of) noexcept {
    std::nth_element(of.begin(), of.begin() + samples / 2, of.end());
    return of[samples / 2];
  }

  /// Moves a mean towards what was found this time.
  void follow(double& mean, double found) const noexcept {
    mean += (found - mean) / std::min(rounds_, rounds_of_mean);
  }

  /// Follows how late each thread begins, and how much cost it does in a second: speeds and not times, so
  /// that one that was stopped for long counts again soon. One that has not had any yet is taken for the
  /// slowest of the others. False where none has.
  template <class Cost>
  bool find_speeds(std::array<double, most_threads>& speed, const Cost& before) noexcept {
    const auto all = std::span(times_).first(static_cast<std::size_t>(team_));
    std::array<clock::time_point, samples> first{};
    for (std::size_t k = 0; k < samples; ++k)
      first[k] = std::min_element(all.begin(), all.end(), [&](const thread_times& a, const thread_times& b) {
                   return a.begin[k] < b.begin[k];
                 })->begin[k];
    double slowest = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < all.size(); ++t) {
      std::array<double, samples> waited{};
      std::array<double, samples> took{};
      for (std::size_t k = 0; k < samples; ++k) {
        waited[k] = std::chrono::duration<double>(all[t].begin[k] - first[k]).count();
        took[k] = std::chrono::duration<double>(all[t].end[k] - all[t].begin[k]).count();
      }
      follow(late_[t], median(waited));
      const double cost = before(first_unit_[t + 1]) - before(first_unit_[t]);
      if (cost <= 0) continue;
      const double found = cost / std::max(median(took), shortest);
      if (speed_[t] > 0)
        follow(speed_[t], found);
      else
        speed_[t] = found;
      slowest = std::min(slowest, speed_[t]);
    }
    for (std::size_t t = 0; t < all.size(); ++t) speed[t] = speed_[t] > 0 ? speed_[t] : slowest;
    return slowest < std::numeric_limits<double>::infinity();
  }

  /// Shares by which all threads end at the same time, as far as whole units go.
  template <class Cost>
  void share_out(const Cost& before) noexcept {
    std::array<double, most_threads> speed;
    if (!find_speeds(speed, before)) return;
    const auto team = static_cast<std::size_t>(team_);
    const std::int64_t units = first_unit_[team];
    double of_all = 0;
    double missed = 0;
    for (std::size_t t = 0; t < team; ++t) {
      of_all += speed[t];
      missed += late_[t] * speed[t];
    }
    const double together = (before(units) + missed) / of_all;
    std::array<std::int64_t, most_threads + 1> next{};
    double cost = 0;
    for (std::size_t t = 1; t < team; ++t) {
      cost += std::max(0.0, together - late_[t - 1]) * speed[t - 1];
      // At least one unit for each, whose time tells when the thread is fast again.
      next[t] = std::clamp(nearest(cost, before, units), next[t - 1] + 1,
                           units - static_cast<std::int64_t>(team - t));
    }
    next[team] = units;
    const auto last_end = [&](const auto& shares) {
      double end = 0;
      for (std::size_t t = 0; t < team; ++t)
        end = std::max(end, late_[t] + (before(shares[t + 1]) - before(shares[t])) / speed[t]);
      return end;
    };
    // Units that move are in another core's cache at first.
    constexpr double adoption_threshold = 0.97;
    if (last_end(next) < adoption_threshold * last_end(first_unit_)) first_unit_ = next;
  }

  /// The unit before which the costs are nearest to `cost`.
  template <class Cost>
  static std::int64_t nearest(double cost, const Cost& before, std::int64_t units) noexcept {
    const std::int64_t above =
        first_where(std::int64_t{0}, units, [&](std::int64_t u) { return before(u) >= cost; });
    return above > 0 && cost - before(above - 1) < before(above) - cost ? above - 1 : above;
  }

  static constexpr double shortest = 1e-9;  ///< seconds, that a share takes: clocks may be coarse

  std::array<thread_times, most_threads> times_;
  // What threads read, on lines that are seldom written.
  alignas(64) int team_ = 0;
  int taken_ = 0;  ///< samples since shares were made last
  std::array<std::int64_t, most_threads + 1> first_unit_{};
  // Of the calling thread alone.
  alignas(64) std::array<double, most_threads> late_{};  ///< seconds
  std::array<double, most_threads> speed_{};             ///< cost a second; 0 where it is not known
  // What each product writes.
  alignas(64) unsigned products_ = 0;
  int rounds_ = 0;
  std::uint64_t units_id_ = 0;
};

}  // namespace gossamer::inline v0::exec
