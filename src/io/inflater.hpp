// SPDX-License-Identifier: BSD-3-Clause
// The door to the libraries that inflate: one gzip member at a time, from memory into room that the caller
// gives.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace gossamer::inline v0::io {

struct inflate_step {
  enum class result {
    more,        ///< the room is full, or call again
    member_end,  ///< the trailer was read, and length and checksum agree
    truncated,   ///< the input ended inside the member; the next call continues it
    damaged,
  };
  result what = result::more;
  std::size_t read = 0;     ///< bytes of the input that are done with
  std::size_t written = 0;  ///< bytes of the room that hold text now
};

class inflater {
 public:
  virtual ~inflater() = default;
  /// `in` continues where the last call stopped. At a member's start it holds the complete header, unless the
  /// file is truncated there. `room` is not empty. Throws std::bad_alloc.
  virtual inflate_step inflate(std::string_view in, std::span<char> room) = 0;
  /// The next byte is the first one of a member.
  virtual void start_member() = 0;
};

std::unique_ptr<inflater> make_zlib_inflater();

/// ISA-L's, which is two to three times as fast; null in a build without it.
std::unique_ptr<inflater> make_isal_inflater();
bool have_isal() noexcept;

}  // namespace gossamer::inline v0::io
