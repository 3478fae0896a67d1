// SPDX-License-Identifier: BSD-3-Clause
// The machine parameters of the performance model that ranks formats: of this machine, or of another one.
#pragma once

#include <cstdint>

#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

/// All inputs of the performance model that depend on the machine. Equal descriptions give equal rankings on
/// every machine. Members marked cpu are ignored if kind is cuda; members marked cuda are ignored if kind is
/// cpu.
struct machine_description {
  device_set kind = device_set::cpu;  ///< cpu or cuda
  isa level = isa::baseline;          ///< of a cpu, never automatic; it need not be one that this CPU runs
  int threads = 1;                    ///< of a cpu, at least 1
  std::int64_t cache_bytes = 0;       ///< of a cpu: all last-level caches that the process may use
  int compute_capability = 0;         ///< of cuda: 90 for 9.0
  std::int64_t available_host_bytes = unknown_memory;    ///< host memory available to inspect
  std::int64_t available_device_bytes = unknown_memory;  ///< of cuda: device memory available
};

/// Describes a resource of this machine at the time of the call, from automatic_isa(), thread_count(),
/// last_level_cache_bytes() and available_memory(). A missing CUDA device is described with compute
/// capability 9.0 and unknown_memory. Throws unsupported for an ISA that this CPU does not run.
GOSSAMER_API machine_description describe_machine(const resource& where = cpu{});

}  // namespace gossamer::inline v0
