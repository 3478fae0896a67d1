// SPDX-License-Identifier: BSD-3-Clause
#include "capi/arrays.hpp"
#include "exec/cuda/device.hpp"

namespace gossamer::inline v0::capi {

any_matrix matrix_on_device(const gossamer_arrays& a) {
  exec::require_device(a.device);
  return {};
}

}  // namespace gossamer::inline v0::capi
