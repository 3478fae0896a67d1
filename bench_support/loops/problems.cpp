// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/loops/problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support {
namespace {

constexpr double dominance = 1.001;

/// One row of two sorted matrices, merged: f(column, entry of the first or 0, entry of the second or 0).
/// Duplicates are summed, or their absolute values are.
template <class Matrix, class Value, class F>
void merge_row(const Matrix& a, const Matrix& b, std::int64_t row, Value&& value_of, F&& f) {
  const auto at = static_cast<std::size_t>(row);
  auto i = static_cast<std::size_t>(a.row_ptr[at]);
  auto j = static_cast<std::size_t>(b.row_ptr[at]);
  const auto a_end = static_cast<std::size_t>(a.row_ptr[at + 1]);
  const auto b_end = static_cast<std::size_t>(b.row_ptr[at + 1]);
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  while (i < a_end || j < b_end) {
    const std::int32_t column = std::min(i < a_end ? a.col[i] : none, j < b_end ? b.col[j] : none);
    double first = 0;
    double second = 0;
    for (; i < a_end && a.col[i] == column; ++i) first += value_of(static_cast<double>(a.val[i]));
    for (; j < b_end && b.col[j] == column; ++j) second += value_of(static_cast<double>(b.val[j]));
    f(column, first, second);
  }
}

/// A sorted copy of A and of its transpose.
template <value V, offset O>
struct both_orders {
  csr_matrix<V, O> a;
  csr_matrix<V, O> transposed;
};

template <value V, offset O>
both_orders<V, O> sorted(const csr_view<V, O>& a) {
  csr_matrix<V, O> transposed = transpose(a);
  csr_matrix<V, O> again = transpose(transposed.view());
  return {.a = std::move(again), .transposed = std::move(transposed)};
}

/// Uninitialised. Throws unsupported where the offsets are too wide.
template <value V>
csr_matrix<V, std::int32_t> square_matrix(std::int64_t rows, std::int64_t nnz) {
  if (nnz > std::numeric_limits<std::int32_t>::max())
    fail(errc::unsupported, "unsupported: a system of {} nonzeros needs 64-bit offsets", nnz);
  return {.rows = rows,
          .cols = rows,
          .row_ptr = host_buffer<std::int32_t>(static_cast<std::size_t>(rows) + 1),
          .col = host_buffer<std::int32_t>(static_cast<std::size_t>(nnz)),
          .val = host_buffer<V>(static_cast<std::size_t>(nnz))};
}

template <value V, offset O>
bool is_dominant_and_symmetric(const both_orders<V, O>& m) {
  for (std::int64_t row = 0; row < m.a.rows; ++row) {
    double diagonal = 0;
    double others = 0;
    bool symmetric = true;
    merge_row(
        m.a, m.transposed, row, [](double each) { return each; },
        [&](std::int32_t column, double forward, double backward) {
          symmetric = symmetric && forward == backward;
          if (column == row)
            diagonal = forward;
          else
            others += std::abs(forward);
        });
    if (!symmetric || !(diagonal > others)) return false;
  }
  return true;
}

template <value V, offset O>
csr_matrix<V, std::int32_t> laplacian(const both_orders<V, O>& m) {
  const std::int64_t rows = m.a.rows;
  const auto weight = [](double each) { return std::abs(each); };
  std::vector<std::int64_t> begin(static_cast<std::size_t>(rows) + 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t length = 1;
    merge_row(m.a, m.transposed, row, weight,
              [&](std::int32_t column, double, double) { length += column == row ? 0 : 1; });
    begin[static_cast<std::size_t>(row) + 1] = begin[static_cast<std::size_t>(row)] + length;
  }
  csr_matrix<V, std::int32_t> made = square_matrix<V>(rows, begin.back());
  std::transform(begin.begin(), begin.end(), made.row_ptr.data(),
                 [](std::int64_t each) { return static_cast<std::int32_t>(each); });
  core::parallel_for(rows, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      auto at = static_cast<std::size_t>(begin[static_cast<std::size_t>(row)]);
      std::size_t place = at;
      double sum = 0;
      bool placed = false;
      const auto leave_diagonal = [&] {
        place = at;
        made.col[at++] = static_cast<std::int32_t>(row);
        placed = true;
      };
      merge_row(m.a, m.transposed, row, weight, [&](std::int32_t column, double forward, double backward) {
        if (column == row) return;
        if (column > row && !placed) leave_diagonal();
        const double w = (forward + backward) / 2;
        sum += w;
        made.col[at] = column;
        made.val[at++] = static_cast<V>(-w);
      });
      if (!placed) leave_diagonal();
      made.val[place] = static_cast<V>(sum > 0 ? dominance * sum : 1.0);
    }
  });
  return made;
}

}  // namespace

