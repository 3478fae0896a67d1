// SPDX-License-Identifier: BSD-3-Clause
// The vector kernel of an iterative solver, on a device.
#pragma once

#include <cstdint>

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::timer {

/// to = scale to + step from, of `size` elements each; float and double.
template <class V>
void update_on_device(V* to, V scale, V step, const V* from, std::int64_t size, cuda_stream stream);

}  // namespace gossamer::inline v0::timer
