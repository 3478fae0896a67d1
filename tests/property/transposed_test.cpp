// SPDX-License-Identifier: BSD-3-Clause
// y = alpha A^T x + beta y has the bits that a plan of the transposed matrix gives, whatever the format, the
// options, the types and the machine.
#include <algorithm>
#include <bit>
#include <utility>

#include "property/property.hpp"

namespace gossamer::testing_support::transposed_products {
namespace {

/// The transpose by definition: for each column, the rows that have an entry there.
template <value V, offset O>
csr_matrix<V, O> transposed_by_definition(const csr_matrix<V, O>& a) {
  std::vector<std::vector<std::pair<std::int32_t, V>>> rows(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      rows[static_cast<std::size_t>(a.col[k])].emplace_back(static_cast<std::int32_t>(i), a.val[k]);
  csr_matrix<V, O> to{.rows = a.cols,
                      .cols = a.rows,
                      .row_ptr = host_buffer<O>(rows.size() + 1),
                      .col = host_buffer<std::int32_t>(a.col.size()),
                      .val = host_buffer<V>(a.val.size())};
  std::size_t next = 0;
  to.row_ptr[0] = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    for (const auto& [i, v] : rows[j]) {
      to.col[next] = i;
      to.val[next++] = v;
    }
    to.row_ptr[j + 1] = static_cast<O>(next);
  }
  return to;
}

constexpr operation_set operations_in_turn[] = {operation_set::both, operation_set::transposed};
constexpr int thread_counts[] = {1, 2, 7};

class transposed : public property_test {
 protected:
  /// Some cases of the matrices whose transpose the format takes too: the transposition does not depend on
  /// options.
  template <class F>
  void for_each_pair(F&& f) const {
    for_some_cases([&](const battery_entry& entry, const option_texts& options) {
      if (takes_transpose(entry.matrix, options)) f(entry, options);
    });
  }

