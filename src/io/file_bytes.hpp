// SPDX-License-Identifier: BSD-3-Clause
// A file's bytes, memory-mapped where the system can.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace gossamer::inline v0::io {

/// Holds the bytes of a whole file for as long as it lives. Pipes and the like are read to their end.
class file_bytes {
 public:
  /// Throws io_error that names the file and the system's reason.
  explicit file_bytes(const std::filesystem::path& file);
  ~file_bytes();
  file_bytes(const file_bytes&) = delete;
  file_bytes& operator=(const file_bytes&) = delete;

  /// Gives the pages back on so many threads (0: all), where the destructor has one; the bytes are gone then.
  void release(int threads);

  [[nodiscard]] std::string_view view() const noexcept { return view_; }

 private:
  void* mapping_ = nullptr;
  std::vector<char> copy_;
  std::string_view view_;
};

}  // namespace gossamer::inline v0::io
