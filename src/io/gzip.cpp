// SPDX-License-Identifier: BSD-3-Clause
// The door to zlib: inflating a file in blocks, and deflating a block.
#include "io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "core/fail.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0::io {
namespace {

constexpr int gzip_window = 15 + 16;  // zlib's largest window, with a gzip header and trailer around it
constexpr std::size_t inflate_step = std::size_t{1} << 18;

Bytef* bytes_of(const char* text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));
}

uInt as_uint(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

class gzip_source final : public text_source {
 public:
  explicit gzip_source(std::string_view compressed) : compressed_(compressed) {
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_source() override { inflateEnd(&stream_); }
  gzip_source(const gzip_source&) = delete;
  gzip_source& operator=(const gzip_source&) = delete;

  text_block next(std::int64_t wanted, std::vector<char>& storage) override {
    block_end end = find_block_end(buffered(), wanted);
    while (!end.done && !finished_) {
      inflate_more();
      end = find_block_end(buffered(), wanted);
    }
    const std::size_t size = end.done ? end.size : buffered().size();
    storage.assign(buffer_.data() + begin_, buffer_.data() + begin_ + size);
    begin_ += size;
    const std::string_view defect = end.overlong ? overlong_defect : end.done ? std::string_view{} : defect_;
    return {{storage.data(), size}, defect};
  }

  void rewind() override {
    inflateReset(&stream_);
    consumed_ = begin_ = end_ = 0;
    finished_ = false;
    defect_ = {};
  }
  double fraction() const override {
    return static_cast<double>(consumed_) / static_cast<double>(compressed_.size());
  }
  std::int64_t size_hint() const override { return 4 * static_cast<std::int64_t>(compressed_.size()); }

 private:
  [[nodiscard]] std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }

  void inflate_more() {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - end_ < inflate_step)
      buffer_.resize(std::max(2 * buffer_.size(), end_ + inflate_step));
    const std::string_view rest = compressed_.substr(consumed_);
    stream_.next_in = bytes_of(rest.data());
    stream_.avail_in = as_uint(rest.size());
    stream_.next_out = bytes_of(buffer_.data() + end_);
    stream_.avail_out = as_uint(buffer_.size() - end_);
    const uInt in = stream_.avail_in;
    const uInt out = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    consumed_ += in - stream_.avail_in;
    end_ += out - stream_.avail_out;
    if (status == Z_STREAM_END) {
      start_next_member();
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      give_up("the gzip data is damaged here");
    } else if (stream_.avail_out != 0 && consumed_ == compressed_.size()) {
      give_up("the gzip data is truncated: it breaks off here");
    }
  }

  void start_next_member() {
    const std::string_view rest = compressed_.substr(consumed_);
    if (is_gzip(rest)) {
      inflateReset(&stream_);
      return;
    }
    finished_ = true;
    // Tape and block devices pad with zeros, and gunzip passes over them.
    if (rest.find_first_not_of('\0') != rest.npos) give_up("the gzip data is followed by something else");
  }

  void give_up(std::string_view defect) {
    finished_ = true;
    defect_ = defect;
  }

  std::string_view compressed_;
  std::size_t consumed_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool finished_ = false;
  std::string_view defect_;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) noexcept {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::unique_ptr<text_source> make_gzip_source(std::string_view compressed) {
  return std::make_unique<gzip_source>(compressed);
}

void compress_member(std::string_view text, std::vector<char>& out) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  struct end_at_exit {
    z_stream& stream;
    ~end_at_exit() { deflateEnd(&stream); }
  } guard{stream};
  out.resize(deflateBound(&stream, static_cast<uLong>(text.size())));
  stream.next_in = bytes_of(text.data());
  stream.avail_in = as_uint(text.size());
  stream.next_out = bytes_of(out.data());
  stream.avail_out = as_uint(out.size());
  const int status = deflate(&stream, Z_FINISH);
  if (status != Z_STREAM_END)
    fail(errc::io_error, "gzip: deflate of {} bytes stopped with {}", text.size(), status);
  out.resize(out.size() - stream.avail_out);
}

}  // namespace gossamer::inline v0::io
