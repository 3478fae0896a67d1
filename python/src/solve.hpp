// SPDX-License-Identifier: BSD-3-Clause
// The solvers of gossamer/solve.hpp for gossamer.linalg.
#pragma once

#include <nanobind/nanobind.h>

namespace gossamer::python {

/// Adds solve_system() and can_solve().
void bind_solve(nanobind::module_& module);

}  // namespace gossamer::python
