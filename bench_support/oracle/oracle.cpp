// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "bench_support/oracle/columns.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support {
namespace {

/// The sum of one row and one column, and of its magnitudes.
struct exact_sum {
  long double sum = 0;
  long double magnitude = 0;
};

/// Element i of column j is data[i * row_stride + j * column_stride].
template <class V>
struct matrix_columns {
  matrix_columns(std::span<const V> all, std::int64_t columns, layout order)
      : data(all.data()),
        row_stride(order == layout::column_major ? 1 : static_cast<std::size_t>(columns)),
        column_stride(order == layout::column_major ? all.size() / static_cast<std::size_t>(columns) : 1) {}
  long double at(std::size_t i, std::size_t j) const { return data[i * row_stride + j * column_stride]; }

  const V* data;
  std::size_t row_stride;
  std::size_t column_stride;
};

/// Where gamma(n + 3) reaches a half: n u = 1 / 3.
template <class V>
constexpr std::int64_t blind_length = static_cast<std::int64_t>(2.0L /
                                                                (3.0L * std::numeric_limits<V>::epsilon()));

/// Computes row i of A X for Number columns from column j on. Their sums stay in registers.
template <std::size_t Number, class V, class O>
void sum_columns(const csr_view<V, O>& a, const matrix_columns<V>& x, std::size_t i, std::size_t j,
                 std::vector<exact_sum>& sums) {
  std::array<exact_sum, Number> some{};
  const auto end = static_cast<std::size_t>(a.row_ptr[i + 1]);
  for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < end; ++k) {
    const long double value = a.val[k];
    const auto col = static_cast<std::size_t>(a.col[k]);
    for (std::size_t c = 0; c < Number; ++c) {
      const long double term = value * x.at(col, j + c);
      some[c].sum += term;
      some[c].magnitude += std::fabs(term);
    }
  }
  std::copy(some.begin(), some.end(), sums.begin() + static_cast<std::ptrdiff_t>(j));
}

/// Computes row i of A X for all columns.
template <class V, class O>
void sum_row(const csr_view<V, O>& a, const matrix_columns<V>& x, std::size_t i,
             std::vector<exact_sum>& sums) {
  constexpr std::size_t at_once = 2;  // x87 has eight registers
  std::size_t j = 0;
  for (; j + at_once <= sums.size(); j += at_once) sum_columns<at_once>(a, x, i, j, sums);
  for (; j < sums.size(); ++j) sum_columns<1>(a, x, i, j, sums);
}

/// The bound of a row's errors is gamma times the sum of magnitudes, plus the smallest.
struct row_bound {
  long double gamma;
  long double smallest;
};

template <class V>
row_bound bound_of(std::int64_t n, long double alpha, bool flushes) {
  const long double u = std::numeric_limits<V>::epsilon() / 2;
  const long double k = static_cast<long double>(n + 3) * u;
  const long double eta = std::numeric_limits<V>::denorm_min();
  const long double entries = static_cast<long double>(n);
  const long double mu = flushes ? std::numeric_limits<V>::min() : 0;
  return {
      .gamma = k < 1 ? k / (1 - k) : std::numeric_limits<long double>::infinity(),
      .smallest = (entries * std::fabs(alpha) + 3) * eta + 2 * (entries * (std::fabs(alpha) + 1) + 3) * mu};
}

template <class V>
double ratio(long double exact, long double magnitude, const row_bound& allowed, long double got) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  const long double largest = std::numeric_limits<V>::max();
  if (std::isnan(exact)) return std::isnan(got) ? 0 : static_cast<double>(infinity);
  if (std::isinf(exact)) return got == exact ? 0 : static_cast<double>(infinity);
  if (!std::isfinite(got)) return magnitude > largest ? 0 : static_cast<double>(infinity);
  const long double bound = (magnitude > 0 ? allowed.gamma * magnitude : 0) + allowed.smallest;
  return static_cast<double>(std::fabs(got - exact) / bound);
}

void keep_worse(verification& worst, const verification& other) {
  if (other.row >= 0 && (worst.row < 0 || other.error_ratio > worst.error_ratio)) {
    worst.error_ratio = other.error_ratio;
    worst.row = other.row;
    worst.column = other.column;
  }
}

