// SPDX-License-Identifier: BSD-3-Clause
// What coo and bcoo share on a CPU: rows of all lengths and gaps, at every place of a vector, a block of
// entries and a unit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gossamer/gossamer.hpp"

namespace gossamer {
namespace {

struct lengths {
  std::vector<std::int32_t> row_ptr{0};
  std::vector<std::int32_t> col;

  void add(std::int32_t length, std::int32_t cols) {
    for (std::int32_t k = 0; k < length; ++k)
      col.push_back(
          static_cast<std::int32_t>((col.size() * 7 + col.size() / 5) % static_cast<std::size_t>(cols)));
    row_ptr.push_back(static_cast<std::int32_t>(col.size()));
  }
};

constexpr std::int32_t cols = 61;

/// Small integers: sums are exact in any order, in f32 too.
template <class V>
void check(const lengths& l, const std::string& what) {
  std::vector<V> val(l.col.size());
  for (std::size_t k = 0; k < val.size(); ++k) val[k] = static_cast<V>(static_cast<int>(k % 9) - 4);
  const csr_view<V, std::int32_t> a{.rows = static_cast<std::int64_t>(l.row_ptr.size()) - 1,
                                    .cols = cols,
                                    .row_ptr = l.row_ptr,
                                    .col = l.col,
                                    .val = val};
  std::vector<V> x(cols);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<V>(j % 5) - V{2};
  std::vector<V> exact(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < exact.size(); ++i)
    for (std::int32_t k = l.row_ptr[i]; k < l.row_ptr[i + 1]; ++k)
      exact[i] +=
          val[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(l.col[static_cast<std::size_t>(k)])];
  std::vector<inspect_options> formats{{.format = "coo"}};
  for (const char* const chunk : {"1", "7", "64", "512", "1024", "1027", "5000"})
    formats.push_back({.format = "bcoo", .options = {{"chunk", chunk}}});
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    for (const auto& format : formats) {
      const auto plan = inspect(a, cpu{.threads = 2, .level = level}, format);
      for (const int beta : {0, 1, 3}) {
        std::vector<V> y(exact.size(), beta == 0 ? std::numeric_limits<V>::quiet_NaN() : V{5});
        plan.multiply(V{2}, x, static_cast<V>(beta), y);
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_EQ(y[i], 2 * exact[i] + static_cast<V>(5 * beta))
              << what << ", row " << i << ", beta " << beta << ", " << plan.describe();
      }
    }
  }
}

void check_both(const lengths& l, const std::string& what) {
  check<double>(l, what);
  check<float>(l, what);
}

TEST(sorted_entries, rows_of_lengths_in_turn) {
  for (const int most : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33}) {
    lengths l;
    for (int i = 0; i < 400; ++i) l.add(1 + (i * 5 + i / 11) % most, cols);
    check_both(l, "lengths to " + std::to_string(most));
  }
}

/// Also as many rows as lanes that are as far apart as consecutive ones would be if they were twice as many.
TEST(sorted_entries, rows_with_gaps) {
  for (const int period : {2, 3, 7, 8, 15, 16, 40}) {
    lengths l;
    for (int i = 0; i < 900; ++i) l.add(i % period == 0 || i % 7 == 5 ? 0 : 1 + i % 4, cols);
    check_both(l, "every " + std::to_string(period) + "th empty");
    lengths few;
    for (int i = 0; i < 300; ++i) few.add(i % period == 0 ? 2 : 0, cols);
    check_both(few, "all but every " + std::to_string(period) + "th empty");
  }
}

/// Two rows that are as far apart as the first and the last of a vector's lanes.
TEST(sorted_entries, two_rows_far_apart) {
  for (const int apart : {3, 7, 15}) {
    lengths l;
    for (int i = 0; i <= apart; ++i) l.add(i == 0 || i == apart ? 2 : 0, cols);
    check_both(l, "apart by " + std::to_string(apart));
  }
}

TEST(sorted_entries, rows_at_the_ends_of_blocks) {
  for (const int length : {510, 511, 512, 513, 1022, 1023, 1024, 1025, 2047, 2048, 2049, 8191, 8192, 8193}) {
    lengths l;
    for (const int other : {0, 1, length, 0, 0, length, 3, length, 2, 0}) l.add(other, cols);
    check_both(l, "rows of " + std::to_string(length));
    lengths alone;
    alone.add(length, cols);
    check_both(alone, "one row of " + std::to_string(length));
  }
}

/// Each column in turn: products of other rows stand in the same vectors.
TEST(sorted_entries, what_is_not_finite_stays_in_its_rows) {
  lengths l;
  for (int i = 0; i < 60; ++i) l.add(i % 13, cols);
  const std::vector<double> val(l.col.size(), 1.0);
  const csr_view<double, std::int32_t> a{
      .rows = 60, .cols = cols, .row_ptr = l.row_ptr, .col = l.col, .val = val};
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto plan = inspect(a, cpu{.threads = 1, .level = level}, {.format = "bcoo"});
    for (std::int32_t bad = 0; bad < cols; ++bad) {
      std::vector<double> x(cols, 1.0);
      x[static_cast<std::size_t>(bad)] = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> y(60);
      plan.multiply(1.0, x, 0.0, y);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const bool refers = std::find(l.col.begin() + l.row_ptr[i], l.col.begin() + l.row_ptr[i + 1], bad) !=
                            l.col.begin() + l.row_ptr[i + 1];
        EXPECT_EQ(std::isnan(y[i]), refers) << "row " << i << ", column " << bad;
      }
    }
  }
}

}  // namespace
}  // namespace gossamer
