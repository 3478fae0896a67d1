// SPDX-License-Identifier: BSD-3-Clause
#include "io/gzip.hpp"

#include <zlib.h>

#include <limits>
#include <new>

#include "core/fail.hpp"

namespace gossamer::inline v0::io {

bool is_gzip(std::string_view bytes) noexcept {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

void compress_member(std::string_view text, std::vector<char>& out) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, zlib_gzip_window, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  struct end_at_exit {
    z_stream& stream;
    ~end_at_exit() { deflateEnd(&stream); }
  } guard{stream};
  out.resize(deflateBound(&stream, static_cast<uLong>(text.size())));
  if (out.size() > std::numeric_limits<uInt>::max())
    fail(errc::unsupported, "gzip: a block of {} bytes", text.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  if (status != Z_STREAM_END)
    fail(errc::io_error, "gzip: deflate of {} bytes stopped with {}", text.size(), status);
  out.resize(out.size() - stream.avail_out);
}

}  // namespace gossamer::inline v0::io
