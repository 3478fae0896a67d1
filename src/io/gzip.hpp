// SPDX-License-Identifier: BSD-3-Clause
// What gzip files start with, and compression of one block into a member of its own.
#pragma once

#include <string_view>
#include <vector>

namespace gossamer::inline v0::io {

/// zlib's largest window, with a gzip header and trailer around the data.
inline constexpr int zlib_gzip_window = 15 + 16;

bool is_gzip(std::string_view bytes) noexcept;

/// A complete gzip member: members one after the other are a gzip file, so blocks may be compressed in
/// parallel.
void compress_member(std::string_view text, std::vector<char>& out);

}  // namespace gossamer::inline v0::io
