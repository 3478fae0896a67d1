// SPDX-License-Identifier: BSD-3-Clause
// Storage so long that units are stolen in every format: the product is right and has the same bits,
// whichever thread takes them.
#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "exec/cpu/work_stealing.hpp"
#include "property/property.hpp"
#include "support/variable.hpp"

namespace gossamer::testing_support {
namespace {

class long_storage : public property_test {};

TEST_P(long_storage, gives_the_same_bits_for_any_threads) {
  int taken = 0;
  // One that a format of diagonals takes, and one whose rows share nothing.
  for (const char* const specification :
       {"banded(n=100k,lower=11,upper=11)", "uniform(rows=100k,per_row=23)"}) {
    const auto a = bench_support::generate<double>(specification);
    if (!forecast(a.view(), measure_rows(a.view()), format(), {}, where()).refusal.empty()) continue;
    ++taken;
    const auto x = random_vector<double>(a.cols, 3);
    std::vector<double> first;
    for (const auto& [threads, sweeps] : {std::pair{1, "forward"}, {5, "forward"}, {5, "alternating"}}) {
      const variable set("GOSSAMER_SWEEPS", sweeps);
      const auto plan = inspect(a.view(), where(0, threads), {.format = format()});
      ASSERT_GE(plan.bytes(), exec::long_bytes);
      for (int times = 0; times < 4; ++times) {
        auto y = poisoned<double>(a.rows);
        plan.multiply(1.0, x, 0.0, y);
        if (first.empty()) {
          first = y;
          const auto v = bench_support::verify<double, std::int64_t>(a.view(), 1.0, x, 0.0, y, y);
          ASSERT_TRUE(v.passed()) << "row " << v.row << " is off by " << v.error_ratio << " bounds";
        }
        ASSERT_TRUE(same_bits(first, y)) << threads << " threads, " << sweeps << ", " << specification;
      }
    }
  }
  EXPECT_GT(taken, 0) << "both matrices were refused";
}

INSTANTIATE_TEST_SUITE_P(formats, long_storage, testing::ValuesIn(cpu_subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support
