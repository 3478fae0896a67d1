// SPDX-License-Identifier: BSD-3-Clause
// The machine parameters of the performance model that ranks formats.
#pragma once

#include <cstdint>

#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

/// The inputs of the performance model that depend on the machine. Equal descriptions give equal rankings on
/// every machine. Members marked "cpu" are ignored for GPUs, and members marked "cuda" for CPUs.
struct machine_description {
  device_set kind = device_set::cpu;  ///< device_set::cpu or device_set::cuda
  isa level = isa::baseline;          ///< cpu: instruction set, not automatic; this CPU may lack it
  int threads = 1;                    ///< cpu: number of threads, at least 1
  std::int64_t cache_bytes = 0;       ///< cpu: sum of the last-level caches that the process may use
  int compute_capability = 0;         ///< cuda: 90 for compute capability 9.0
  std::int64_t available_host_bytes = unknown_memory;    ///< host memory that inspect may use
  std::int64_t available_device_bytes = unknown_memory;  ///< cuda: device memory that a plan may use
};

/// Describes a resource of this machine at the time of the call. It calls automatic_isa(), thread_count(),
/// last_level_cache_bytes() and available_memory(). For a missing CUDA device, the result has compute
/// capability 9.0 and unknown_memory. Throws unsupported if this CPU does not support the instruction set of
/// `where`.
GOSSAMER_API machine_description describe_machine(const resource& where = cpu{});

}  // namespace gossamer::inline v0
