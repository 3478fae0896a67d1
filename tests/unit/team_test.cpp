// SPDX-License-Identifier: BSD-3-Clause
// A plan that leaves its threads to OpenMP knows how many there were when it was made; a product may find fewer, or more.
#include <gmock/gmock.h>
#include <omp.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/gossamer.hpp"

namespace gossamer {
namespace {

/// Sets OpenMP's number of threads, and back.
class openmp_threads {
 public:
  explicit openmp_threads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  openmp_threads(const openmp_threads&) = delete;
  openmp_threads& operator=(const openmp_threads&) = delete;
  ~openmp_threads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

TEST(team, may_differ_from_the_one_that_a_plan_was_made_by) {
  const auto a = generate<double>("power_law(rows=30k,mean=8,max=300)");
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1 + static_cast<double>(j % 97) / 97;
  const auto product = [&](const plan<double>& p) {
    std::vector<double> y(static_cast<std::size_t>(a.rows), std::numeric_limits<double>::quiet_NaN());
    p.multiply(1.0, x, 0.0, y);
    return y;
  };
  int tested = 0;
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, device_set::cpu)) continue;
    SCOPED_TRACE(format.name);
    const openmp_threads made_by(4);
    const inspect_options options{.format = std::string(format.name)};
    std::optional<plan<double>> made;
    try {
      made.emplace(inspect(a.view(), cpu{}, options));
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::unsupported);
      continue;
    }
    const std::vector<double> by_four = product(*made);
    EXPECT_EQ(product(inspect(a.view(), cpu{.threads = 1}, options)), by_four);
    for (const int threads : {1, 2, 3, 7, 16}) {
      const openmp_threads now(threads);
      EXPECT_EQ(product(*made), by_four) << threads;
    }
    // Inside of a region there is one thread, however many are asked for.
    std::vector<double> nested;
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) nested = product(*made);
    }
    EXPECT_EQ(nested, by_four) << "nested";
    ++tested;
  }
  EXPECT_GE(tested, 10);
}

/// A format that codes values anew may have other units then, and so other shares.
TEST(team, gets_other_shares_with_new_values) {
  const auto a = generate<double>("uniform(rows=40k,per_row=12,values=few(3))");
  std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += static_cast<double>(j % 89) / 89;
  const auto product = [&](const plan<double>& p) {
    std::vector<double> y(static_cast<std::size_t>(a.rows), std::numeric_limits<double>::quiet_NaN());
    p.multiply(1.0, x, 0.0, y);
    return y;
  };
  int tested = 0;
  for (const format_info& format : list_formats()) {
    if (!format.recodes || !contains(format.devices, device_set::cpu)) continue;
    SCOPED_TRACE(format.name);
    const inspect_options options{.format = std::string(format.name), .values_change = true};
    auto few = generate<double>("uniform(rows=40k,per_row=12,values=few(3))");
    auto updated = inspect(few.view(), cpu{.threads = 4}, options);
    assign_values(few, "distinct", 7);
    updated.update_values(few.view().val);
    EXPECT_EQ(product(updated), product(inspect(few.view(), cpu{.threads = 4}, options)));
    ++tested;
  }
  EXPECT_GE(tested, 2);
}

}  // namespace
}  // namespace gossamer
