// SPDX-License-Identifier: BSD-3-Clause
// The part of x that cached_x keeps in fast memory, for the format and for the choice between formats.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::formats {

/// The columns of x that are kept close: one panel after another, or the most frequent ones throughout.
enum class kept_columns : std::int32_t { panels, frequent };

/// KiB of x in a panel on a GPU, unless an option says otherwise.
inline constexpr std::int64_t default_panel_kib = 128;

}  // namespace gossamer::inline v0::formats
