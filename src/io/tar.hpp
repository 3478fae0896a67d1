// SPDX-License-Identifier: BSD-3-Clause
// Tar archives, such as those of the SuiteSparse collection: the one matrix in them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/byte_stream.hpp"

namespace gossamer::inline v0::io {

/// As many bytes as is_tar() has to see.
inline constexpr std::size_t tar_header_bytes = 512;
bool is_tar(std::string_view beginning) noexcept;

/// A file in an archive.
struct tar_member {
  std::string name;
  std::unique_ptr<byte_stream> bytes;
};

/// The matrix in the archive: the only file whose name ends in .mtx, or else the only one named like its
/// folder, as NAME/NAME.mtx. `file` is the archive's name in messages. Throws parse_error if there is none or
/// more than one, or if the archive is damaged before it.
tar_member open_matrix_in_tar(std::unique_ptr<byte_stream> archive, std::string_view file);

}  // namespace gossamer::inline v0::io
