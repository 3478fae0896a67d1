// SPDX-License-Identifier: BSD-3-Clause
// Test problems for solvers, made from any matrix: a symmetric positive definite system, a linear program.
#pragma once

#include <cstdint>
#include <vector>

#include "bench_support/loops/loops.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::bench_support {

/// A system that conjugate gradients solve.
template <value V>
struct spd_system {
  csr_matrix<V, std::int32_t> a;
  /// False: it is the matrix that was given. True: it is a weighted Laplacian with the matrix's pattern.
  bool made = false;
};

/// The matrix itself if it is symmetric, diagonally dominant and has a positive diagonal, since it is
/// positive definite then. Otherwise the matrix L with
///   L_ij = -(|a_ij| + |a_ji|) / 2 for i != j,   L_ii = 1.001 times the sum of |L_ij|, or 1 if that is 0.
/// Of duplicates, the absolute values are added. Scaled by its diagonal, L has a condition number of at most
/// 2001. Columns of each row ascend. Throws unsupported for a matrix that is not square, and if the result
/// has more than 2^31 - 1 nonzeros. The matrix is valid.
template <value V, offset O>
spd_system<V> make_spd_system(const csr_view<V, O>& a);

/// min c'x with A x = b and 0 <= x <= 1, which a point between the bounds satisfies.
template <value V>
struct linear_program {
  std::vector<V> b;
  std::vector<V> c;
  std::vector<V> lower;
  std::vector<V> upper;
  double step = 0;  ///< of x and of y: 0.9 / sqrt(||A||_1 ||A||_inf), for which pdhg converges

  [[nodiscard]] loop_problem<V> view() const {
    return {.b = b, .c = c, .lower = lower, .upper = upper, .primal_step = step, .dual_step = step};
  }
};

/// The matrix is valid and has a value that is not 0.
template <value V, offset O>
linear_program<V> make_linear_program(const csr_view<V, O>& a);

/// ||b - A x|| / ||b|| in double precision; ||b - A x|| if b is 0.
template <value V>
double relative_residual(const csr_view<V, std::int32_t>& a, std::span<const V> b, std::span<const V> x);

}  // namespace gossamer::bench_support
