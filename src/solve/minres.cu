// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the minimum residual method.
#include "solve/minres_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

#define GOSSAMER_INSTANCE(V, M)                               \
  GOSSAMER_STEP_INSTANCE(minres_start<V, preconditioning::M>) \
  GOSSAMER_STEP_INSTANCE(minres_lanczos<V, preconditioning::M>)
#define GOSSAMER_INSTANCES(V)                \
  GOSSAMER_STEP_INSTANCE(add_multiple<V>)    \
  GOSSAMER_STEP_INSTANCE(minres_norm<V>)     \
  GOSSAMER_STEP_INSTANCE(minres_solution<V>) \
  GOSSAMER_INSTANCE(V, none)                 \
  GOSSAMER_INSTANCE(V, diagonal)             \
  GOSSAMER_INSTANCE(V, stored)
GOSSAMER_INSTANCES(float)
GOSSAMER_INSTANCES(double)
#undef GOSSAMER_INSTANCES
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
