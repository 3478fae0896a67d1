// SPDX-License-Identifier: BSD-3-Clause
// sliced_ell on a device: which slices are wide, and products where the limit is not the least one.
#include "formats/sliced_ell/format.hpp"

#include <gmock/gmock.h>

#include "gossamer/plan.hpp"
#include "support/vectors.hpp"

namespace gossamer::formats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::integer_vector;
using testing_support::poisoned;

/// A quarter of what each of 2^17 threads would take of all slots, but 64 columns at least.
TEST(sliced_ell_wide, a_long_walk_is_a_part_of_the_whole_product) {
  EXPECT_EQ(sliced_ell_longest_walk(0, {.threads_per_row = 1}), 64);
  EXPECT_EQ(sliced_ell_longest_walk(64 << 19, {.threads_per_row = 1}), 64);
  EXPECT_EQ(sliced_ell_longest_walk(200 << 19, {.threads_per_row = 1}), 200);
  EXPECT_EQ(sliced_ell_longest_walk(200 << 19, {.threads_per_row = 2}), 100);
  EXPECT_EQ(sliced_ell_longest_walk(200 << 19, {.threads_per_row = 16}), 64);
  EXPECT_EQ(sliced_ell_longest_walk(std::int64_t{1} << 62, {.threads_per_row = 1}), 2147483647);
}

TEST(sliced_ell_wide, groups_are_wide_beyond_the_longest_walk_of_all_their_threads) {
  const std::vector<std::int64_t> width{64, 65, 129, 0, 128};
  EXPECT_THAT(sliced_ell_wide_groups(width, 64, {.threads_per_row = 1}), ElementsAre(1, 2, 4));
  EXPECT_THAT(sliced_ell_wide_groups(width, 64, {.threads_per_row = 2}), ElementsAre(2));
  EXPECT_THAT(sliced_ell_wide_groups(width, 128, {.threads_per_row = 1}), ElementsAre(2));
  EXPECT_THAT(sliced_ell_wide_groups(width, 129, {.threads_per_row = 1}), IsEmpty());
  // A slice of 128 rows is four groups; several slices of eight rows are one.
  EXPECT_THAT(sliced_ell_wide_groups(width, 128, {.slice_rows = 128, .threads_per_row = 1}),
              ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(sliced_ell_wide_groups(width, 64, {.slice_rows = 8, .threads_per_row = 1}), ElementsAre(0, 1));
}

/// Rows of 30 entries; every 1000th has 70 or 73, on either side of 71 or 72 columns, the limit for so
/// many slots; and one has 5000.
template <class V>
struct long_walks {
  static constexpr std::int64_t rows = 1'200'000;
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  std::vector<V> val;
  std::vector<V> x = integer_vector<V>(rows);
  std::vector<V> expected;

  long_walks() {
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t length = i == 600'007 ? 5000 : i % 2000 == 17 ? 70 : i % 2000 == 1017 ? 73 : 30;
      V sum{0};
      for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t j = (i + 7 * k) % rows;
        col.push_back(static_cast<std::int32_t>(j));
        val.push_back(static_cast<V>((i + k) % 5 - 2));
        sum += val.back() * x[static_cast<std::size_t>(j)];
      }
      row_ptr.push_back(static_cast<std::int64_t>(col.size()));
      expected.push_back(sum);
    }
  }
  [[nodiscard]] csr_view<V> view() const {
    return {.rows = rows, .cols = rows, .row_ptr = row_ptr, .col = col, .val = val};
  }
};

TEST(sliced_ell_wide, walks_longer_than_the_least_limit_are_right_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const long_walks<float> a;
  for (const char* const window : {"1", "1024"}) {
    const auto plan =
        inspect(a.view(), cuda{0},
                {.format = "sliced_ell",
                 .options = {{"sort_window", window}, {"threads_per_row", "1"}, {"max_padding", "100"}}});
    auto y = poisoned<float>(long_walks<float>::rows);
    plan.multiply(1.0f, a.x, 0.0f, y);
    EXPECT_TRUE(y == a.expected) << window;
  }
}

}  // namespace
}  // namespace gossamer::formats
