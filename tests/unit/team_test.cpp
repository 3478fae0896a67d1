// SPDX-License-Identifier: BSD-3-Clause
// A plan that leaves its threads to OpenMP knows how many there were when it was made; a product may find
// fewer, or more.
#include <gmock/gmock.h>
#include <omp.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "exec/cpu/adaptive_partition.hpp"
#include "gossamer/gossamer.hpp"
#include "unit/helpers.hpp"

namespace gossamer {
namespace {

using gossamer_test::thread_count;

std::vector<double> times_ramp(const plan<double>& p, std::int64_t rows, std::int64_t cols) {
  std::vector<double> x(static_cast<std::size_t>(cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1 + static_cast<double>(j % 97) / 97;
  std::vector<double> y(static_cast<std::size_t>(rows), std::numeric_limits<double>::quiet_NaN());
  p.multiply(1.0, x, 0.0, y);
  return y;
}

/// As many products as shares are learned in, and one more.
std::vector<double> after_learning(const plan<double>& p, std::int64_t rows, std::int64_t cols) {
  for (int k = 0; k < 40; ++k) static_cast<void>(times_ramp(p, rows, cols));
  return times_ramp(p, rows, cols);
}

TEST(team, of_one_thread_needs_no_adaptive_partition) {
  const auto a = bench_support::generate<double>("power_law(rows=30k,mean=8,max=300)");
  const std::int64_t alone = inspect(a.view(), cpu{.threads = 1}).make_workspace().bytes();
  const std::int64_t together = inspect(a.view(), cpu{.threads = 2}).make_workspace().bytes();
  EXPECT_GE(together, alone + static_cast<std::int64_t>(sizeof(exec::adaptive_partition)));
}

TEST(team, may_differ_from_the_one_that_a_plan_was_made_by) {
  const auto a = bench_support::generate<double>("power_law(rows=30k,mean=8,max=300)");
  int tested = 0;
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, device_set::cpu)) continue;
    SCOPED_TRACE(format.name);
    const thread_count made_by(4);
    const inspect_options options{.format = std::string(format.name)};
    std::optional<plan<double>> made;
    try {
      made.emplace(inspect(a.view(), cpu{}, options));
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::unsupported);
      continue;
    }
    const std::vector<double> by_four = times_ramp(*made, a.rows, a.cols);
    EXPECT_EQ(times_ramp(inspect(a.view(), cpu{.threads = 1}, options), a.rows, a.cols), by_four);
    EXPECT_EQ(after_learning(*made, a.rows, a.cols), by_four);
    for (const int threads : {1, 2, 3, 7, 16}) {
      const thread_count now(threads);
      EXPECT_EQ(times_ramp(*made, a.rows, a.cols), by_four) << threads;
    }
    // Inside of a region there is one thread, however many are asked for.
    std::vector<double> nested;
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) nested = times_ramp(*made, a.rows, a.cols);
    }
    EXPECT_EQ(nested, by_four) << "nested";
    ++tested;
  }
  EXPECT_GE(tested, 10);
}

/// A format that encodes values again may have other units then, and so other shares.
TEST(team, gets_other_shares_with_new_values) {
  int tested = 0;
  for (const format_info& format : list_formats()) {
    if (!contains(format.reencodes, device_set::cpu)) continue;
    SCOPED_TRACE(format.name);
    const inspect_options options{.format = std::string(format.name), .values_change = true};
    auto few = bench_support::generate<double>("uniform(rows=40k,per_row=12,values=few(3))");
    auto updated = inspect(few.view(), cpu{.threads = 4}, options);
    static_cast<void>(after_learning(updated, few.rows, few.cols));
    bench_support::assign_values(few, "distinct", 7);
    updated.update_values(few.view().val);
    EXPECT_EQ(after_learning(updated, few.rows, few.cols),
              times_ramp(inspect(few.view(), cpu{.threads = 4}, options), few.rows, few.cols));
    ++tested;
  }
  EXPECT_GE(tested, 2);
}

}  // namespace
}  // namespace gossamer
