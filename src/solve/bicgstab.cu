// SPDX-License-Identifier: BSD-3-Clause
// The kernels of stabilized biconjugate gradients.
#include "solve/bicgstab_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

#define GOSSAMER_INSTANCE(V, M)                                 \
  GOSSAMER_STEP_INSTANCE(bicgstab_start<V, preconditioning::M>) \
  GOSSAMER_STEP_INSTANCE(bicgstab_half<V, preconditioning::M>)  \
  GOSSAMER_STEP_INSTANCE(bicgstab_direction<V, preconditioning::M>)
#define GOSSAMER_INSTANCES(V)                  \
  GOSSAMER_STEP_INSTANCE(bicgstab_solution<V>) \
  GOSSAMER_INSTANCE(V, none)                   \
  GOSSAMER_INSTANCE(V, diagonal)               \
  GOSSAMER_INSTANCE(V, stored)
GOSSAMER_INSTANCES(float)
GOSSAMER_INSTANCES(double)
#undef GOSSAMER_INSTANCES
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
