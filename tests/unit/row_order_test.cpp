// SPDX-License-Identifier: BSD-3-Clause
// Rows by length: one order, however it is found.
#include "formats/common/row_order.hpp"

#include <gmock/gmock.h>

#include <random>

namespace {

using gossamer::csr_view;
namespace formats = gossamer::formats;

/// A matrix of which there are row offsets alone.
struct lengths_only {
  std::vector<std::int64_t> row_ptr{0};
  void add(std::int64_t length) { row_ptr.push_back(row_ptr.back() + length); }
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(row_ptr.size()) - 1; }
  [[nodiscard]] csr_view<double, std::int64_t> view() const {
    return {.rows = rows(), .cols = 1, .row_ptr = row_ptr, .col = {}, .val = {}};
  }
};

/// Short rows, empty ones, and a few on both sides of the length up to which rows are counted.
lengths_only uneven(std::int64_t rows) {
  std::mt19937_64 random(3);
  lengths_only a;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t kind = random() % 1000;
    if (kind == 0)
      a.add(static_cast<std::int64_t>(random() % 5) + formats::most_counted_length - 2);
    else if (kind == 1)
      a.add(static_cast<std::int64_t>(random() % 3) * 1000000);
    else
      a.add(static_cast<std::int64_t>(random() % 40));
  }
  return a;
}

std::vector<std::int32_t> sorted(const lengths_only& a, std::int64_t window) {
  const auto view = a.view();
  std::vector<std::int32_t> order(static_cast<std::size_t>(a.rows()));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t first = 0; first < a.rows(); first += window)
    std::stable_sort(order.begin() + first, order.begin() + std::min(a.rows(), first + window),
                     [&](std::int32_t i, std::int32_t j) {
                       return formats::row_length(view, i) > formats::row_length(view, j);
                     });
  return order;
}

TEST(row_order, of_segments_is_that_of_one_thread) {
  const lengths_only a = uneven(20011);
  for (const auto& [first, last] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 20011}, {500, 19000}, {7, 12}, {3, 3}}) {
    std::vector<std::int32_t> expected(static_cast<std::size_t>(last - first));
    formats::order_by_length(a.view(), first, last, expected.data());
    for (const std::int64_t segments : {1, 2, 3, 7, 64}) {
      std::vector<std::int32_t> order(expected.size(), -1);
      formats::order_in_segments(a.view(), first, last, segments, order.data());
      EXPECT_EQ(order, expected) << "rows " << first << " to " << last << " in " << segments << " segments";
    }
  }
}

TEST(row_order, is_stable_in_every_window) {
  const lengths_only a = uneven(150001);
  for (const std::int64_t window : {std::int64_t{1}, std::int64_t{1024}, std::int64_t{60000},
                                    std::int64_t{100000}, std::int64_t{150001}, std::int64_t{1} << 30}) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(a.rows()), -1);
    formats::order_rows(a.view(), window, order.data());
    EXPECT_EQ(order, sorted(a, window)) << window;
  }
}

TEST(row_order, of_no_rows_is_empty) {
  const lengths_only none;
  formats::order_rows(none.view(), std::int64_t{1} << 20, nullptr);
  EXPECT_EQ(formats::order_rows(none.view(), 1).size(), 0u);
}

}  // namespace
