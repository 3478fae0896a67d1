// SPDX-License-Identifier: BSD-3-Clause
// The kernels of LSQR.
#include "solve/lsqr_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

#define GOSSAMER_INSTANCE(V)                      \
  GOSSAMER_STEP_INSTANCE(set_zero<V>)             \
  GOSSAMER_STEP_INSTANCE(lsqr_first_left<V>)      \
  GOSSAMER_STEP_INSTANCE(lsqr_first_right<V>)     \
  GOSSAMER_STEP_INSTANCE(lsqr_first_direction<V>) \
  GOSSAMER_STEP_INSTANCE(lsqr_left<V>)            \
  GOSSAMER_STEP_INSTANCE(lsqr_right<V>)           \
  GOSSAMER_STEP_INSTANCE(lsqr_solution<V>)
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
