// SPDX-License-Identifier: BSD-3-Clause
// Where a file's name leads to.
#pragma once

#include <string>
#include <string_view>

namespace gossamer::inline v0::io {

struct file_name {
  std::string path;  ///< behind all symbolic links; a dangling one leads to what is not there yet
  bool descriptor =
      false;     ///< it names an open descriptor: /dev/stdout, /dev/fd/N, /proc/PID/fd/N, a link to one
  int own = -1;  ///< the descriptor's number, where it is one of this process
};

/// Follows links by hand, since the system neither ends at a dangling one nor tells a descriptor from its file.
file_name resolve(std::string_view name);

}  // namespace gossamer::inline v0::io
