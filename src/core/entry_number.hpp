// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for a matrix's values: the number of the entry, which tells where each value went.
#pragma once

#include <cstdint>

namespace gossamer::inline v0 {

/// A format built over entry numbers instead of values holds, slot by slot, the map that refreshes its values.
/// A default-made one is padding.
struct entry_number {
  std::int64_t index = -1;
  friend constexpr bool operator==(entry_number, entry_number) = default;
};

}  // namespace gossamer::inline v0
