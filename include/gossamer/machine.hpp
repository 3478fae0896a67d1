// SPDX-License-Identifier: BSD-3-Clause
// What the model that ranks formats knows of a machine: looked up here, or given for another one.
#pragma once

#include <cstdint>

#include "gossamer/export.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

/// All that the model reads of a machine: with equal descriptions a matrix is ranked equally anywhere.
/// Members of a cpu mean nothing for cuda, and the other way round.
struct machine_description {
  device_set kind = device_set::cpu;  ///< cpu or cuda
  isa level = isa::baseline;          ///< of a cpu, never automatic; it need not be one that this CPU runs
  int threads = 1;                    ///< of a cpu, at least 1
  std::int64_t cache_bytes = 0;       ///< of a cpu: all last-level caches that the process may use
  int compute_capability = 0;         ///< of cuda: 90 for 9.0
  std::int64_t host_memory = unknown_memory;    ///< free bytes; plans are built there
  std::int64_t device_memory = unknown_memory;  ///< of cuda: free bytes
};

/// A resource as it is here and now: automatic_isa(), thread_count(), last_level_cache_bytes() and
/// available_memory(). A device that is not there is taken to be a current one. Throws unsupported for an ISA
/// that this CPU does not run.
GOSSAMER_API machine_description describe_machine(const resource& where = cpu{});

}  // namespace gossamer::inline v0
