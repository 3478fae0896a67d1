// SPDX-License-Identifier: BSD-3-Clause
// The names of files that are begun and not yet finished, where a signal handler can read them.
#pragma once

#include <string>
#include <string_view>

namespace gossamer::inline v0::io {

/// A name that is removed with its owner, unless it is kept; and by remove_unfinished_files().
class unfinished_name {
 public:
  unfinished_name() = default;
  /// Before the file is made, so that no moment is left in which a signal would miss it.
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
  int slot_ = -1;
};

}  // namespace gossamer::inline v0::io
