// SPDX-License-Identifier: BSD-3-Clause
// Blocks of text made by all threads and written to one file in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/function_ref.hpp"
#include "io/output_file.hpp"

namespace gossamer::inline v0::io {

/// Room for text, grown without being filled: the caller writes and then says how much.
class text_buffer {
 public:
  /// At least `bytes` bytes; what was there before is lost.
  char* reserve(std::size_t bytes) {
    if (memory_.size() < bytes) memory_.resize(bytes);
    size_ = 0;
    return memory_.data();
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - memory_.data()); }
  [[nodiscard]] std::string_view view() const noexcept { return {memory_.data(), size_}; }

 private:
  std::vector<char> memory_;
  std::size_t size_ = 0;
};

/// Calls format(block, buffer) for 0 ... blocks - 1 on all threads. Where `gzip`, each block is a gzip
/// member.
void write_blocks(output_file& file, std::int64_t blocks, bool gzip,
                  function_ref<void(std::int64_t block, text_buffer& buffer)> format);

}  // namespace gossamer::inline v0::io
