// SPDX-License-Identifier: BSD-3-Clause
// Products for JAX, in builds that find its headers.
#pragma once

#include <nanobind/nanobind.h>

namespace gossamer::python {

/// Adds jax_handlers() and jax_number().
void bind_jax(nanobind::module_& module);

}  // namespace gossamer::python
