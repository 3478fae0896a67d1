// SPDX-License-Identifier: BSD-3-Clause
// A plan that leaves its threads to OpenMP knows how many there were when it was made; a product may find fewer, or more.
#include <gmock/gmock.h>
#include <omp.h>

#include <limits>
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
    try {
      const auto made = inspect(a.view(), cpu{}, options);
      const std::vector<double> by_four = product(made);
      EXPECT_EQ(product(inspect(a.view(), cpu{.threads = 1}, options)), by_four);
      for (const int threads : {1, 2, 3, 7, 16}) {
        const openmp_threads now(threads);
        EXPECT_EQ(product(made), by_four) << threads;
      }
      ++tested;
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::unsupported);
    }
  }
  EXPECT_GE(tested, 10);
}

}  // namespace
}  // namespace gossamer
