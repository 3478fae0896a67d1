// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file from the first to the last, decompressed where they are compressed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "io/input_bytes.hpp"

namespace gossamer::inline v0::io {

class byte_stream {
 public:
  virtual ~byte_stream() = default;
  /// Returns how many bytes it wrote to `room`, which is not empty. It may be 0 before the end.
  virtual std::size_t read_some(std::span<char> room) = 0;
  virtual void rewind() = 0;
  /// Whether read_some() has nothing more.
  [[nodiscard]] virtual bool finished() const = 0;
  /// If it finished before the end of the data, the reason; else empty.
  [[nodiscard]] virtual std::string_view defect() const = 0;
  /// How much of the file has been read, 0 to 1.
  [[nodiscard]] virtual double fraction() const = 0;
};

/// Fills `room` unless the stream finishes before. Returns how many bytes it wrote.
std::size_t read_all(byte_stream& from, std::span<char> room);

// Each over bytes that outlive the stream.

std::unique_ptr<byte_stream> make_file_stream(const input_bytes& bytes);

/// Both engines give the same bytes and the same defects; tests compare them.
enum class gzip_engine { fastest, zlib };
std::unique_ptr<byte_stream> make_gzip_stream(const input_bytes& compressed,
                                              gzip_engine engine = gzip_engine::fastest);

bool is_zstd(std::string_view bytes) noexcept;
/// Null in a build without libzstd.
std::unique_ptr<byte_stream> make_zstd_stream(const input_bytes& compressed);

}  // namespace gossamer::inline v0::io
