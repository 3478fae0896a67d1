// SPDX-License-Identifier: BSD-3-Clause
// Which arrays leave a device's memory.
#include "plans/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gossamer::plans {
namespace {

using testing::ElementsAre;

std::vector<bool> placed(const std::vector<std::int64_t>& bytes, std::int64_t limit) {
  return place(bytes, limit).on_host;
}

TEST(placement, leaves_all_on_the_device_where_it_fits) {
  EXPECT_THAT(placed({5, 40, 80}, 125), ElementsAre(false, false, false));
  EXPECT_THAT(placed({}, 0), ElementsAre());
}

TEST(placement, moves_the_smallest_array_that_is_enough) {
  EXPECT_THAT(placed({5, 40, 80}, 124), ElementsAre(true, false, false));
  EXPECT_THAT(placed({5, 40, 80}, 119), ElementsAre(false, true, false));
  EXPECT_THAT(placed({5, 40, 80}, 84), ElementsAre(false, false, true));
}

TEST(placement, moves_the_largest_first_where_none_is_enough) {
  EXPECT_THAT(placed({5, 40, 80}, 12), ElementsAre(false, true, true));
  EXPECT_THAT(placed({5, 40, 80}, 44), ElementsAre(true, false, true));
}

TEST(placement, moves_all_but_empty_arrays_where_nothing_may_stay) {
  EXPECT_THAT(placed({5, 0, 80}, 0), ElementsAre(true, false, true));
}

TEST(placement, keeps_room_for_vectors_and_scratch) {
  EXPECT_EQ(automatic_limit(1600, 100), 1400);
  EXPECT_EQ(automatic_limit(100, 1000), 0);
}

}  // namespace
}  // namespace gossamer::plans
