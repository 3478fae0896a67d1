// SPDX-License-Identifier: BSD-3-Clause
// Each column of Y = alpha op(A) X + beta Y has the bits of a single product, wherever the columns are, and
// nothing but Y changes.
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "property/property.hpp"

namespace gossamer::testing_support::several_vectors {
namespace {

constexpr int thread_counts[] = {1, 2, 7};
constexpr std::pair<double, double> scalar_pairs[] = {{1, 0}, {-2.5, 0.5}, {1, 1}, {0, 2}, {0, 0}, {3, -1}};

/// NaN of the other sign than poisoned() has.
template <class V>
constexpr V gap = -std::numeric_limits<V>::quiet_NaN();

/// A number from 0 to last.
std::int64_t up_to(std::int64_t last, std::mt19937& random) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last + 1));
}

template <class V>
std::vector<V> random_vector(std::int64_t size, std::mt19937& random) {
  return testing_support::random_vector<V>(size, static_cast<unsigned>(random()));
}

/// A dense matrix somewhere in an array, with NaN before, between and behind its columns or rows.
template <class V>
class dense {
 public:
  dense(layout order, std::int64_t rows, std::int64_t cols, std::mt19937& random)
      : rows_(rows),
        cols_(cols),
        order_(order),
        leading_((by_columns() ? rows : cols) + up_to(3, random)),
        begin_(up_to(5, random)),
        memory_(static_cast<std::size_t>(begin_ + leading_ * (by_columns() ? cols : rows) + up_to(2, random)),
                gap<V>) {}

  [[nodiscard]] dense_view<V> view() {
    return {.rows = rows_,
            .cols = cols_,
            .leading = leading_,
            .order = order_,
            .data = std::span(memory_).subspan(static_cast<std::size_t>(begin_))};
  }
  void set_column(std::int64_t j, const std::vector<V>& from) {
    for (std::int64_t i = 0; i < rows_; ++i) memory_[place(i, j)] = from[static_cast<std::size_t>(i)];
  }
  /// Makes every NaN of the columns the same one.
  void unify_nans() {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < cols_; ++j)
        if (V& element = memory_[place(i, j)]; std::isnan(element))
          element = std::numeric_limits<V>::quiet_NaN();
  }
  [[nodiscard]] const std::vector<V>& memory() const { return memory_; }
  [[nodiscard]] std::string text() const {
    return std::string(by_columns() ? "column" : "row") + "-major, leading dimension " +
           std::to_string(leading_) + ", from element " + std::to_string(begin_);
  }

  [[nodiscard]] bool by_columns() const { return order_ == layout::column_major; }

 private:
  [[nodiscard]] std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(begin_ + (by_columns() ? i + j * leading_ : i * leading_ + j));
  }

  std::int64_t rows_;
  std::int64_t cols_;
  layout order_;
  std::int64_t leading_;
  std::int64_t begin_;
  std::vector<V> memory_;
};

/// On a CPU: formats that multiply row-major X and Y where they are.
bool multiplies_packs(std::string_view format) {
  return format == "csr" || format == "pattern_csr" || format == "sliced_ell" || format == "packed";
}

/// One product. If there are several columns, one of X may have a NaN.
template <class V>
void check_columns(const plan<V>& made, operation which, std::int64_t columns, layout of_x, layout of_y,
                   std::mt19937& random) {
  const bool forward = which == operation::forward;
  const std::int64_t x_rows = forward ? made.cols() : made.rows();
  const std::int64_t y_rows = forward ? made.rows() : made.cols();
  const auto& scalars = scalar_pairs[static_cast<std::size_t>(up_to(std::size(scalar_pairs) - 1, random))];
  const auto alpha = static_cast<V>(scalars.first);
  const auto beta = static_cast<V>(scalars.second);
  const std::int64_t invalid = columns > 1 ? up_to(2 * columns, random) : columns;
  dense<V> x(of_x, x_rows, columns, random);
  dense<V> y(of_y, y_rows, columns, random);
  dense<V> expected = y;
  for (std::int64_t j = 0; j < columns; ++j) {
    auto from = alpha == V{0} ? poisoned<V>(x_rows) : random_vector<V>(x_rows, random);
    if (j == invalid && x_rows > 0)
      from[static_cast<std::size_t>(up_to(x_rows - 1, random))] = poisoned<V>(1).front();
    auto to = beta == V{0} ? poisoned<V>(y_rows) : random_vector<V>(y_rows, random);
    x.set_column(j, from);
    y.set_column(j, to);
    forward ? made.multiply(alpha, from, beta, to) : made.multiply_transposed(alpha, from, beta, to);
    expected.set_column(j, to);
  }
  const std::vector<V> x_before = x.memory();
  forward ? made.multiply(alpha, x.view(), beta, y.view())
          : made.multiply_transposed(alpha, x.view(), beta, y.view());
  EXPECT_TRUE(same_bits(x.memory(), x_before));
  if (multiplies_packs(made.format()) && !x.by_columns() &&
      !y.by_columns()) {  // it may give another NaN (docs/guides/several-vectors.md)
    y.unify_nans();
    expected.unify_nans();
  }
  ASSERT_TRUE(same_bits(y.memory(), expected.memory()))
      << name(which) << " by " << columns << " vectors, X " << x.text() << ", Y " << y.text() << ", alpha "
      << alpha << ", beta " << beta << ", NaN in column " << invalid << " " << made.describe();
}

