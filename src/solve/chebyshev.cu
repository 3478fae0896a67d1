// SPDX-License-Identifier: BSD-3-Clause
// The kernels of Chebyshev iteration and of power iteration.
#include "solve/chebyshev_steps.hpp"
#include "solve/power_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

#define GOSSAMER_INSTANCE(V, M)                                  \
  GOSSAMER_STEP_INSTANCE(chebyshev_start<V, preconditioning::M>) \
  GOSSAMER_STEP_INSTANCE(chebyshev_step<V, preconditioning::M>)
#define GOSSAMER_INSTANCES(V)                    \
  GOSSAMER_STEP_INSTANCE(chebyshev_direction<V>) \
  GOSSAMER_STEP_INSTANCE(power_start<V>)         \
  GOSSAMER_STEP_INSTANCE(power_normalize<V>)     \
  GOSSAMER_STEP_INSTANCE(power_residual<V>)      \
  GOSSAMER_STEP_INSTANCE(power_next<V>)          \
  GOSSAMER_INSTANCE(V, none)                     \
  GOSSAMER_INSTANCE(V, diagonal)                 \
  GOSSAMER_INSTANCE(V, stored)
GOSSAMER_INSTANCES(float)
GOSSAMER_INSTANCES(double)
#undef GOSSAMER_INSTANCES
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
