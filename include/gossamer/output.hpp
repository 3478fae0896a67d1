// SPDX-License-Identifier: BSD-3-Clause
// Files that appear whole or not at all, as write_matrix_market and write_vector write them too.
#pragma once

#include <filesystem>
#include <string_view>

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Writes `bytes` as the complete content of a file.
/// - A regular file is written to a temporary file in the same directory, which is then renamed. Owner, mode
///   and attributes are preserved. Symbolic links are followed; the target of a dangling link is created.
/// - The file is overwritten in place if it has other hard links, is a mount point, or is in a directory that
///   is not writable. The same holds if a new file cannot be given its owner or attributes. All bytes are
///   ready, and space is reserved, before the overwrite begins.
/// - A device, a pipe or an open descriptor (/dev/stdout, /dev/fd/N, a link to one) is appended to.
/// Throws io_error, which names the file and the system's reason. A regular file then has its old content,
/// unless restoring it after a failed overwrite failed too; the message says so. A stream keeps the bytes
/// written so far.
GOSSAMER_API void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Throws io_error if the file is not writable, without creating or changing any file. A later write may
/// still fail.
GOSSAMER_API void check_output(const std::filesystem::path& file);

/// Whether writes to `file` are appended instead of replacing its content: true for a pipe, a device or a
/// descriptor.
GOSSAMER_API bool is_stream(const std::filesystem::path& file);

/// The number of this process's descriptor that `file` names (/dev/stdin, /dev/fd/N, a link to one), or -1.
GOSSAMER_API int own_descriptor(const std::filesystem::path& file);

/// For a signal handler that ends the process; async-signal-safe. The library installs no signal handler.
/// Removes the temporary files of writes in progress in this process, at most eight, and returns true.
/// Returns false and removes nothing while a file is overwritten in place. The handler then returns, and the
/// program ends after the write has returned; before that it would leave the file overwritten in part.
GOSSAMER_API bool remove_unfinished_files() noexcept;

}  // namespace gossamer::inline v0
