// SPDX-License-Identifier: BSD-3-Clause
// The two hooks through which all memory of matrices and plans is taken, one for the host, one for devices, and how much there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gossamer/export.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

/// A pair of functions and a pointer that they receive back as `user`.
/// `allocate` returns null where it cannot (the caller then sees errc::out_of_memory). `device` is the CUDA
/// device number, or -1 for host memory. Both may be called from any thread.
struct allocation_hook {
  void* (*allocate)(std::size_t bytes, std::size_t alignment, int device, void* user) = nullptr;
  void (*release)(void* pointer, std::size_t bytes, int device, void* user) = nullptr;
  void* user = nullptr;
};

/// Replaces the host allocator; a hook with null functions restores the default (aligned operator new).
/// Memory taken before goes back through the hook that gave it. Returns the hook that was in force.
GOSSAMER_API allocation_hook set_host_allocation_hook(allocation_hook hook) noexcept;

/// The same for device memory; the default is cudaMalloc and cudaFree, and a pool of the library's own for what inspect takes for a while.
GOSSAMER_API allocation_hook set_device_allocation_hook(allocation_hook hook) noexcept;

inline constexpr std::int64_t unknown_memory = std::numeric_limits<std::int64_t>::max();

/// Bytes that can still be taken where a resource keeps its matrices: of the host, what the system calls available and what this
/// process's control group leaves (Linux gives out more than there is and ends a process that then uses it, so one asks before); of a
/// device, what is free on it. unknown_memory where nothing says: the device is not there, or its memory comes through a hook.
GOSSAMER_API std::int64_t available_memory(const resource& where);

}  // namespace gossamer::inline v0
