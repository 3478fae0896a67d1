// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the primal-dual hybrid gradient method, and those that both loops share.
#include "solve/pdhg_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

GOSSAMER_STEP_INSTANCE(next_iterate<double, false>)
#define GOSSAMER_INSTANCE(V)                    \
  GOSSAMER_STEP_INSTANCE(next_iterate<V, true>) \
  GOSSAMER_STEP_INSTANCE(copy_iterate<V>)       \
  GOSSAMER_STEP_INSTANCE(pdhg_column_errors<V>) \
  GOSSAMER_STEP_INSTANCE(pdhg_row_errors<V>)
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
