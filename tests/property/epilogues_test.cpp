// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue, of every format: within the bounds of rounding, and the same bits for any number
// of threads. Vectors are in host memory; tests/gpu/epilogues_device_test.cpp has them in device memory.
#include "support/epilogues.hpp"
#include "property/property.hpp"

namespace gossamer::testing_support::epilogue_products {
namespace {

class epilogues : public property_test {};

template <class V>
epilogue_vectors<V> finished(const plan<V>& made, const epilogue_parts& parts, bool transposed) {
  const std::int64_t rows = transposed ? made.cols() : made.rows();
  const std::int64_t cols = transposed ? made.rows() : made.cols();
  auto v = vectors_for<V>(rows, cols, parts);
  const auto e = epilogue_of<host_space, V>(parts, v, [](auto& each) { return std::span(each); });
  const V alpha = given_alpha<V>(parts);
  const V beta = given_beta<V>(parts);
  if (transposed)
    made.multiply_transposed(alpha, v.x, beta, std::span(v.y), e);
  else
    made.multiply(alpha, v.x, beta, std::span(v.y), e);
  return v;
}

template <class V, class O>
void check_case(const csr_matrix<V, O>& a, const resource& on, const resource& on_other_threads,
                const inspect_options& how, const epilogue_parts& parts) {
  SCOPED_TRACE(parts.name);
  const plan<V> made = inspect(a.view(), on, how);
  const bool transposed = how.operations == operation_set::transposed;
  const host_buffer<V> stored = made.stored_values(a.view());
  csr_view<V, O> multiplied = a.view();
  multiplied.val = stored.span();
  const csr_matrix<V, O> turned = transposed ? transpose(multiplied) : csr_matrix<V, O>();
  if (transposed) multiplied = turned.view();
  const auto before = vectors_for<V>(multiplied.rows, multiplied.cols, parts);
  const auto after = finished(made, parts, transposed);
  EXPECT_EQ(wrong_element(multiplied, parts, before, after), "") << made.describe();
  if (!is_deterministic(made.describe())) return;
  expect_same_bits(after, finished(inspect(a.view(), on_other_threads, how), parts, transposed));
}

constexpr int thread_counts[] = {1, 2, 7};

TEST_P(epilogues, are_within_the_bounds_of_rounding) {
  std::size_t next = 0;
  for_some_cases([&](const battery_entry& entry, const option_texts& options) {
    const std::size_t n = next++;
    const epilogue_parts& parts = epilogue_cases[n % std::size(epilogue_cases)];
    const bool transposed = n % 4 == 3 && takes_transpose(entry.matrix, options);
    const inspect_options how{.format = format(),
                              .options = options,
                              .operations = transposed ? operation_set::transposed : operation_set::forward};
    const resource on = where(n, thread_counts[n % 3]);
    const resource other = where(n, thread_counts[(n + 1) % 3]);
    if (n % 2 == 0)
      check_case(converted<double, std::int64_t>(entry.matrix), on, other, how, parts);
    else
      check_case(converted<float, std::int32_t>(entry.matrix), on, other, how, parts);
  });
}

INSTANTIATE_TEST_SUITE_P(all, epilogues, testing::ValuesIn(subjects()), subject_name);

}  // namespace
}  // namespace gossamer::testing_support::epilogue_products
