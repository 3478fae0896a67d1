// SPDX-License-Identifier: BSD-3-Clause
// Formats that multiply packs of columns on a CPU: A consists of -1 and X of zeros, so each product is -0.0.
// The sign of a row's sum shows whether 0.0 was added, and has to be that of a single product.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

/// 40 rows of -1. Row i has lengths[i mod the number of lengths] entries, in scattered columns.
template <class V>
csr_matrix<V, std::int64_t> scattered_rows(const std::vector<int>& lengths) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int i = 0; i < 40; ++i)
    for (int k = 0; k < lengths[static_cast<std::size_t>(i) % lengths.size()]; ++k) {
      row.push_back(i);
      col.push_back(k * 5 + i * i % 5);
    }
  const std::vector<V> val(row.size(), V{-1});
  return csr_from_coo<V, std::int64_t>({.rows = 40, .cols = 400, .row = row, .col = col, .val = val});
}

template <class V>
void expect_signs_of_single_products(const std::string& format, const option_texts& options,
                                     const std::vector<int>& lengths) {
  const auto a = scattered_rows<V>(lengths);
  const std::vector<V> zeros(static_cast<std::size_t>(a.cols));  // products are -0.0
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto made =
        inspect(a.view(), cpu{.threads = 1, .level = level}, {.format = format, .options = options});
    for (const std::int64_t columns : {4, 8, 16})
      ASSERT_NO_FATAL_FAILURE(check_pack(made, zeros, V{0}, columns)) << columns << " columns";
  }
}

TEST(packs, have_the_signs_of_zero_sums_of_single_products) {
  const std::pair<const char*, option_texts> settings[] = {{"csr", {}},
                                                           {"pattern_csr", {}},
                                                           {"sliced_ell", {}},
                                                           {"packed", {{"short_rows", "padded"}}},
                                                           {"packed", {{"short_rows", "entries"}}}};
  for (const auto& [format, options] : settings) {
    for (int n = 1; n <= 33; ++n) {
      const std::vector<int> all_lengths[] = {{n}, {n, 1, 3}, {n, n, n, 40}, {n, 0, 2 * n}};
      for (const std::vector<int>& lengths : all_lengths) {
        SCOPED_TRACE(std::string(format) + ", rows of " + std::to_string(n));
        expect_signs_of_single_products<float>(format, options, lengths);
        expect_signs_of_single_products<double>(format, options, lengths);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// One long row, which packed cuts, and many of five entries. Equal values take few bytes and so few work
/// units, distinct values many.
TEST(packs, follow_new_values_that_change_the_units) {
  constexpr int rows = 50000;
  constexpr int long_row = 20000;
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int k = 0; k < long_row; ++k) {
    row.push_back(0);
    col.push_back(2 * k);
  }
  for (int i = 1; i < rows; ++i)
    for (int k = 0; k < 5; ++k) {
      row.push_back(i);
      col.push_back(static_cast<std::int32_t>((i * 7 + k * 1013 + i * k % 50) % rows));
    }
  const std::vector<double> ones(row.size(), 1.0);
  const auto distinct = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  const auto a =
      csr_from_coo<double, std::int64_t>({.rows = rows, .cols = rows, .row = row, .col = col, .val = ones});
  const auto x = random_vector<double>(rows, 5);
  for (const int threads : {1, 2}) {
    auto made = inspect(a.view(), cpu{.threads = threads}, {.format = "packed", .values_change = true});
    const std::int64_t bytes = made.bytes();
    for (const std::int64_t columns : {4, 28}) {  // the packs of 8 and 16 columns are new in the second turn
      ASSERT_NO_FATAL_FAILURE(check_pack(made, x, 0.0, columns)) << "equal values";
      made.update_values(distinct);
      ASSERT_GT(made.bytes(), 2 * bytes) << "the units are the same, so this test checks nothing";
      ASSERT_NO_FATAL_FAILURE(check_pack(made, x, 0.0, columns)) << "distinct values";
      made.update_values(ones);
      ASSERT_NO_FATAL_FAILURE(check_pack(made, x, 0.0, columns)) << "equal values again";
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support
