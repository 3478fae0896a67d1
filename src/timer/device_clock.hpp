// SPDX-License-Identifier: BSD-3-Clause
// Two kernels of the timer: one that waits, one that empties the caches.
#pragma once

#include <cstdint>

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::timer {

/// Keeps the stream busy for about that long by the device's clock, touching no memory.
void wait_on_device(double seconds, cuda_stream stream);

/// Writes every sector of the buffer, then reads them all: what other arrays had in the cache is gone, and no
/// line is left whose writing back the next kernel would pay for.
void flush_on_device(float* buffer, std::int64_t size, cuda_stream stream);

}  // namespace gossamer::inline v0::timer
