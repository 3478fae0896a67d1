// SPDX-License-Identifier: BSD-3-Clause
// Files that appear whole or not at all, as write_matrix_market and write_vector write them too.
#pragma once

#include <filesystem>
#include <string_view>

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Writes a whole file.
/// - A regular file is written next to its place and renamed. It keeps owner, mode, attributes and symbolic links
///   that lead to it; a dangling link's target is made.
/// - Where that cannot be (other hard links, a mount point, an owner or attributes that cannot be given, a folder
///   that may not be changed), the file is overwritten in place once all bytes are ready and have room.
/// - A device, a pipe, or a descriptor such as /dev/stdout, /dev/fd/N or a link to one is written to as it is: what
///   was written to it before stays.
/// Throws io_error, which names the file and the system's reason; then the file is as it was.
GOSSAMER_API void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Throws io_error where it is clear before the work that the file cannot be written. Changes and makes nothing.
GOSSAMER_API void check_output(const std::filesystem::path& file);

/// Whether what is written to the name goes behind what was written before, as to a pipe, a device or a descriptor.
GOSSAMER_API bool is_stream(const std::filesystem::path& file);

/// Removes what writers of this process have begun and not finished. For a signal handler that ends the process: it
/// is async-signal-safe. The library itself never installs one.
GOSSAMER_API void remove_unfinished_files() noexcept;

}  // namespace gossamer::inline v0
