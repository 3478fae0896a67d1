// SPDX-License-Identifier: BSD-3-Clause
// The last-level cache of the CPU.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::exec {

/// Bytes of the last-level caches of the processors that the thread which asks first may run on; 32 MiB where the system says nothing of them.
std::int64_t cpu_cache_bytes();

}  // namespace gossamer::inline v0::exec
