// SPDX-License-Identifier: BSD-3-Clause
// The bytes in a Zstandard file, which is frame after frame, decompressed by libzstd.
#include <vector>

#include "io/byte_stream.hpp"

#if GOSSAMER_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#endif

namespace gossamer::inline v0::io {

bool is_zstd(std::string_view bytes) noexcept {
  return bytes.starts_with("\x28\xb5\x2f\xfd");
}

#if GOSSAMER_HAVE_ZSTD
namespace {

/// How much of the compressed file is in memory at a time.
constexpr std::size_t zstd_window_bytes = std::size_t{1} << 18;

class zstd_stream final : public byte_stream {
 public:
  explicit zstd_stream(const input_bytes& compressed) : compressed_(compressed), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read_some(std::span<char> room) override {
    if (used_ == window_.size()) fill();
    const bool at_end = window_.empty();
    if (at_end && between_frames_) {
      finished_ = true;
      return 0;
    }
    ZSTD_inBuffer in{window_.data(), window_.size(), used_};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(left)) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(left);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      const bool trails = between_frames_ && has_frame_ && code == ZSTD_error_prefix_unknown;
      give_up(trails ? "the Zstandard data is followed by something else"
                     : "the Zstandard data is damaged here");
      return 0;
    }
    // The end of the file was given before, so all that is left to write has been written.
    if (at_end && out.pos == 0) give_up("the Zstandard data is truncated: it breaks off here");
    used_ = in.pos;
    between_frames_ = left == 0;
    has_frame_ = has_frame_ || between_frames_;
    return out.pos;
  }
  void rewind() override {
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    window_.clear();
    used_ = read_ = 0;
    between_frames_ = true;
    has_frame_ = false;
    finished_ = false;
    defect_ = {};
  }
  [[nodiscard]] bool finished() const override { return finished_; }
  [[nodiscard]] std::string_view defect() const override { return defect_; }
  [[nodiscard]] double fraction() const override {
    return finished_ ? 1 : static_cast<double>(read_) / static_cast<double>(compressed_.size());
  }

 private:
  void fill() {
    window_.resize(std::min(zstd_window_bytes, compressed_.size() - read_));
    compressed_.read(read_, window_);
    read_ += window_.size();
    used_ = 0;
  }
  void give_up(std::string_view defect) {
    finished_ = true;
    defect_ = defect;
  }

  struct freed {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  const input_bytes& compressed_;
  std::unique_ptr<ZSTD_DCtx, freed> context_;
  std::vector<char> window_;
  std::size_t used_ = 0;  ///< bytes of the window that are done with
  std::size_t read_ = 0;  ///< bytes of the file up to the window's end
  bool between_frames_ = true;
  bool has_frame_ = false;
  bool finished_ = false;
  std::string_view defect_;
};

}  // namespace

std::unique_ptr<byte_stream> make_zstd_stream(const input_bytes& compressed) {
  return std::make_unique<zstd_stream>(compressed);
}
#else
std::unique_ptr<byte_stream> make_zstd_stream(const input_bytes&) {
  return nullptr;
}
#endif

}  // namespace gossamer::inline v0::io
