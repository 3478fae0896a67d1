// SPDX-License-Identifier: BSD-3-Clause
// The kernels of conjugate gradients, and of the steps that solvers share.
#include "solve/cg_steps.hpp"
#include "solve/polynomial_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

#define GOSSAMER_INSTANCE(V)                                         \
  GOSSAMER_STEP_INSTANCE(take_right_side<V>)                         \
  GOSSAMER_STEP_INSTANCE(measure_start<V>)                           \
  GOSSAMER_STEP_INSTANCE(invert_diagonal<V>)                         \
  GOSSAMER_STEP_INSTANCE(polynomial_start<V>)                        \
  GOSSAMER_STEP_INSTANCE(polynomial_term<V>)                         \
  GOSSAMER_STEP_INSTANCE(cg_start<V, preconditioning::none>)         \
  GOSSAMER_STEP_INSTANCE(cg_start<V, preconditioning::diagonal>)     \
  GOSSAMER_STEP_INSTANCE(cg_start<V, preconditioning::stored>)       \
  GOSSAMER_STEP_INSTANCE(cg_residual<V, preconditioning::none>)      \
  GOSSAMER_STEP_INSTANCE(cg_residual<V, preconditioning::diagonal>)  \
  GOSSAMER_STEP_INSTANCE(cg_residual<V, preconditioning::stored>)    \
  GOSSAMER_STEP_INSTANCE(cg_rho<V>)                                  \
  GOSSAMER_STEP_INSTANCE(cg_direction<V, preconditioning::none>)     \
  GOSSAMER_STEP_INSTANCE(cg_direction<V, preconditioning::diagonal>) \
  GOSSAMER_STEP_INSTANCE(cg_direction<V, preconditioning::stored>)
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
