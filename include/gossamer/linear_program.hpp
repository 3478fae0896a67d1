// SPDX-License-Identifier: BSD-3-Clause
// Steps of a first-order method for linear programs: products by A and by its transpose.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gossamer/export.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/solve.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0::solve {

/// A linear program: min cost . x, subject to lower <= x <= upper and row_lower <= A x <= row_upper. Bounds
/// may be infinite.
template <value V, class Space = host_space>
struct linear_program {
  span_in<const V, Space> cost;       ///< cols() elements
  span_in<const V, Space> lower;      ///< cols() elements
  span_in<const V, Space> upper;      ///< cols() elements
  span_in<const V, Space> row_lower;  ///< rows() elements
  span_in<const V, Space> row_upper;  ///< rows() elements
};

/// Parameters of the steps. They may change between two calls of pdhg::advance().
struct pdhg_parameters {
  double primal_step = 0;  ///< tau, more than 0; the method converges if tau sigma ||A||^2 < 1
  double dual_step = 0;    ///< sigma, more than 0
  /// Over-relaxation, from 0 to 1: the new iterate is z' + reflection (z' - z) for a step from z to z'.
  double reflection = 0;
  /// True: the new iterate is a mean of the one above, with weight (k + 1) / (k + 2), and of the iterate at
  /// the last restart. k is the number of steps since then (Halpern's iteration).
  bool halpern = false;
  /// True: the steps update the mean of pdhg_iterate::average. Change it only at a restart.
  bool average = false;
};

/// The state after some steps.
struct pdhg_state {
  /// maxiter, or not_finite if the changes are not finite numbers. Then only a restart allows further steps.
  status outcome = status::maxiter;
  std::int64_t since_restart = 0;  ///< number of steps since the last restart
  double primal_change = 0;        ///< ||x' - x|| in the last step
  double dual_change = 0;          ///< ||y' - y|| in the last step
};

/// The errors of a pair of solutions.
struct linear_program_errors {
  double primal_objective = 0;  ///< cost . x
  /// Objective of the dual program. A part without a finite bound counts in dual_residual instead.
  double dual_objective = 0;
  double primal_residual = 0;  ///< distance of (x, A x) from its bounds
  double dual_residual = 0;    ///< distance of (cost - A^T y, y) from the signs that the bounds allow
};

/// Which iterate a function of pdhg returns.
enum class pdhg_iterate : std::int32_t {
  current,  ///< the last one
  average   ///< the mean of the results z' of all steps since the last restart; see pdhg_parameters
};

/// @cond
template <value V>
class pdhg_base;
/// @endcond

/// The primal-dual hybrid gradient method for a linear program. A step from (x, y) is
///
///     x' = x - tau (cost - A^T y), moved into its bounds
///     y' = y - sigma (A (2 x' - x) - a), where a is the point in the row bounds that is nearest to
///          A (2 x' - x) - y / sigma
///
/// Two products with epilogues (gossamer/epilogue.hpp) make a step. With over-relaxation, Halpern's iteration
/// or a mean, one pass over x and y follows. Restarts and step sizes are the caller's.
///
/// On a GPU, steps run in CUDA graphs, and the host waits at the end of each call. The changes, and whether
/// they are finite, are known only then.
///
/// The plan needs operations = both. It must outlive this object, and so must the problem's vectors if they
/// are in the memory where the plan runs. Scale the matrix before inspect() to precondition the problem.
///
/// Space is the memory of the caller's vectors. With host vectors and a plan on one GPU, all vectors are
/// copied to the GPU once. Throws the errors of the other solvers (gossamer/solve.hpp).
template <value V, class Space = host_space>
class GOSSAMER_API pdhg {
 public:
  /// Allocates all vectors and begins at x = 0, moved into its bounds, and y = 0. `stream` is for a plan on
  /// GPUs and device vectors.
  pdhg(const plan<V>& a, const linear_program<V, Space>& problem, cuda_stream stream = {},
       workspace* scratch = nullptr);
  /// Moves the state. The other object may then only be assigned to or destroyed.
  pdhg(pdhg&&) noexcept;
  /// Moves the state. The other object may then only be assigned to or destroyed.
  pdhg& operator=(pdhg&&) noexcept;
  ~pdhg();

  /// Restarts from an iterate of this object: it becomes the current one and the anchor of Halpern's
  /// iteration, and a new mean begins.
  void restart(pdhg_iterate from = pdhg_iterate::current);
  /// Restarts from the caller's vectors.
  void restart(span_in<const V, Space> x, span_in<const V, Space> y);
  /// Takes some steps and waits for them. Throws invalid_argument for a negative number of steps, and for
  /// step sizes that are not positive numbers of type V.
  pdhg_state advance(std::int64_t steps, const pdhg_parameters& how);
  /// Copies an iterate to the caller's vectors. The average of no steps is the iterate at the restart.
  void copy_to(span_in<V, Space> x, span_in<V, Space> y, pdhg_iterate which = pdhg_iterate::current);
  /// The errors of an iterate. It takes two products.
  linear_program_errors errors(pdhg_iterate of = pdhg_iterate::current);

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  std::unique_ptr<pdhg_base<V>> loop_;
};

}  // namespace gossamer::inline v0::solve