template <class V, class O>
verification compare(const char* call, const csr_view<V, O>& a, std::int64_t columns, layout order, V alpha,
                     std::span<const V> x, V beta, std::span<const V> y, std::span<const V> got,
                     bool flushes) {
  if (columns < 1) fail(errc::invalid_argument, "{}: columns = {} is less than 1", call, columns);
  const auto x_size = static_cast<std::size_t>(a.cols * columns);
  const auto y_size = static_cast<std::size_t>(a.rows * columns);
  if (x.size() != x_size)
    fail(errc::size_mismatch, "{}: x has {} elements, {} vectors of the matrix's {} columns need {}", call,
         x.size(), columns, a.cols, x_size);
  if (got.size() != y_size || (beta != V{0} && y.size() != y_size))
    fail(errc::size_mismatch,
         "{}: y has {} and got has {} elements, {} vectors of the matrix's {} rows need {}", call, y.size(),
         got.size(), columns, a.rows, y_size);
  const matrix_columns<V> of_x(x, columns, order);
  const matrix_columns<V> of_y(y, columns, order);
  const matrix_columns<V> of_got(got, columns, order);
  // Every thread gets the same number of rows. Small parts spread neighbouring long rows over the threads.
  constexpr std::int64_t part_rows = 256;
  const std::int64_t parts = (a.rows + part_rows - 1) / part_rows;
  std::vector<verification> worst(static_cast<std::size_t>(core::default_threads()));
  core::parallel((a.nnz() + a.rows) * columns <= core::default_grain ? 1 : 0, [&](int thread, int team) {
    verification mine;
    std::vector<exact_sum> sums(static_cast<std::size_t>(columns));
    for (std::int64_t part = thread; part < parts; part += team) {
      for (std::int64_t i = part * part_rows; i < std::min(a.rows, (part + 1) * part_rows); ++i) {
        const auto row = static_cast<std::size_t>(i);
        const bool reads = alpha != V{0};
        if (reads) sum_row(a, of_x, row, sums);
        const std::int64_t entries =
            reads ? static_cast<std::int64_t>(a.row_ptr[row + 1] - a.row_ptr[row]) : 0;
        const row_bound allowed = bound_of<V>(entries, alpha, flushes);
        for (std::size_t j = 0; j < sums.size(); ++j) {
          const long double before = beta == V{0} ? 0.0L : static_cast<long double>(beta) * of_y.at(row, j);
          const long double scaled = reads ? static_cast<long double>(alpha) * sums[j].sum : 0.0L;
          const long double magnitude =
              (reads ? std::fabs(static_cast<long double>(alpha)) * sums[j].magnitude : 0.0L) +
              std::fabs(before);
          keep_worse(mine, {.error_ratio = ratio<V>(scaled + before, magnitude, allowed, of_got.at(row, j)),
                            .row = i,
                            .column = static_cast<std::int64_t>(j)});
        }
        mine.blind_rows += entries >= blind_length<V> ? 1 : 0;
      }
    }
    worst[static_cast<std::size_t>(thread)] = mine;
  });
  verification result;
  for (const verification& each : worst) {
    result.blind_rows += each.blind_rows;
    keep_worse(result, each);
  }
  return result;
}

}  // namespace

template <value V, offset O>
verification verify(const csr_view<V, O>& a, V alpha, std::span<const V> x, V beta, std::span<const V> y,
                    std::span<const V> got, bool flushes) {
  return naming_out_of_memory("verify", [&] {
    return compare("verify", a, 1, layout::column_major, alpha, x, beta, y, got, flushes);
  });
}

template <value V, offset O>
verification verify_columns(const csr_view<V, O>& a, std::int64_t columns, layout order, V alpha,
                            std::span<const V> x, V beta, std::span<const V> y, std::span<const V> got,
                            bool flushes) {
  return naming_out_of_memory("verify_columns", [&] {
    return compare("verify_columns", a, columns, order, alpha, x, beta, y, got, flushes);
  });
}

#define GOSSAMER_INSTANCE(V, O)                                                                            \
  template verification verify(const csr_view<V, O>&, V, std::span<const V>, V, std::span<const V>,        \
                               std::span<const V>, bool);                                                  \
  template verification verify_columns(const csr_view<V, O>&, std::int64_t, layout, V, std::span<const V>, \
                                       V, std::span<const V>, std::span<const V>, bool);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::bench_support
