// SPDX-License-Identifier: BSD-3-Clause
// Recognises other file formats by their first bytes or header layout, never by the file name.
#pragma once

#include <cstdint>
#include <string_view>

namespace gossamer::inline v0::io {

/// Number of leading bytes that, with the rest of their last line, suffice to recognise every format.
inline constexpr std::int64_t known_kind_bytes = 512;

/// A message with the file's format and a way to convert it; empty if the format is not recognised.
std::string_view known_kind(std::string_view start) noexcept;

}  // namespace gossamer::inline v0::io
