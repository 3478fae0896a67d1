// SPDX-License-Identifier: BSD-3-Clause
// The padding that no format refuses.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::formats {

/// Matrices that need no more slots than this are never refused: the padding costs less than looking for a better format.
inline constexpr std::int64_t free_slots = 1 << 16;

}  // namespace gossamer::inline v0::formats
