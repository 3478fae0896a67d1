// SPDX-License-Identifier: BSD-3-Clause
// The iteration of gossamer.linalg.pdhg.
#pragma once

#include <nanobind/nanobind.h>

namespace gossamer::python {

/// Adds the class LinearProgramIteration.
void bind_linear_program(nanobind::module_& module);

}  // namespace gossamer::python
