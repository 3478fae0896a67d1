// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the primal-dual hybrid gradient method.
#include "solve/pdhg_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

#define GOSSAMER_INSTANCE(V)                    \
  GOSSAMER_STEP_INSTANCE(pdhg_restart<V>)       \
  GOSSAMER_STEP_INSTANCE(pdhg_primal<V>)        \
  GOSSAMER_STEP_INSTANCE(pdhg_dual<V>)          \
  GOSSAMER_STEP_INSTANCE(pdhg_column_errors<V>) \
  GOSSAMER_STEP_INSTANCE(pdhg_row_errors<V>)
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
