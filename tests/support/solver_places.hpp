// SPDX-License-Identifier: BSD-3-Clause
// Matrices of solver tests, and the resources on which one test runs: each has the solvers as functions of
// std::vector.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gossamer/gossamer.hpp"
#include "support/matrix_from_rows.hpp"

namespace gossamer::testing_support {

/// A matrix whose rows are written down; zeros are no entries.
template <value V>
csr_matrix<V, std::int64_t> dense_rows(const std::vector<std::vector<double>>& rows, std::int64_t cols) {
  return matrix_from_rows<V>(
      static_cast<std::int64_t>(rows.size()), cols,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns;
        for (std::size_t j = 0; j < rows[static_cast<std::size_t>(i)].size(); ++j)
          if (rows[static_cast<std::size_t>(i)][j] != 0) columns.push_back(static_cast<std::int64_t>(j));
        return columns;
      },
      [&](std::int64_t i, std::size_t, std::int64_t j) {
        return rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      });
}

/// The five-point Laplace operator on nx x ny points, plus `shift` times the identity.
template <value V>
csr_matrix<V, std::int64_t> laplace(std::int64_t nx, std::int64_t ny, double shift = 0) {
  return matrix_from_rows<V>(
      nx * ny, nx * ny,
      [=](std::int64_t i) {
        std::vector<std::int64_t> columns;
        if (i >= nx) columns.push_back(i - nx);
        if (i % nx > 0) columns.push_back(i - 1);
        columns.push_back(i);
        if (i % nx < nx - 1) columns.push_back(i + 1);
        if (i + nx < nx * ny) columns.push_back(i + nx);
        return columns;
      },
      [=](std::int64_t i, std::size_t, std::int64_t j) { return i == j ? 4 + shift : -1; });
}

/// y = A x in long double.
template <value V, class X>
std::vector<long double> exact_product(const csr_matrix<V, std::int64_t>& a, const std::vector<X>& x) {
  std::vector<long double> y(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      y[i] += static_cast<long double>(a.val[at]) *
              static_cast<long double>(x[static_cast<std::size_t>(a.col[at])]);
    }
  return y;
}

template <class T>
long double norm_of(const std::vector<T>& v) {
  long double sum = 0;
  for (const T& each : v) sum += static_cast<long double>(each) * static_cast<long double>(each);
  return std::sqrt(sum);
}

/// ||b - A x|| in long double.
template <value V>
long double residual_of(const csr_matrix<V, std::int64_t>& a, const std::vector<V>& b,
                        const std::vector<V>& x) {
  std::vector<long double> r = exact_product(a, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<long double>(b[i]) - r[i];
  return norm_of(r);
}

template <value V>
long double frobenius(const csr_matrix<V, std::int64_t>& a) {
  return norm_of(std::vector<V>(a.val.span().begin(), a.val.span().end()));
}

/// How far the residual of an iteration x += alpha p, r -= alpha A p may leave b - A x, by rounding: each of
/// the k iterations rounds a product with at most `row` entries in a row, and three further operations, on
/// vectors of at most the norm of the largest x. The error of an iterate is at most twice that norm.
template <value V>
long double residual_gap(const csr_matrix<V, std::int64_t>& a, std::int64_t iterations, std::int64_t row,
                         long double largest_x) {
  const long double unit = std::numeric_limits<V>::epsilon();
  return static_cast<long double>((iterations + 1) * (row + 6)) * unit * frobenius(a) * 4 * largest_x;
}

/// A matrix that is not symmetric: diagonal 4 + shift, and others within `skew` of -1.
template <value V>
csr_matrix<V, std::int64_t> convection(std::int64_t nx, std::int64_t ny, double skew, double shift = 0) {
  auto a = laplace<V>(nx, ny, shift);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (a.col[at] != i) a.val[at] = static_cast<V>(a.col[at] < i ? -1 - skew : -1 + skew);
    }
  return a;
}

/// A matrix of any shape with three entries in most rows, and none in every seventh.
template <value V>
csr_matrix<V, std::int64_t> rectangular(std::int64_t rows, std::int64_t cols) {
  return matrix_from_rows<V>(
      rows, cols,
      [=](std::int64_t i) {
        if (i % 7 == 6) return std::vector<std::int64_t>();
        return std::vector<std::int64_t>{i % cols, (i + 1 + i / cols) % cols, (5 * i + 2) % cols};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return k == 0 ? 4.0 : static_cast<double>((3 * i + static_cast<std::int64_t>(k)) % 5 - 2) / 2;
      });
}

/// Solvers that are called in the same way.
enum class system_solver { cg, bicgstab, minres };

/// The solver as a function of a plan and further arguments.
template <value V, class... Arguments>
solve::result call(system_solver which, const plan<V>& a, Arguments&&... arguments) {
  switch (which) {
    case system_solver::cg:
      return solve::cg<V>(a, std::forward<Arguments>(arguments)...);
    case system_solver::bicgstab:
      return solve::bicgstab<V>(a, std::forward<Arguments>(arguments)...);
    default:
      return solve::minres<V>(a, std::forward<Arguments>(arguments)...);
  }
}

/// The vectors of a linear program.
template <value V>
struct program_vectors {
  std::vector<V> cost;
  std::vector<V> lower;
  std::vector<V> upper;
  std::vector<V> row_lower;
  std::vector<V> row_upper;
};

/// The method for linear programs on host vectors. The program must outlive it.
template <value V>
class pdhg_on_host {
 public:
  pdhg_on_host(const plan<V>& a, const program_vectors<V>& p)
      : loop_(a, {.cost = p.cost,
                  .lower = p.lower,
                  .upper = p.upper,
                  .row_lower = p.row_lower,
                  .row_upper = p.row_upper}) {}
  solve::pdhg<V>& loop() { return loop_; }
  void restart(const std::vector<V>& x, const std::vector<V>& y) { loop_.restart(x, y); }
  void copy_to(std::vector<V>& x, std::vector<V>& y, solve::pdhg_iterate which) {
    loop_.copy_to(x, y, which);
  }

 private:
  solve::pdhg<V> loop_;
};

/// Vectors in host memory and plans on the CPU.
struct on_host {
  template <value V>
  using pdhg = pdhg_on_host<V>;
  template <value V>
  static plan<V> inspected(const csr_matrix<V, std::int64_t>& a, const inspect_options& how = {}) {
    return inspect(a.view(), cpu{}, how);
  }
  static std::vector<const char*> formats() { return {"csr", "packed", "pattern_csr"}; }

  template <value V>
  static solve::result system(system_solver which, const plan<V>& a, const std::vector<V>& b,
                              std::vector<V>& x, const solve::options<V>& how = {}) {
    return call<V>(which, a, b, x, how);
  }
  template <value V>
  static solve::result chebyshev(const plan<V>& a, const std::vector<V>& b, std::vector<V>& x,
                                 const solve::eigenvalue_bounds& bounds, const solve::options<V>& how = {}) {
    return solve::chebyshev(a, b, x, bounds, how);
  }
  template <value V>
  static solve::lsqr_result lsqr(const plan<V>& a, const std::vector<V>& b, std::vector<V>& x,
                                 const solve::lsqr_options& how = {}) {
    return solve::lsqr(a, b, x, how);
  }
  template <value V>
  static solve::power_result power(const plan<V>& a, std::vector<V>& x,
                                   const solve::power_options& how = {}) {
    return solve::power(a, x, how);
  }
};

}  // namespace gossamer::testing_support
