// SPDX-License-Identifier: BSD-3-Clause
// CUDA does not survive fork(): a child of a process that uses it can neither use nor release what is on a
// device.
#pragma once

#include <string_view>

namespace gossamer::inline v0::exec {

/// False where CUDA came into use before fork() made this process: calls of CUDA may hang. Then device_guard
/// and require_device throw unsupported, and whatever releases something does nothing.
bool cuda_is_ours() noexcept;

/// Throws that error.
[[noreturn]] void refuse_after_fork(std::string_view what);

}  // namespace gossamer::inline v0::exec
