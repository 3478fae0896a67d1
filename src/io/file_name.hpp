// SPDX-License-Identifier: BSD-3-Clause
// Resolves symbolic links in a file name and recognises names of open file descriptors.
#pragma once

#include <string>
#include <string_view>

namespace gossamer::inline v0::io {

struct file_name {
  std::string path;  ///< with all symbolic links resolved, even to a missing target
  bool descriptor =
      false;     ///< it names an open descriptor: /dev/stdout, /dev/fd/N, /proc/PID/fd/N, a link to one
  int own = -1;  ///< the descriptor's number, where it is one of this process
};

/// Uses readlink() step by step: realpath() fails on a dangling link and resolves a descriptor to its file.
file_name resolve(std::string_view name);

}  // namespace gossamer::inline v0::io
