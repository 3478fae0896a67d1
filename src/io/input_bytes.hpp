// SPDX-License-Identifier: BSD-3-Clause
// Random access to a file's bytes by pread(). Not mapped: truncating a mapped file raises SIGBUS.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/descriptor.hpp"

namespace gossamer::inline v0::io {

/// The size of a regular file is fixed when it is opened. A pipe is read into memory completely by the
/// constructor.
class input_bytes {
 public:
  /// Throws io_error that names the file and the system's reason. A descriptor such as /dev/stdin is read
  /// from its current offset.
  explicit input_bytes(const std::filesystem::path& file);
  /// A view; `text` must outlive this object.
  explicit input_bytes(std::string_view text) : held_(text), size_(text.size()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool in_memory() const noexcept { return !file_.is_open(); }
  /// All bytes. Precondition: in_memory().
  [[nodiscard]] std::string_view view() const noexcept { return held_; }

  /// Fills `room` with the bytes from `offset` on, which lie within the size. Any thread may call it. Throws
  /// io_error where the file has become shorter.
  void read(std::size_t offset, std::span<char> room) const;
  /// The first `count` bytes, or all where there are fewer.
  [[nodiscard]] std::string beginning(std::size_t count) const;

 private:
  std::string name_;
  descriptor file_;
  std::size_t begin_ = 0;  ///< where in the file the bytes begin
  std::vector<char> copy_;
  std::string_view held_;
  std::size_t size_ = 0;
};

}  // namespace gossamer::inline v0::io
