// SPDX-License-Identifier: BSD-3-Clause
// A matrix in device memory, looked at where it is: whether it is valid, and its row statistics.
#pragma once

#include <optional>

#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::exec {

/// What measure_rows() says of the same matrix in host memory; absent where validate() throws, which then
/// says why. The matrix has rows, and the view's own numbers and the sizes of its arrays are as validate()
/// asks. Synchronous; on the current device, from which the arrays can be read.
template <value V, offset O>
std::optional<row_statistics> measure_rows_on_device(const csr_view<V, O, device_space>& a, int device);

}  // namespace gossamer::inline v0::exec
