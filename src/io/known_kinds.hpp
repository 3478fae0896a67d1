// SPDX-License-Identifier: BSD-3-Clause
// Files of other kinds, known by their first bytes or by the layout of their header, never by their names.
#pragma once

#include <cstdint>
#include <string_view>

namespace gossamer::inline v0::io {

/// So many bytes of a file, and the rest of their last line, are enough to know every kind.
inline constexpr std::int64_t known_kind_bytes = 512;

/// What the file is and how to convert it, for a message; empty where it is of no kind known here.
std::string_view known_kind(std::string_view start) noexcept;

}  // namespace gossamer::inline v0::io
