// SPDX-License-Identifier: BSD-3-Clause
// A table of temporary files and overwrites in progress that a signal handler can read.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace gossamer::inline v0::io {

/// Owns a temporary file. The destructor and remove_unfinished_files() delete it, unless forget() was called.
class unfinished_name {
 public:
  unfinished_name() = default;
  /// Call before creating the file, so that a signal handler always finds it.
  explicit unfinished_name(std::string path);
  unfinished_name(unfinished_name&& other) noexcept;
  unfinished_name& operator=(unfinished_name&& other) noexcept;
  ~unfinished_name();

  [[nodiscard]] bool empty() const noexcept { return path_.empty(); }
  [[nodiscard]] const char* c_str() const noexcept { return path_.c_str(); }
  /// The file is finished, or was never made.
  void forget() noexcept;

 private:
  std::string path_;
  pid_t process_ = 0;
  int slot_ = -1;
};

/// While it lives, remove_unfinished_files() returns false: a file is overwritten in place.
class unfinished_overwrite {
 public:
  unfinished_overwrite();
  unfinished_overwrite(const unfinished_overwrite&) = delete;
  unfinished_overwrite& operator=(const unfinished_overwrite&) = delete;
  ~unfinished_overwrite();

 private:
  int slot_;
};

}  // namespace gossamer::inline v0::io