/// One product by 0 to 23 vectors, mostly at most 11, in any layouts.
template <class V>
void check_some_columns(const plan<V>& made, operation which, std::mt19937& random) {
  const std::int64_t columns = up_to(11, random) + (up_to(3, random) == 0 ? 12 : 0);
  const auto any = [&] { return up_to(1, random) == 0 ? layout::column_major : layout::row_major; };
  const layout of_x = any();
  check_columns(made, which, columns, of_x, any(), random);
}

template <class V, class O>
void check_both(const csr_matrix<double, std::int64_t>& a, const resource& where, const inspect_options& how,
                std::mt19937& random) {
  const auto own = converted<V, O>(a);
  const plan<V> made = inspect(own.view(), where, how);
  if (!is_deterministic(made.describe())) return;
  for (const operation which : {operation::forward, operation::transposed})
    check_some_columns(made, which, random);
}

class several_vectors : public property_test {};

/// Types, instruction sets and numbers of threads alternate over the cases; the rest is random.
TEST_P(several_vectors, have_the_bits_of_single_products) {
  const auto rows = combinations({4, isa_count(), std::size(thread_counts)});
  std::size_t next = 0;
  std::mt19937 random(1);
  for_some_cases([&](const battery_entry& entry, const option_texts& options) {
    if (!takes_transpose(entry.matrix, options)) return;
    const auto& row = rows[next++ % rows.size()];
    const inspect_options how{.format = format(), .options = options, .operations = operation_set::both};
    const resource on = where(row[1], thread_counts[row[2]]);
    if (row[0] == 0) check_both<float, std::int32_t>(entry.matrix, on, how, random);
    if (row[0] == 1) check_both<float, std::int64_t>(entry.matrix, on, how, random);
    if (row[0] == 2) check_both<double, std::int32_t>(entry.matrix, on, how, random);
    if (row[0] == 3) check_both<double, std::int64_t>(entry.matrix, on, how, random);
  });
}

class rows_of_several_vectors : public property_test {};

/// Packs of 16, 8 and 4 columns, and columns that are left, of every matrix.
TEST_P(rows_of_several_vectors, have_the_bits_of_single_products) {
  std::mt19937 random(2);
  std::size_t next = 0;
  for_each_case([&](const battery_entry& entry, const option_texts& options) {
    SCOPED_TRACE(entry.name + " " + text(options));
    const resource on = where(next, thread_counts[next / isa_count() % std::size(thread_counts)]);
    const auto check = [&]<class V, class O>(V, O) {
      const auto own = converted<V, O>(entry.matrix);
      const plan<V> made = inspect(own.view(), on, {.format = format(), .options = options});
      for (const std::int64_t columns : {23, 28})
        check_columns(made, operation::forward, columns, layout::row_major, layout::row_major, random);
    };
    next % 2 == 0 ? check(double{}, std::int64_t{}) : check(double{}, std::int32_t{});
    next % 3 == 0 ? check(float{}, std::int64_t{}) : check(float{}, std::int32_t{});
    ++next;
  });
}

std::vector<subject> subjects_with_packs() {
  std::vector<subject> some;
  for (const subject& each : subjects())
    if (multiplies_packs(each.format) && !each.on_gpu) some.push_back(each);
  return some;
}
INSTANTIATE_TEST_SUITE_P(formats, rows_of_several_vectors, testing::ValuesIn(subjects_with_packs()),
                         subject_name);

INSTANTIATE_TEST_SUITE_P(formats, several_vectors, testing::ValuesIn(subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support::several_vectors