template <value V, offset O>
spd_system<V> make_spd_system(const csr_view<V, O>& a) {
  return naming_out_of_memory("make_spd_system", [&]() -> spd_system<V> {
    if (a.rows != a.cols)
      fail(errc::unsupported, "unsupported: a matrix of {} x {} is not square", a.rows, a.cols);
    const both_orders<V, O> m = sorted(a);
    if (is_dominant_and_symmetric(m)) return {.a = copy<V, std::int32_t>(m.a.view()), .made = false};
    return {.a = laplacian(m), .made = true};
  });
}

template <value V, offset O>
linear_program<V> make_linear_program(const csr_view<V, O>& a) {
  return naming_out_of_memory("make_linear_program", [&] {
    const auto rows = static_cast<std::size_t>(a.rows);
    const auto cols = static_cast<std::size_t>(a.cols);
    linear_program<V> lp;  // GCC 12 leaks members of an aggregate whose next member throws
    lp.b.resize(rows);
    lp.c.resize(cols);
    lp.lower.resize(cols, V{0});
    lp.upper.resize(cols, V{1});
    constexpr std::size_t period = 97;
    const auto inner = [](std::size_t j) {
      return 0.25 + 0.5 * static_cast<double>(j % period) / static_cast<double>(period);
    };
    std::vector<double> column_sums(cols);
    double largest_row = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      double absolute = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]);
           ++k) {
        const auto j = static_cast<std::size_t>(a.col[k]);
        const auto value = static_cast<double>(a.val[k]);
        sum += value * inner(j);
        absolute += std::abs(value);
        column_sums[j] += std::abs(value);
      }
      lp.b[i] = static_cast<V>(sum);
      largest_row = std::max(largest_row, absolute);
    }
    for (std::size_t j = 0; j < cols; ++j) lp.c[j] = static_cast<V>(1 - 2 * inner((j * 31) % period));
    const double largest_column =
        column_sums.empty() ? 0 : *std::max_element(column_sums.begin(), column_sums.end());
    lp.step = 0.9 / std::sqrt(largest_row * largest_column);
    return lp;
  });
}

template <value V>
double relative_residual(const csr_view<V, std::int32_t>& a, std::span<const V> b, std::span<const V> x) {
  double squares = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double r = static_cast<double>(b[i]);
    of_b += r * r;
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      r -= static_cast<double>(a.val[k]) * static_cast<double>(x[static_cast<std::size_t>(a.col[k])]);
    squares += r * r;
  }
  return of_b > 0 ? std::sqrt(squares / of_b) : std::sqrt(squares);
}

#define GOSSAMER_INSTANCE(V, O)                                  \
  template spd_system<V> make_spd_system(const csr_view<V, O>&); \
  template linear_program<V> make_linear_program(const csr_view<V, O>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template double relative_residual(const csr_view<float, std::int32_t>&, std::span<const float>,
                                  std::span<const float>);
template double relative_residual(const csr_view<double, std::int32_t>&, std::span<const double>,
                                  std::span<const double>);

}  // namespace gossamer::bench_support
