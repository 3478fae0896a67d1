// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "io/gzip.hpp"
#include "io/inflater.hpp"

namespace gossamer::inline v0::io {
namespace {

uInt as_uint(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

class zlib_inflater final : public inflater {
 public:
  zlib_inflater() {
    if (inflateInit2(&stream_, zlib_gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~zlib_inflater() override { inflateEnd(&stream_); }
  zlib_inflater(const zlib_inflater&) = delete;
  zlib_inflater& operator=(const zlib_inflater&) = delete;

  inflate_step inflate(std::string_view in, std::span<char> room) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = as_uint(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = as_uint(room.size());
    const uInt in_before = stream_.avail_in;
    const uInt out_before = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    inflate_step step{.read = in_before - stream_.avail_in, .written = out_before - stream_.avail_out};
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END)
      step.what = inflate_step::result::member_end;
    else if (status != Z_OK && status != Z_BUF_ERROR)
      step.what = inflate_step::result::damaged;
    else if (stream_.avail_out != 0 && step.read == in.size())
      step.what = inflate_step::result::truncated;
    return step;
  }

  void start_member() override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<inflater> make_zlib_inflater() {
  return std::make_unique<zlib_inflater>();
}

}  // namespace gossamer::inline v0::io
