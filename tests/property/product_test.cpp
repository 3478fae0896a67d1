// SPDX-License-Identifier: BSD-3-Clause
// y = alpha A x + beta y is right, whatever the format, the options, the types and the machine.
#include <cmath>

#include "bench_support/oracle/oracle.hpp"
#include "property/property.hpp"

namespace gossamer::testing_support {
namespace {

class product : public property_test {};

struct scalars {
  double alpha;
  double beta;
};
constexpr scalars scalar_pairs[] = {{1, 0}, {1, 1}, {-2.5, 0.5}, {0, 2}, {0, 0}, {3, -1}};
constexpr int thread_counts[] = {1, 2, 7};

/// Verifies products with every pair of scalars. One plan serves all pairs, since inspection is slower than
/// multiplication. Products may alternate in direction, so each pair should also come first.
template <class V, class O>
void check_oracle(const battery_entry& entry, const option_texts& options, const std::string& format,
                  const resource& where, std::size_t first_pair) {
  const auto a = converted<V, O>(entry.matrix);
  const auto plan = inspect(a.view(), where, {.format = format, .options = options});
  const stored_matrix stored(a.view(), plan);
  const auto x = random_vector<V>(a.cols, 11);
  for (std::size_t k = 0; k < std::size(scalar_pairs); ++k) {
    const scalars s = scalar_pairs[(first_pair + k) % std::size(scalar_pairs)];
    const auto y = s.beta == 0 ? poisoned<V>(a.rows) : random_vector<V>(a.rows, 12);
    auto got = y;
    const auto alpha = static_cast<V>(s.alpha);
    const auto beta = static_cast<V>(s.beta);
    plan.multiply(alpha, x, beta, got);
    const bench_support::verification v = bench_support::verify<V, O>(stored.view(), alpha, x, beta, y, got);
    EXPECT_TRUE(v.passed()) << "row " << v.row << " is off by " << v.error_ratio << " bounds; alpha "
                            << s.alpha << " beta " << s.beta << " " << plan.describe();
  }
}

TEST_P(product, agrees_with_the_oracle) {
  const auto rows = combinations({2, 2, isa_count(), std::size(thread_counts)});
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    std::size_t pair = 0;
    for (const auto& row : rows) {
      const resource on = where(row[2], thread_counts[row[3]]);
      if (row[0] == 0 && row[1] == 0) check_oracle<float, std::int32_t>(entry, options, format(), on, pair);
      if (row[0] == 0 && row[1] == 1) check_oracle<float, std::int64_t>(entry, options, format(), on, pair);
      if (row[0] == 1 && row[1] == 0) check_oracle<double, std::int32_t>(entry, options, format(), on, pair);
      if (row[0] == 1 && row[1] == 1) check_oracle<double, std::int64_t>(entry, options, format(), on, pair);
      ++pair;
    }
  });
}

/// Where the rounding bound grows blind (long rows in f32), whole numbers leave nothing to rounding.
template <class V>
void check_integers(const battery_entry& entry, const option_texts& options, const std::string& format,
                    const resource& where) {
  const auto a = converted<V, std::int64_t>(entry.matrix, true);
  const auto x = integer_vector<V>(a.cols);
  auto got = integer_vector<V>(a.rows);
  std::vector<double> expected(got.begin(), got.end());
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (auto k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      sum += static_cast<double>(a.val[static_cast<std::size_t>(k)]) *
             static_cast<double>(x[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])]);
    expected[static_cast<std::size_t>(i)] = 2 * sum - 3 * expected[static_cast<std::size_t>(i)];
  }
  inspect(a.view(), where, {.format = format, .options = options}).multiply(V{2}, x, V{-3}, got);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<double>(got[i]), expected[i]) << "row " << i;
}

TEST_P(product, is_exact_for_whole_numbers) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    for (std::size_t level = 0; level < isa_count(); ++level) {
      check_integers<float>(entry, options, format(), where(level));
      check_integers<double>(entry, options, format(), where(level));
      if (HasFatalFailure()) return;
    }
  });
}

/// An Inf in x reaches the rows that have an entry in its column, and no others. Three columns are probed,
/// with every instruction set.
TEST_P(product, keeps_infinity_in_its_rows) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    if (a.col.empty()) return;
    for (std::size_t level = 0; level < isa_count(); ++level) {
      const auto plan = inspect(a.view(), where(level), {.format = format(), .options = options});
      for (std::size_t probe = 0; probe < 3; ++probe) {
        const std::int32_t column = a.col[probe * (a.col.size() - 1) / 2];
        auto x = random_vector<double>(a.cols, 21);
        x[static_cast<std::size_t>(column)] = std::numeric_limits<double>::infinity();
        std::vector<double> y(static_cast<std::size_t>(a.rows));
        plan.multiply(1.0, x, 0.0, y);
        for (std::size_t i = 0; i < y.size(); ++i) {
          bool refers = false;
          for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            refers |= a.col[static_cast<std::size_t>(k)] == column;
          if (refers)
            EXPECT_FALSE(std::isfinite(y[i])) << "row " << i << " refers to column " << column;
          else
            EXPECT_TRUE(std::isfinite(y[i])) << "row " << i << " does not refer to column " << column;
        }
      }
    }
  });
}

TEST_P(product, does_not_read_x_where_alpha_is_zero) {
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const auto plan = inspect(a.view(), where(), {.format = format(), .options = options});
    const auto x = poisoned<double>(a.cols);
    auto y = random_vector<double>(a.rows, 31);
    const auto before = y;
    plan.multiply(0.0, x, -2.0, y);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], -2.0 * before[i]);
    y = poisoned<double>(a.rows);
    plan.multiply(0.0, x, 0.0, y);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 0.0);
  });
}

INSTANTIATE_TEST_SUITE_P(formats, product, testing::ValuesIn(subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support
