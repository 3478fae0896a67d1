// SPDX-License-Identifier: BSD-3-Clause
// How a GPU's products by several columns are divided into packs.
#include "exec/pack_products.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <tuple>
#include <vector>

#include "exec/reduction/carries.hpp"

namespace gossamer::testing_support::pack_products {
namespace {

struct launched {
  int width;
  unsigned packs;
  std::int64_t first;
  std::ptrdiff_t x;  ///< elements from X to the first pack
  std::ptrdiff_t y;
  std::int64_t x_next;
  std::int64_t y_next;
  bool operator==(const launched&) const = default;
};

template <class S>
struct matrices {
  alignas(16) vector_t<S> x[64] = {};
  alignas(16) vector_t<S> y[64] = {};

  /// x_before: elements in front of X.
  [[nodiscard]] std::vector<launched> divide(const columns_product<S>& layout, std::int64_t x_before = 0) {
    columns_product<S> p = layout;
    p.x = x + x_before;
    p.y = y;
    std::vector<launched> all;
    exec::divide_into_packs(p, [&]<class Packs>(const exec::pack_products<Packs>& some, std::int64_t first) {
      EXPECT_EQ(some.first.x.step, p.x_step);
      EXPECT_EQ(some.first.y.step, p.y_step);
      all.push_back({.width = sizeof(vector_t<Packs>) / sizeof(vector_t<S>),
                     .packs = some.count,
                     .first = first,
                     .x = some.first.x.first - p.x,
                     .y = some.first.y.first - p.y,
                     .x_next = some.x_next,
                     .y_next = some.y_next});
    });
    return all;
  }
};

columns_product<f64> row_major_f64(std::int64_t columns, std::int64_t x_step, std::int64_t y_step) {
  return {.columns = columns, .x_step = x_step, .x_next = 1, .y_step = y_step, .y_next = 1};
}

TEST(pack_products, take_the_widest_packs_of_aligned_rows) {
  EXPECT_THAT(matrices<f64>().divide(row_major_f64(15, 16, 18)),
              testing::ElementsAre(launched{4, 3, 0, 0, 0, 4, 4}, launched{2, 1, 12, 12, 12, 2, 2},
                                   launched{1, 1, 14, 14, 14, 1, 1}));
}

TEST(pack_products, take_single_columns_of_unaligned_rows) {
  for (const auto& [x_step, y_step, x_before] : {std::tuple{3, 4, 0}, {4, 3, 0}, {4, 4, 1}})
    EXPECT_THAT(matrices<f64>().divide(row_major_f64(3, x_step, y_step), x_before),
                testing::ElementsAre(launched{1, 3, 0, 0, 0, 1, 1}))
        << x_step << " " << y_step << " " << x_before;
}

TEST(pack_products, take_narrow_packs_of_rows_aligned_to_them_alone) {
  const columns_product<f32> p{.columns = 5, .x_step = 6, .x_next = 1, .y_step = 8, .y_next = 1};
  EXPECT_THAT(matrices<f32>().divide(p),
              testing::ElementsAre(launched{2, 2, 0, 0, 0, 2, 2}, launched{1, 1, 4, 4, 4, 1, 1}));
}

TEST(pack_products, take_single_columns_that_are_not_adjacent) {
  const columns_product<f64> p{.columns = 4, .x_step = 1, .x_next = 8, .y_step = 4, .y_next = 1};
  EXPECT_THAT(matrices<f64>().divide(p), testing::ElementsAre(launched{1, 4, 0, 0, 0, 8, 1}));
}

/// Slots keep what a product has written, counts must be zero.
template <class Packs>
void expect_counts_behind_all_slots() {
  using room = exec::carry_room<sum_t<Packs>>;
  constexpr std::int64_t columns = 8;
  constexpr auto width = static_cast<std::int64_t>(sizeof(sum_t<Packs>) / sizeof(float));
  const exec::carry_view carries{.runs = 3, .slots = 6};
  std::vector<float> scratch(static_cast<std::size_t>(columns * exec::scratch_values<float>(carries)));
  auto* const behind_slots = reinterpret_cast<unsigned*>(scratch.data() + columns * carries.slots);
  for (std::int64_t first = 0; first < columns; first += width) {
    const room all = room::in(carries, scratch.data(), columns, first);
    EXPECT_EQ(all.arrivals(carries), behind_slots);
    for (std::int64_t pack = 0; first + (pack + 1) * width <= columns; ++pack) {
      const room one = all.of_pack(carries, static_cast<unsigned>(pack));
      EXPECT_EQ(reinterpret_cast<float*>(one.slots), scratch.data() + (first + pack * width) * carries.slots);
      EXPECT_EQ(one.arrivals(carries), behind_slots + pack * carries.runs);
    }
  }
}

TEST(pack_products, of_all_widths_count_in_the_same_place) {
  expect_counts_behind_all_slots<f32_device_x1>();
  expect_counts_behind_all_slots<f32_device_x2>();
  expect_counts_behind_all_slots<f32_device_x4>();
}

}  // namespace
}  // namespace gossamer::testing_support::pack_products
