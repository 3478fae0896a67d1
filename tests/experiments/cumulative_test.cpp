// SPDX-License-Identifier: BSD-3-Clause
// Cumulative curves and means of a few numbers.
#include "experiments/cumulative.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace {

using gossamer::experiments::descending;
using gossamer::experiments::geometric_mean;
using gossamer::experiments::reaching;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(cumulative, element_k_is_what_k_matrices_reach) {
  const auto curve = descending({0.5, 8, 2, 2});
  EXPECT_THAT(curve, ElementsAre(8, 2, 2, 0.5));
  for (std::size_t k = 1; k <= curve.size(); ++k) EXPECT_GE(reaching(curve, curve[k - 1]), k);
  EXPECT_THAT(descending({}), IsEmpty());
}

TEST(cumulative, the_bound_itself_counts) {
  const std::vector<double> ratios{0.5, 8, 2, 2};
  EXPECT_EQ(reaching(ratios, 2), 3u);
  EXPECT_EQ(reaching(ratios, std::nextafter(2.0, 3.0)), 1u);
  EXPECT_EQ(reaching(ratios, 0), 4u);
  EXPECT_EQ(reaching(ratios, 9), 0u);
  EXPECT_EQ(reaching({}, 1), 0u);
}

TEST(cumulative, geometric_mean_is_one_of_a_ratio_and_its_inverse) {
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector<double>{4, 0.25}), 1.0);
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector<double>{2, 2, 2}), 2.0);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

}  // namespace
