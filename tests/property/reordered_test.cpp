// SPDX-License-Identifier: BSD-3-Clause
// A reordered plan takes vectors and values in the caller's order, and has the bits of a plan of the permuted
// matrix by permuted vectors, whatever the format, the options, the types and the machine.
#include <algorithm>
#include <bit>
#include <utility>

#include "property/property.hpp"

namespace gossamer::testing_support::reordered_products {
namespace {

constexpr operation_set operations_in_turn[] = {operation_set::forward, operation_set::both,
                                                operation_set::transposed};
constexpr int thread_counts[] = {1, 2, 7};
constexpr std::pair<int, int> scalar_pairs[] = {{1, 0}, {-2, 3}, {0, 2}, {0, 0}};

bool has_boost() {
  const std::vector<std::int64_t> row_ptr{0};
  try {
    static_cast<void>(reverse_cuthill_mckee(csr_view<double>{.row_ptr = row_ptr}));
    return true;
  } catch (const error&) {
    return false;
  }
}

class reordered : public property_test {
 protected:
  void SetUp() override {
    property_test::SetUp();
    if (!has_boost()) GTEST_SKIP() << "this build has no Boost Graph Library";
  }

  /// Some cases of square matrices that the format takes in the new order, and so does their transpose.
  template <class F>
  void for_each_square(F&& f) const {
    std::size_t taken = 0;
    for_some_cases([&](const battery_entry& entry, const option_texts& options) {
      const auto& a = entry.matrix;
      if (a.rows != a.cols) return;
      const auto b = permuted(a.view(), reverse_cuthill_mckee(a.view()));
      const auto view = b.view();
      if (!forecast(view, measure_rows(view), format(), options, where()).refusal.empty()) return;
      if (!takes_transpose(b, options)) return;
      ++taken;
      f(entry, options);
    });
    EXPECT_GT(taken, 0U);
  }

