// SPDX-License-Identifier: BSD-3-Clause
// Who writes to a page of fresh memory first: the kernel clears it then, and places it beside that thread.
#pragma once

#include <cstddef>
#include <span>

#include "gossamer/export.hpp"

namespace gossamer::inline v0::core {

/// What the kernel clears at once in memory that is in huge pages, where its small ones have 4096 bytes;
/// without a hook of a user's allocate_host() asks for them, from two on.
inline constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

/// Writes 0 to a byte of each page, whole huge pages by one thread, in equal shares; does nothing to a block
/// of less than two, nor on one thread. For memory that threads fill in no order: of those that come to a
/// huge page at the same time each clears one, all but one of these for nothing. What the block holds is
/// lost; it has been touched when this returns. Throws nothing.
GOSSAMER_API void first_touch(std::span<std::byte> fresh);

}  // namespace gossamer::inline v0::core
