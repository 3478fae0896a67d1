// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue learn the shares of threads as other products do.
#include "plans/cpu_schedule.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace gossamer::testing_support::cpu_schedules {
namespace {

using exec::adaptive_partition;
using plans::bound_pass;
using plans::cpu_schedule;
using scalars = f64;
using testing::ElementsAre;

constexpr std::int64_t slow_units = 8;

/// 16 units of one row each. The first 8, the initial share of the first of two threads, take long.
std::vector<bound_pass<scalars>> passes(const std::int32_t* first_row) {
  std::vector<bound_pass<scalars>> one(1);
  one[0].run = [](const product<scalars>& p, std::int64_t first, std::int64_t last, double*) {
    for (std::int64_t u = first; u < last; ++u) {
      if (u < slow_units) std::this_thread::sleep_for(std::chrono::microseconds(500));
      p.y[u] = p.alpha;
    }
  };
  one[0].units = 2 * slow_units;
  one[0].min_units_per_thread = 1;
  one[0].first_row = first_row;
  return one;
}

TEST(cpu_schedule, learns_shares_in_products_with_an_epilogue) {
  if (core::team_size(2) < 2) GTEST_SKIP() << "one thread";
  std::vector<std::int32_t> first_row(2 * slow_units + 1);
  std::iota(first_row.begin(), first_row.end(), 0);
  const cpu_schedule<scalars> schedule(passes(first_row.data()), 0, 0, 2);
  ASSERT_TRUE(schedule.finishes_rows());
  const auto workspace = schedule.make_workspace(1);
  std::vector<double> y(2 * slow_units);
  double dot = 0;
  exec::row_epilogue<scalars> e;
  e.with[0] = y.data();
  e.result[0] = &dot;
  const auto multiply = [&](int products) {
    const product<scalars> p{.alpha = 2, .y = y.data()};
    for (int k = 0; k < products; ++k) schedule.multiply(p, p, e, *workspace);
  };
  multiply(1);
  adaptive_partition& learned = *workspace->learned(0);
  EXPECT_THAT(learned.first_units(), ElementsAre(0, slow_units, 2 * slow_units));
  multiply(adaptive_partition::samples - 1);
  EXPECT_LT(learned.first_units()[1], slow_units);
  multiply((adaptive_partition::early_rounds - 1) * adaptive_partition::samples);
  int timed = 0;
  for (int k = 0; k < adaptive_partition::interval; ++k) timed += learned.is_timed() ? 1 : 0;
  EXPECT_EQ(timed, 1);
  EXPECT_EQ(dot, 4 * 2 * slow_units);
}

}  // namespace
}  // namespace gossamer::testing_support::cpu_schedules