  [[nodiscard]] inspect_options with(const option_texts& options, operation_set operations) const {
    return {.format = format(), .options = options, .operations = operations, .reorder = reordering::rcm};
  }
};

template <class T>
std::vector<T> gathered(const std::vector<T>& from, std::span<const std::int32_t> p) {
  std::vector<T> to(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) to[i] = from[static_cast<std::size_t>(p[i])];
  return to;
}

template <class T>
std::vector<T> scattered(const std::vector<T>& from, std::span<const std::int32_t> p) {
  std::vector<T> to(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) to[static_cast<std::size_t>(p[i])] = from[i];
  return to;
}

template <class V>
void multiply(const plan<V>& made, operation which, V alpha, const std::vector<V>& x, V beta,
              std::vector<V>& y) {
  if (which == operation::forward)
    made.multiply(alpha, x, beta, y);
  else
    made.multiply_transposed(alpha, x, beta, y);
}

template <class V>
bool computes(const plan<V>& made, operation which) {
  if (made.operations() == operation_set::both) return true;
  return (made.operations() == operation_set::forward) == (which == operation::forward);
}

/// The vectors y of a few products. In `order`, or in the plan's own if that is empty.
template <class V>
std::vector<std::vector<V>> products_of(const plan<V>& made, std::span<const std::int32_t> order = {}) {
  std::vector<std::vector<V>> all;
  for (const operation which : {operation::forward, operation::transposed}) {
    if (!computes(made, which)) continue;
    for (const auto& [alpha, beta] : scalar_pairs) {
      auto x = random_vector<V>(made.rows(), 11);
      auto y = beta == 0 ? poisoned<V>(made.rows()) : random_vector<V>(made.rows(), 12);
      if (!order.empty()) {
        x = gathered(x, order);
        y = gathered(y, order);
      }
      multiply(made, which, static_cast<V>(alpha), x, static_cast<V>(beta), y);
      all.push_back(order.empty() ? y : scattered(y, order));
    }
  }
  return all;
}

template <class V>
void expect_same_products(const plan<V>& made, const plan<V>& expected,
                          std::span<const std::int32_t> order = {}) {
  const auto own = products_of(made);
  const auto others = products_of(expected, order);
  ASSERT_EQ(own.size(), others.size());
  for (std::size_t k = 0; k < own.size(); ++k)
    ASSERT_TRUE(same_bits(own[k], others[k])) << "product " << k << " " << made.describe();
}

template <class V, class O>
void check_products(const csr_matrix<V, O>& a, const resource& where, const inspect_options& how) {
  const plan<V> made = inspect(a.view(), where, how);
  ASSERT_EQ(made.permutation().size(), static_cast<std::size_t>(a.rows));
  if (is_deterministic(made.describe())) {
    const auto b = permuted(a.view(), made.permutation());
    inspect_options in_new_order = how;
    in_new_order.reorder = reordering::none;
    expect_same_products(made, inspect(b.view(), where, in_new_order), made.permutation());
  }
  if (!computes(made, operation::forward)) return;
  const stored_matrix stored(a.view(), made);
  const auto x = random_vector<V>(a.cols, 21);
  const auto before = random_vector<V>(a.rows, 22);
  auto y = before;
  made.multiply(V(-1.5), x, V(0.5), y);
  const auto checked = bench_support::verify<V, O>(stored.view(), V(-1.5), x, V(0.5), before, y);
  EXPECT_TRUE(checked.passed()) << "row " << checked.row << " is off by " << checked.error_ratio;
}

/// Operations, types and numbers of threads alternate over the cases.
TEST_P(reordered, has_the_bits_of_a_plan_of_the_permuted_matrix) {
  const auto rows = combinations({3, 4, isa_count(), std::size(thread_counts)});
  std::size_t next = 0;
  for_each_square([&](const battery_entry& entry, const option_texts& options) {
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

TEST_P(reordered, takes_new_values_as_a_fresh_inspect_would) {
  std::size_t next = 0;
  for_each_square([&](const battery_entry& entry, const option_texts& options) {
    const auto a = converted<double, std::int64_t>(entry.matrix);
    auto changed = converted<double, std::int64_t>(entry.matrix);
    const auto values = random_vector<double>(a.nnz(), 51);
    std::copy(values.begin(), values.end(), changed.val.data());
    inspect_options how = with(options, operations_in_turn[next++ % 3]);
    how.values_change = true;
    auto made = inspect(a.view(), where(), how);
    made.update_values(values);
    const auto fresh = inspect(changed.view(), where(), how);
    ASSERT_TRUE(std::ranges::equal(made.permutation(), fresh.permutation()));
    if (is_deterministic(made.describe())) expect_same_products(made, fresh);
  });
}

TEST_P(reordered, is_made_again_from_its_description) {
  std::size_t next = 0;
  for_each_square([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const auto made = inspect(a.view(), where(), with(options, operations_in_turn[next++ % 3]));
    const auto again = inspect(a.view(), description{made.describe()});
    ASSERT_EQ(again.operations(), made.operations());
    ASSERT_EQ(again.options(), made.options());
    ASSERT_EQ(again.bytes(), made.bytes());
    ASSERT_TRUE(std::ranges::equal(again.permutation(), made.permutation()));
    if (is_deterministic(made.describe())) expect_same_products(again, made);
  });
}

TEST_P(reordered, gives_the_matrix_back) {
  std::size_t next = 0;
  for_each_square([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const inspect_options how = with(options, operations_in_turn[next++ % 3]);
    const auto made = inspect(a.view(), where(), how);
    // As the plan of the permuted matrix does, which may lack zeros and join duplicates.
    const auto b = permuted(a.view(), made.permutation());
    inspect_options in_new_order = how;
    in_new_order.reorder = reordering::none;
    const auto of_b = inspect(b.view(), where(), in_new_order).to_csr();
    std::vector<std::int32_t> inverse(made.permutation().size());
    for (std::size_t i = 0; i < inverse.size(); ++i)
      inverse[static_cast<std::size_t>(made.permutation()[i])] = static_cast<std::int32_t>(i);
    const auto expected = permuted(of_b.view(), inverse);
    const auto back = made.to_csr();
    ASSERT_EQ(back.rows, a.rows);
    ASSERT_TRUE(std::ranges::equal(back.row_ptr.span(), expected.row_ptr.span()));
    ASSERT_TRUE(std::ranges::equal(back.col.span(), expected.col.span()));
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    ASSERT_TRUE(std::ranges::equal(back.val.span(), expected.val.span(), {}, bits, bits));
  });
}

/// The product by several vectors: the same bits as the plan of the permuted matrix has for permuted ones.
void check_columns(const plan<double>& made, const plan<double>& in_new_order, std::int64_t columns,
                   layout of_x, layout of_y) {
  const auto p = made.permutation();
  const std::int64_t rows = made.rows();
  const auto elements = rows * columns;
  const auto view = [&](auto& memory, layout order) {
    return dense_view<typename std::remove_reference_t<decltype(memory)>::value_type>{
        .rows = rows,
        .cols = columns,
        .leading = order == layout::column_major ? std::max<std::int64_t>(rows, 1) : columns,
        .order = order,
        .data = memory};
  };
  const auto moved = [&](const std::vector<double>& from, layout order, bool back) {
    std::vector<double> to(from.size());
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto place = [&](std::int64_t row) {
          return static_cast<std::size_t>(order == layout::column_major ? row + j * rows : row * columns + j);
        };
        const std::int64_t old_row = p[static_cast<std::size_t>(i)];
        if (back)
          to[place(old_row)] = from[place(i)];
        else
          to[place(i)] = from[place(old_row)];
      }
    return to;
  };
  for (const double beta : {0.0, -2.0}) {
    auto x = random_vector<double>(elements, 31);
    auto y = beta == 0 ? poisoned<double>(elements) : random_vector<double>(elements, 32);
    auto new_x = moved(x, of_x, false);
    auto new_y = moved(y, of_y, false);
    made.multiply(3.0, view(x, of_x), beta, view(y, of_y));
    in_new_order.multiply(3.0, view(new_x, of_x), beta, view(new_y, of_y));
    ASSERT_TRUE(same_bits(y, moved(new_y, of_y, true)))
        << columns << " columns, layouts " << static_cast<int>(of_x) << static_cast<int>(of_y) << ", beta "
        << beta << " " << made.describe();
  }
}

TEST_P(reordered, multiplies_several_vectors) {
  std::size_t next = 0;
  for_each_square([&](const battery_entry& entry, const option_texts& options) {
    const auto& a = entry.matrix;
    const inspect_options how = with(options, operation_set::forward);
    const auto made = inspect(a.view(), where(), how);
    if (!is_deterministic(made.describe())) return;
    const auto b = permuted(a.view(), made.permutation());
    inspect_options in_new_order = how;
    in_new_order.reorder = reordering::none;
    const auto of_b = inspect(b.view(), where(), in_new_order);
    constexpr std::int64_t numbers[] = {1, 2, 4, 7, 16, 21, 0, 70};
    const std::int64_t columns = numbers[next % std::size(numbers)];
    for (const auto& [of_x, of_y] : {std::pair(layout::row_major, layout::row_major),
                                     std::pair(layout::column_major, layout::column_major),
                                     std::pair(layout::column_major, layout::row_major)})
      check_columns(made, of_b, columns, of_x, of_y);
    ++next;
  });
}

INSTANTIATE_TEST_SUITE_P(formats, reordered, testing::ValuesIn(subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support::reordered_products
