// SPDX-License-Identifier: BSD-3-Clause
// How much memory there is for one more product.
#pragma once

#include <cstdint>
#include <limits>

namespace gossamer::cli {

inline constexpr std::int64_t unknown_memory = std::numeric_limits<std::int64_t>::max();

/// Bytes of host memory that can still be used: what the system calls available, and what this process's control group leaves.
/// unknown_memory where nothing says. Linux gives out more than there is and ends a process that then uses it, so one asks
/// before.
std::int64_t available_memory();

}  // namespace gossamer::cli
