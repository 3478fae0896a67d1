// SPDX-License-Identifier: BSD-3-Clause
// Products of NumPy arrays. This is the only file that uses NumPy's C interface.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "operator.hpp"

namespace gossamer::python {

void import_numpy();

[[nodiscard]] bool is_numpy_array(nanobind::handle object) noexcept;

/// alpha G x + beta out, with x and out of one or two dimensions; alpha x G + beta out if `from_left`.
/// Returns `out`, or a new array if that is None. x is copied only if its type has to be converted, or if its
/// strides are those of no row-major or column-major matrix.
nanobind::object multiply_numpy(nanobind::handle self, const matrix_operator& matrix, nanobind::handle x,
                                nanobind::handle out, double alpha, double beta, bool from_left);

/// An array of `size` elements at `data`, which `owner` keeps alive.
nanobind::object view_of(const void* data, std::int64_t size, gossamer_type type, nanobind::handle owner,
                         bool writable);

}  // namespace gossamer::python
