// SPDX-License-Identifier: BSD-3-Clause
// CUDA and fork(): a child of a process that has used CUDA must not call CUDA, even to free device memory.
#pragma once

#include <string_view>

#include "gossamer/export.hpp"

namespace gossamer::inline v0::exec {

/// False if a parent process had used CUDA before fork(): CUDA calls may hang. device_guard and
/// require_device then throw unsupported, and functions that free device resources do nothing.
GOSSAMER_API bool cuda_is_ours() noexcept;

/// Throws unsupported: CUDA was used before fork(). `what` begins the message.
[[noreturn]] GOSSAMER_API void refuse_after_fork(std::string_view what);

}  // namespace gossamer::inline v0::exec
