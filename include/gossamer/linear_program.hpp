// SPDX-License-Identifier: BSD-3-Clause
// Iterations of a first-order method for linear programs: products by A and by its transpose.
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

/// A linear program: min cost . x, subject to lower <= x <= upper and row_lower <= A x <= row_upper. All five
/// vectors are required. Bounds may be infinite: -infinity in lower and row_lower, infinity in upper and
/// row_upper. Their values are not checked.
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

/// The state after some steps. The changes are Euclidean norms.
struct pdhg_state {
  /// maxiter, or not_finite if a change is NaN, infinite, or too large to square. After not_finite, advance()
  /// takes no step and returns this state again, until restart() is called. The iterates may contain NaNs:
  /// restart from the caller's vectors.
  status outcome = status::maxiter;
  std::int64_t since_restart = 0;  ///< number of steps since the last restart
  double primal_change = 0;        ///< ||x' - x|| in the last step
  double dual_change = 0;          ///< ||y' - y|| in the last step
};

/// The errors of an iterate (x, y). The residuals are Euclidean norms. They are absolute: divide them by the
/// norms of the bounds and of the cost for a relative test.
struct linear_program_errors {
  double primal_objective = 0;  ///< cost . x
  /// Objective of the dual program. A part without a finite bound counts in dual_residual instead.
  double dual_objective = 0;
  double primal_residual = 0;  ///< distance of (x, A x) from its bounds
  /// Norm of those elements of (cost - A^T y, y) whose bound is infinite: the lower bound of a positive
  /// element, the upper bound of a negative one.
  double dual_residual = 0;
};

/// Which iterate a function of pdhg returns.
enum class pdhg_iterate : std::int32_t {
  current,  ///< the last one
  average   ///< the mean of the results z' of all steps since the last restart; see pdhg_parameters::average
};

/// @cond
template <value V>
class pdhg_base;
/// @endcond

/// The primal-dual hybrid gradient method for a linear program (A. Chambolle and T. Pock, A first-order
/// primal-dual algorithm for convex problems with applications to imaging, 2011). A step from (x, y) is
///
///     x' = x - tau (cost - A^T y), projected onto [lower, upper]
///     y' = y - sigma (A (2 x' - x) - a), where a is A (2 x' - x) - y / sigma, projected onto
///          [row_lower, row_upper]
///
/// x has cols() and y has rows() elements. Two products with epilogues (gossamer/epilogue.hpp) make a step.
/// With over-relaxation, Halpern's iteration or a mean, one pass over x and y follows. The caller decides on
/// restarts and step sizes.
///
/// All functions are synchronous. On a GPU, steps run in CUDA graphs, and the host waits at the end of each
/// call. The changes, and whether they are finite, are known only then. `stream` is used as by the other
/// solvers (gossamer/solve.hpp).
///
/// The plan needs operations = both. It must outlive this object, and so must the problem's vectors if they
/// are in the memory where the plan runs. Scale the matrix before inspect() to precondition the problem.
///
/// Space is the memory of the caller's vectors. With host vectors and a plan on one GPU, all vectors are
/// copied to the GPU once.
///
/// @par Errors
/// The constructor throws unsupported for a plan with other operations, a device vector with a plan on a CPU,
/// and a stream that is being captured. It throws size_mismatch for a vector of another length, and
/// out_of_memory. restart() and copy_to() throw size_mismatch. All functions throw the errors of
/// plan::multiply().
template <value V, class Space = host_space>
class GOSSAMER_API pdhg {
 public:
  /// Allocates all vectors and begins at x = 0, projected onto its bounds, and y = 0. `stream` is for a plan
  /// on GPUs and device vectors.
  pdhg(const plan<V>& a, const linear_program<V, Space>& problem, cuda_stream stream = {},
       workspace* scratch = nullptr);
  /// Moves the state. The other object may then only be assigned to or destroyed.
  pdhg(pdhg&&) noexcept;
  /// Moves the state. The other object may then only be assigned to or destroyed.
  pdhg& operator=(pdhg&&) noexcept;
  ~pdhg();

  /// Restarts from an iterate of this object: it becomes the current one and the anchor of Halpern's
  /// iteration (the iterate that all means include). A new mean of pdhg_iterate::average begins.
  void restart(pdhg_iterate from = pdhg_iterate::current);
  /// Restarts from the caller's vectors, of cols() and rows() elements. x is not projected.
  void restart(span_in<const V, Space> x, span_in<const V, Space> y);
  /// Takes some steps and waits for them. Throws invalid_argument for a negative number of steps, for step
  /// sizes that are not positive numbers of type V, and for a reflection outside 0 to 1.
  pdhg_state advance(std::int64_t steps, const pdhg_parameters& how);
  /// Copies an iterate to the caller's vectors, of cols() and rows() elements. The average of no steps is the
  /// iterate at the restart.
  void copy_to(span_in<V, Space> x, span_in<V, Space> y, pdhg_iterate which = pdhg_iterate::current);
  /// The errors of an iterate. It takes two products.
  linear_program_errors errors(pdhg_iterate of = pdhg_iterate::current);

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  std::unique_ptr<pdhg_base<V>> loop_;
};

}  // namespace gossamer::inline v0::solve
