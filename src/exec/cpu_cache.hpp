// SPDX-License-Identifier: BSD-3-Clause
// The last-level cache of the CPU.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::exec {

/// Bytes of the last-level caches that so many threads may have, 0: any number, of those that belong to the processors which the thread that asks
/// first may run on; 32 MiB where the system says nothing of them.
std::int64_t cpu_cache_bytes(int threads);

}  // namespace gossamer::inline v0::exec