  [[nodiscard]] inspect_options with(const option_texts& options, operation_set operations) const {
    return {.format = format(), .options = options, .operations = operations};
  }
};

/// What the plan gives for alpha A x + beta y, or by the transpose.
template <class V>
std::vector<V> product_of(const plan<V>& made, bool transposed, V alpha, V beta) {
  const auto x = random_vector<V>(transposed ? made.rows() : made.cols(), 11);
  const std::int64_t size = transposed ? made.cols() : made.rows();
  auto y = beta == V{0} ? poisoned<V>(size) : random_vector<V>(size, 12);
  if (transposed)
    made.multiply_transposed(alpha, x, beta, y);
  else
    made.multiply(alpha, x, beta, y);
  return y;
}

/// Products of `made` against those of plans of each matrix alone.
template <class V, class O>
void expect_bits(const plan<V>& made, const csr_matrix<V, O>& a, const resource& where,
                 const inspect_options& how) {
  inspect_options alone = how;
  alone.operations = operation_set::forward;
  const auto at = transposed_by_definition(a);
  const plan<V> of_transpose = inspect(at.view(), where, alone);
  if (!is_deterministic(of_transpose.describe())) return;
  for (const auto& [alpha, beta] : {std::pair(1, 0), std::pair(-2, 3), std::pair(0, 2)}) {
    const auto scale = static_cast<V>(alpha);
    const auto keep = static_cast<V>(beta);
    const auto x = random_vector<V>(a.rows, 11);
    auto expected = keep == V{0} ? poisoned<V>(a.cols) : random_vector<V>(a.cols, 12);
    of_transpose.multiply(scale, x, keep, expected);
    ASSERT_TRUE(same_bits(product_of(made, true, scale, keep), expected)) << made.describe();
  }
  if (made.operations() != operation_set::both) return;
  const plan<V> forward = inspect(a.view(), where, alone);
  ASSERT_TRUE(same_bits(product_of(made, false, V{2}, V{-1}), product_of(forward, false, V{2}, V{-1})));
}

/// A plan of the matrix in one type, against plans of each orientation and the oracle.
template <class V, class O>
void check_products(const csr_matrix<V, O>& a, const resource& where, const inspect_options& how) {
  const plan<V> made = inspect(a.view(), where, how);
  expect_bits(made, a, where, how);
  const auto at = transposed_by_definition(a);
  const host_buffer<V> rounded = made.stored_values(a.view());
  auto stored_a = copy<V, O>(a.view());
  std::copy(rounded.span().begin(), rounded.span().end(), stored_a.val.data());
  const auto stored = transposed_by_definition(stored_a);
  const auto x = random_vector<V>(a.rows, 11);
  const auto before = random_vector<V>(a.cols, 12);
  auto y = before;
  made.multiply_transposed(V(-1.5), x, V(0.5), y);
  const auto checked = bench_support::verify<V, O>(stored.view(), V(-1.5), x, V(0.5), before, y);
  EXPECT_TRUE(checked.passed()) << "row " << checked.row << " is off by " << checked.error_ratio;
}

/// Operations, types and numbers of threads alternate over the cases.
TEST_P(transposed, has_the_bits_of_a_plan_of_the_transpose) {
  const auto rows = combinations({2, 4, isa_count(), std::size(thread_counts)});
  std::size_t next = 0;
  for_each_pair([&](const battery_entry& entry, const option_texts& options) {
    const auto& row = rows[next++ % rows.size()];
    const inspect_options how = with(options, operations_in_turn[row[0]]);
    const resource on = where(row[2], thread_counts[row[3]]);
    const auto& a = entry.matrix;
    if (row[1] == 0) check_products(converted<float, std::int32_t>(a), on, how);
    if (row[1] == 1) check_products(converted<float, std::int64_t>(a), on, how);
    if (row[1] == 2) check_products(converted<double, std::int32_t>(a), on, how);
    if (row[1] == 3) check_products(converted<double, std::int64_t>(a), on, how);
  });
}

TEST_P(transposed, takes_new_values_as_a_fresh_inspect_would) {
  std::size_t next = 0;
  for_each_pair([&](const battery_entry& entry, const option_texts& options) {
    const auto a = converted<double, std::int64_t>(entry.matrix);
    auto changed = converted<double, std::int64_t>(entry.matrix);
    const auto values = random_vector<double>(a.nnz(), 51);
    std::copy(values.begin(), values.end(), changed.val.data());
    inspect_options how = with(options, operations_in_turn[next++ % 2]);
    how.values_change = true;
    auto made = inspect(a.view(), where(), how);
    made.update_values(values);
    expect_bits(made, changed, where(), how);
  });
}

TEST_P(transposed, is_made_again_from_its_description) {
  std::size_t next = 0;
  for_each_pair([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const operation_set operations = operations_in_turn[next++ % 2];
    const auto made = inspect(a.view(), where(), with(options, operations));
    const auto again = inspect(a.view(), description{made.describe()});
    ASSERT_EQ(again.operations(), operations);
    ASSERT_EQ(again.rows(), a.rows);
    ASSERT_EQ(again.storage(operation::transposed).options, made.storage(operation::transposed).options);
    if (!is_deterministic(made.describe())) return;
    ASSERT_TRUE(same_bits(product_of(again, true, 2.0, 0.0), product_of(made, true, 2.0, 0.0)));
  });
}

TEST_P(transposed, gives_the_matrix_back) {
  for_each_pair([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const auto made = inspect(a.view(), where(), with(options, operation_set::transposed));
    const stored_matrix stored(a.view(), made);
    // By row and column; entries at one place keep their order.
    const auto expected =
        transposed_by_definition(transposed_by_definition(copy<double, std::int64_t>(stored.view())));
    const auto back = made.to_csr();
    ASSERT_EQ(back.rows, a.rows);
    ASSERT_EQ(back.cols, a.cols);
    ASSERT_TRUE(std::ranges::equal(back.row_ptr.span(), expected.row_ptr.span()));
    ASSERT_TRUE(std::ranges::equal(back.col.span(), expected.col.span()));
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    ASSERT_TRUE(std::ranges::equal(back.val.span(), expected.val.span(), {}, bits, bits));
  });
}

INSTANTIATE_TEST_SUITE_P(formats, transposed, testing::ValuesIn(subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support::transposed_products
