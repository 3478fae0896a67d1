// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "bench_support/oracle/oracle.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support {
namespace {

struct exact_row {
  long double sum = 0;
  long double magnitude = 0;
  std::int64_t entries = 0;
};

/// Where gamma(n + 3) reaches a half: n u = 1 / 3.
template <class V>
constexpr std::int64_t blind_length = static_cast<std::int64_t>(2.0L /
                                                                (3.0L * std::numeric_limits<V>::epsilon()));

template <class V, class O>
exact_row sum_row(const csr_view<V, O>& a, std::span<const V> x, std::size_t i) {
  exact_row r;
  const auto end = static_cast<std::size_t>(a.row_ptr[i + 1]);
  for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < end; ++k) {
    const long double term =
        static_cast<long double>(a.val[k]) * static_cast<long double>(x[static_cast<std::size_t>(a.col[k])]);
    r.sum += term;
    r.magnitude += std::fabs(term);
    ++r.entries;
  }
  return r;
}

template <class V>
double ratio(long double exact, long double magnitude, std::int64_t n, long double alpha, long double got,
             bool flushes) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  const long double largest = std::numeric_limits<V>::max();
  if (std::isnan(exact)) return std::isnan(got) ? 0 : static_cast<double>(infinity);
  if (std::isinf(exact)) return got == exact ? 0 : static_cast<double>(infinity);
  if (!std::isfinite(got)) return magnitude > largest ? 0 : static_cast<double>(infinity);
  const long double u = std::numeric_limits<V>::epsilon() / 2;
  const long double k = static_cast<long double>(n + 3) * u;
  const long double gamma = k < 1 ? k / (1 - k) : infinity;
  const long double eta = std::numeric_limits<V>::denorm_min();
  const long double entries = static_cast<long double>(n);
  const long double mu = flushes ? std::numeric_limits<V>::min() : 0;
  const long double bound = (magnitude > 0 ? gamma * magnitude : 0) + (entries * std::fabs(alpha) + 3) * eta +
                            2 * (entries * (std::fabs(alpha) + 1) + 3) * mu;
  return static_cast<double>(std::fabs(got - exact) / bound);
}

}  // namespace

template <value V, offset O>
verification verify(const csr_view<V, O>& a, V alpha, std::span<const V> x, V beta, std::span<const V> y,
                    std::span<const V> got, bool flushes) {
  return naming_out_of_memory("verify", [&] {
    const auto rows = static_cast<std::size_t>(a.rows);
    if (x.size() != static_cast<std::size_t>(a.cols))
      fail(errc::size_mismatch, "verify: x has {} elements, the matrix has {} columns", x.size(), a.cols);
    if (got.size() != rows || (beta != V{0} && y.size() != rows))
      fail(errc::size_mismatch, "verify: y has {} and got has {} elements, the matrix has {} rows", y.size(),
           got.size(), a.rows);
    // Every thread gets the same number of rows. Small parts spread neighbouring long rows over the threads.
    constexpr std::int64_t part_rows = 256;
    const std::int64_t parts = (a.rows + part_rows - 1) / part_rows;
    std::vector<verification> worst(static_cast<std::size_t>(core::default_threads()));
    core::parallel(a.nnz() + a.rows <= core::default_grain ? 1 : 0, [&](int thread, int team) {
      verification mine;
      for (std::int64_t part = thread; part < parts; part += team) {
        for (std::int64_t i = part * part_rows; i < std::min(a.rows, (part + 1) * part_rows); ++i) {
          const auto row = static_cast<std::size_t>(i);
          const exact_row r = alpha == V{0} ? exact_row{} : sum_row(a, x, row);
          const long double before = beta == V{0} ? 0.0L : static_cast<long double>(beta) * y[row];
          const long double scaled = alpha == V{0} ? 0.0L : static_cast<long double>(alpha) * r.sum;
          const long double magnitude =
              (alpha == V{0} ? 0.0L : std::fabs(static_cast<long double>(alpha)) * r.magnitude) +
              std::fabs(before);
          const double e = ratio<V>(scaled + before, magnitude, r.entries, alpha, got[row], flushes);
          if (mine.row < 0 || e > mine.error_ratio) {
            mine.error_ratio = e;
            mine.row = i;
          }
          mine.blind_rows += r.entries >= blind_length<V> ? 1 : 0;
        }
      }
      worst[static_cast<std::size_t>(thread)] = mine;
    });
    verification result;
    for (const verification& each : worst) {
      result.blind_rows += each.blind_rows;
      if (each.row >= 0 && (result.row < 0 || each.error_ratio > result.error_ratio)) {
        result.error_ratio = each.error_ratio;
        result.row = each.row;
      }
    }
    return result;
  });
}

#define GOSSAMER_INSTANCE(V, O)                                                                     \
  template verification verify(const csr_view<V, O>&, V, std::span<const V>, V, std::span<const V>, \
                               std::span<const V>, bool);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::bench_support
