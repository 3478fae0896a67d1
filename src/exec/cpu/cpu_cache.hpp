// SPDX-License-Identifier: BSD-3-Clause
// The caches of the CPU.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::exec {

/// Bytes of the last-level caches that so many threads may have, 0: any number, of those that belong to the
/// processors which the thread that asks first may run on; 32 MiB where the system says nothing of them.
std::int64_t cpu_cache_bytes(int threads);

/// Bytes of the second-level cache of one such processor, which may be a core's that it shares; 1 MiB where
/// the system says nothing of it.
std::int64_t cpu_core_cache_bytes();

}  // namespace gossamer::inline v0::exec
