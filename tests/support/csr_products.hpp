// SPDX-License-Identifier: BSD-3-Clause
// Products of csr and pattern_csr against the oracle, and by several vectors against single products; and
// rows whose columns stand in another order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "gossamer/gossamer.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {

/// Row-major X and Y, by default of five columns, of which four are a pack: column j is j + 1 times x, and
/// its Y has the bits of a single product, except for the sign and payload of a NaN.
template <class V>
void check_pack(const plan<V>& made, const std::vector<V>& x, V beta, std::int64_t columns = 5) {
  const auto count = static_cast<std::size_t>(columns);
  std::vector<V> all_x(x.size() * count);
  auto all_y = beta == V{0} ? poisoned<V>(made.rows() * columns) : random_vector<V>(made.rows() * columns, 9);
  std::vector<V> expected = all_y;
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<V> own_x = x;
    for (std::size_t i = 0; i < x.size(); ++i) all_x[i * count + j] = own_x[i] *= static_cast<V>(j + 1);
    std::vector<V> own_y(static_cast<std::size_t>(made.rows()));
    for (std::size_t i = 0; i < own_y.size(); ++i) own_y[i] = all_y[i * count + j];
    made.multiply(V{2}, own_x, beta, own_y);
    for (std::size_t i = 0; i < own_y.size(); ++i) expected[i * count + j] = own_y[i];
  }
  made.multiply(V{2},
                dense_view<const V>{.rows = made.cols(),
                                    .cols = columns,
                                    .leading = columns,
                                    .order = layout::row_major,
                                    .data = all_x},
                beta,
                dense_view<V>{.rows = made.rows(),
                              .cols = columns,
                              .leading = columns,
                              .order = layout::row_major,
                              .data = all_y});
  for (std::vector<V>* const each : {&all_y, &expected})
    for (V& element : *each)
      if (std::isnan(element)) element = std::numeric_limits<V>::quiet_NaN();
  ASSERT_TRUE(same_bits(all_y, expected)) << made.describe();
}

/// x is as long as the columns reach, so a memory checker sees a lane too many; columns that no row refers to
/// hold Inf.
template <class V>
void check_product(const csr_matrix<double, std::int64_t>& source, isa level, int threads,
                   const std::string& kernel, const char* format = "pattern_csr") {
  csr_matrix<V, std::int64_t> a{.rows = source.rows,
                                .cols = source.cols,
                                .row_ptr = host_buffer<std::int64_t>::borrow(source.row_ptr.span()),
                                .col = host_buffer<std::int32_t>::borrow(source.col.span()),
                                .val = host_buffer<V>(source.val.size())};
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<V>(source.val[k]);
  auto x = std::vector<V>(static_cast<std::size_t>(a.cols), std::numeric_limits<V>::infinity());
  const auto finite = random_vector<V>(a.cols, 5);
  for (std::size_t k = 0; k < source.col.size(); ++k) {
    const auto j = static_cast<std::size_t>(source.col[k]);
    x[j] = finite[j];
  }
  const auto plan = inspect(a.view(), cpu{.threads = threads, .level = level},
                            {.format = format, .options = {{"kernel", kernel}}});
  for (const double beta : {0.0, -0.5}) {
    const auto before = beta == 0 ? poisoned<V>(a.rows) : random_vector<V>(a.rows, 7);
    auto y = before;
    plan.multiply(V{2}, x, static_cast<V>(beta), y);
    const auto v = bench_support::verify<V, std::int64_t>(a.view(), V{2}, x, static_cast<V>(beta), before, y);
    ASSERT_TRUE(v.passed()) << "row " << v.row << " is off by " << v.error_ratio << " bounds; "
                            << plan.describe();
    ASSERT_NO_FATAL_FAILURE(check_pack(plan, x, static_cast<V>(beta)));
  }
}

/// Both types and both kernels, at every instruction set that runs here.
inline void check_products(const csr_matrix<double, std::int64_t>& a, const char* format = "pattern_csr") {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    for (const char* const kernel : {"thread", "balanced"}) {
      check_product<float>(a, level, 2, kernel, format);
      check_product<double>(a, level, 2, kernel, format);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// What is not finite in x reaches the rows that refer to it, and no other: each column in turn, with every
/// instruction set, also in one of four vectors.
inline void check_inf_and_nan(const csr_matrix<double, std::int64_t>& a) {
  const auto plain = random_vector<double>(a.cols, 5);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto plan = inspect(a.view(), cpu{.threads = 2, .level = level}, {.format = "pattern_csr"});
    std::vector<double> usual(static_cast<std::size_t>(a.rows));
    plan.multiply(1.0, plain, 0.0, usual);
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      for (std::size_t j = 0; j < plain.size(); ++j) {
        auto x = plain;
        x[j] = bad;
        std::vector<double> y(usual.size());
        plan.multiply(1.0, x, 0.0, y);
        ASSERT_NO_FATAL_FAILURE(check_pack(plan, x, 0.0));
        for (std::size_t i = 0; i < y.size(); ++i) {
          bool refers = false;
          for (auto e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e)
            refers |= a.col[static_cast<std::size_t>(e)] == static_cast<std::int32_t>(j);
          if (refers)
            ASSERT_FALSE(std::isfinite(y[i])) << "row " << i << " column " << j;
          else
            ASSERT_EQ(y[i], usual[i]) << "row " << i << " column " << j;
        }
      }
    }
  }
}

/// The same entries, the first `by` of each row behind its others: pattern_csr's runs are the same, but
/// columns out of order have no tiles on diagonals.
inline csr_matrix<double, std::int64_t> rotated(csr_matrix<double, std::int64_t> a, std::int64_t by) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    const std::int64_t begin = a.row_ptr[i];
    const std::int64_t length = a.row_ptr[i + 1] - begin;
    if (length == 0) continue;
    const std::int64_t middle = begin + by % length;
    std::rotate(a.col.data() + begin, a.col.data() + middle, a.col.data() + begin + length);
    std::rotate(a.val.data() + begin, a.val.data() + middle, a.val.data() + begin + length);
  }
  return a;
}

}  // namespace gossamer::testing_support
