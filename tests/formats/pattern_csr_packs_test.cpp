// SPDX-License-Identifier: BSD-3-Clause
// Several rows of pattern_csr with the same columns, times several vectors at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

/// Seven rows, one fewer than a tile has, with the same columns: pieces of 8, 8, 8 and 1, then `scattered`
/// isolated ones. All entries are `value`.
template <class V>
csr_matrix<V, std::int64_t> equal_rows(V value, int scattered) {
  constexpr int rows = 7;
  std::vector<std::int32_t> columns;
  for (int k = 0; k < 25; ++k) columns.push_back(k + k / 8);
  for (int k = 0; k < scattered; ++k) columns.push_back(30 + 2 * k);
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int i = 0; i < rows; ++i) {
    row.insert(row.end(), columns.size(), i);
    col.insert(col.end(), columns.begin(), columns.end());
  }
  const std::vector<V> val(row.size(), value);
  return csr_from_coo<V, std::int64_t>(
      {.rows = rows, .cols = columns.back() + 1, .row = row, .col = col, .val = val});
}

/// In the first column all products are -0.0, and the sums 0.0, since a single product adds 0.0 for empty
/// lanes. In the other columns no sum is zero.
template <class V>
void expect_positive_zeros(int scattered) {
  constexpr V least = std::numeric_limits<V>::denorm_min();
  const auto a = equal_rows<V>(static_cast<V>(-0.3), scattered);
  const std::vector<V> x(static_cast<std::size_t>(a.cols), least);  // each product is rounded to -0.0
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto made = inspect(a.view(), cpu{.threads = 1, .level = level}, {.format = "pattern_csr"});
    std::vector<V> y(static_cast<std::size_t>(a.rows));
    made.multiply(V{1}, x, V{0}, y);
    for (const V each : y) {
      ASSERT_EQ(each, V{0});
      ASSERT_FALSE(std::signbit(each)) << "the single product gives -0.0, so this test checks nothing";
    }
    for (const std::int64_t columns : {4, 8, 16})
      ASSERT_NO_FATAL_FAILURE(check_pack(made, x, V{0}, columns)) << columns << " columns";
  }
}

TEST(pattern_csr_packs, have_the_zeros_of_single_products) {
  for (const int scattered : {0, 40}) {
    expect_positive_zeros<float>(scattered);
    expect_positive_zeros<double>(scattered);
  }
}

/// With random values, so that fused and separate multiplications and additions differ.
TEST(pattern_csr_packs, have_the_bits_of_single_products_in_equal_rows) {
  for (const int scattered : {0, 1, 7, 40}) {
    auto a = equal_rows<double>(1.0, scattered);
    const auto val = random_vector<double>(static_cast<std::int64_t>(a.val.size()), 3);
    std::copy(val.begin(), val.end(), a.val.data());
    const auto x = random_vector<double>(a.cols, 5);
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      if (!runs_here(level)) continue;
      const auto made = inspect(a.view(), cpu{.threads = 1, .level = level}, {.format = "pattern_csr"});
      for (const std::int64_t columns : {4, 8, 16, 28})
        for (const double beta : {0.0, -0.5})
          ASSERT_NO_FATAL_FAILURE(check_pack(made, x, beta, columns)) << columns << " columns";
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support
