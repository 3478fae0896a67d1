// SPDX-License-Identifier: BSD-3-Clause
// Text handed out in blocks of whole lines, from memory, from a file or from a stream of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/input_bytes.hpp"
#include "io/text.hpp"

namespace gossamer::inline v0::io {

/// Longer lines are refused, so that a small gzip file cannot fill the memory with one line.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 24;

/// A block is at most this and one line: longer than any block, an overlong line always contains a cut.
inline constexpr std::int64_t max_chunk_bytes = std::int64_t{1} << 23;

struct text_block {
  std::string_view text;  ///< ends after a newline, or at the end of the text
  std::string_view
      defect;  ///< where not empty: why the text breaks off after this block, perhaps inside a line
  std::size_t from = 0;
  std::size_t unread = 0;  ///< bytes at file offset `from` that fetch() has yet to read

  [[nodiscard]] bool at_end() const noexcept { return text.empty() && unread == 0 && defect.empty(); }
};

/// Why compressed data is invalid, and the position in the text where decompression stops.
struct damage {
  place at;
  std::string_view reason;
};

class text_source {
 public:
  virtual ~text_source() = default;

  /// The next `wanted` bytes and the rest of their last line. The view lasts until `storage` changes.
  text_block next(std::int64_t wanted, std::vector<char>& storage) {
    text_block block = cut(wanted, storage);
    fetch(block, storage);
    return block;
  }
  /// First half of next(): finds the end of the block. One thread at a time.
  virtual text_block cut(std::int64_t wanted, std::vector<char>& storage) = 0;
  /// Second half of next(): reads the block's text. Any number of threads at once.
  virtual void fetch(text_block&, std::vector<char>&) const {}
  virtual void rewind() = 0;
  /// Decompresses the whole input to verify its checksums, then rewinds.
  virtual std::optional<damage> find_damage() { return std::nullopt; }
  /// How much of the input has been handed out, 0 to 1.
  [[nodiscard]] virtual double fraction() const = 0;
  /// Roughly how long the whole text is.
  [[nodiscard]] virtual std::int64_t size_hint() const = 0;
};

/// Over bytes that outlive the source.
std::unique_ptr<text_source> make_plain_source(std::string_view text);
std::unique_ptr<text_source> make_plain_source(const input_bytes& bytes);
/// size_hint: roughly how long the whole text is.
std::unique_ptr<text_source> make_stream_source(std::unique_ptr<byte_stream> bytes, std::int64_t size_hint);
std::unique_ptr<text_source> make_gzip_source(const input_bytes& compressed,
                                              gzip_engine engine = gzip_engine::fastest);
inline std::int64_t size_hint_of_compressed(const input_bytes& compressed) {
  return 4 * static_cast<std::int64_t>(compressed.size());
}

/// Where a block that starts at `text` ends. `done` false: more bytes are needed to tell.
struct block_end {
  bool done = false;
  bool overlong = false;
  std::size_t size = 0;
};
block_end find_block_end(std::string_view text, std::int64_t wanted);

/// Never shrinks: growing again would zero-fill bytes that are overwritten anyway.
inline void make_room(std::vector<char>& storage, std::size_t size) {
  if (storage.size() < size) storage.resize(std::max(size, storage.size() + storage.size() / 2));
}

inline constexpr std::string_view overlong_defect = "the line is longer than 16 MiB";

}  // namespace gossamer::inline v0::io
