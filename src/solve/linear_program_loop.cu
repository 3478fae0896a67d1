// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the loop for linear programs that it does not share with pdhg.
#include "solve/linear_program_steps.hpp"
#include "solve/step.cuh"

namespace gossamer::inline v0::solve {

GOSSAMER_STEP_INSTANCE(lp_length)
GOSSAMER_STEP_INSTANCE(lp_test_columns)
GOSSAMER_STEP_INSTANCE(lp_test_rows)

}  // namespace gossamer::inline v0::solve
