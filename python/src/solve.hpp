// SPDX-License-Identifier: BSD-3-Clause
// The solvers of gossamer/solve.hpp for gossamer.linalg.
#pragma once

#include <nanobind/nanobind.h>

namespace gossamer::python {

/// Adds can_solve(), solve_system() and solve_lsqr().
void bind_solve(nanobind::module_& module);

}  // namespace gossamer::python
