// SPDX-License-Identifier: BSD-3-Clause
// Who writes to a page of fresh memory first: the kernel clears it then, and places it beside that thread.
#pragma once

#include <cstddef>
#include <span>

#include "gossamer/export.hpp"

namespace gossamer::inline v0::exec {

/// What the kernel clears at once in memory that is in huge pages; allocate_host() asks for those from two of them on.
inline constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

/// Writes 0 to a byte of each page, whole huge pages by one thread, in equal shares; does nothing to a block of less than two, nor on one thread. For
/// memory that threads fill in no order: of those that come to a huge page at the same time each clears one, all but one of these for nothing.
GOSSAMER_API void first_touch(std::span<std::byte> fresh);

}  // namespace gossamer::inline v0::exec
