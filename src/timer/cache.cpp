// SPDX-License-Identifier: BSD-3-Clause
// The size of the last-level cache of a resource.
#include "core/out_of_memory.hpp"
#include "exec/cpu/cpu_cache.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::inline v0 {

std::int64_t last_level_cache_bytes(const resource& where) {
  return naming_out_of_memory("last_level_cache_bytes", [&] {
    const auto* gpu = std::get_if<cuda>(&where);
    return gpu == nullptr ? exec::cpu_cache_bytes(0) : cuda_properties(gpu->device).l2_bytes;
  });
}

}  // namespace gossamer::inline v0
