// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all: written beside its place, then renamed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gossamer::inline v0::io {

/// Throws io_error that names the file and the system's reason. Devices and pipes are written to directly,
/// and a symbolic link stays: the file that it names is replaced.
class output_file {
 public:
  explicit output_file(const std::filesystem::path& file);
  /// Removes what was written, unless it was committed.
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::string_view bytes);
  /// Gives the file its name.
  void commit();

 private:
  [[noreturn]] void fail_system(int code) const;
  void open_beside();

  std::filesystem::path name_;    ///< as the caller said it
  std::filesystem::path target_;  ///< behind links
  std::string temporary_;         ///< empty where the target itself is written to
  int descriptor_ = -1;
};

}  // namespace gossamer::inline v0::io
