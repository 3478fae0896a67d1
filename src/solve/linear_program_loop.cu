// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the loop for linear programs.
#include "solve/linear_program_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

GOSSAMER_STEP_INSTANCE(lp_primal<false>)
GOSSAMER_STEP_INSTANCE(lp_primal<true>)
GOSSAMER_STEP_INSTANCE(lp_dual<false>)
GOSSAMER_STEP_INSTANCE(lp_dual<true>)
GOSSAMER_STEP_INSTANCE(lp_length)
GOSSAMER_STEP_INSTANCE(lp_test_columns)
GOSSAMER_STEP_INSTANCE(lp_test_rows)
GOSSAMER_STEP_INSTANCE(lp_restart)
GOSSAMER_STEP_INSTANCE(lp_start)

}  // namespace gossamer::inline v0::solve
