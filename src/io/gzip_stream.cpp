// SPDX-License-Identifier: BSD-3-Clause
// The bytes in a gzip file: inflated straight into the caller's room, whoever inflates.
#include <algorithm>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/gzip.hpp"
#include "io/inflater.hpp"

namespace gossamer::inline v0::io {
namespace {

/// How much of the compressed file is in memory at a time.
constexpr std::size_t window_bytes = std::size_t{1} << 18;
/// An inflater sees at least so much of what is left, and with it a member's whole fixed header.
constexpr std::size_t smallest_rest = std::size_t{1} << 10;

class gzip_stream final : public byte_stream {
 public:
  gzip_stream(const input_bytes& compressed, std::unique_ptr<inflater> fast)
      : compressed_(compressed), inflater_(std::move(fast)), fast_(inflater_ != nullptr) {
    if (!fast_) inflater_ = make_zlib_inflater();
  }

  std::size_t read_some(std::span<char> room) override { return inflate_some(room); }
  void rewind() override { restart(); }
  [[nodiscard]] bool finished() const override { return finished_; }
  [[nodiscard]] std::string_view defect() const override { return defect_; }
  [[nodiscard]] double fraction() const override {
    return static_cast<double>(consumed_) / static_cast<double>(compressed_.size());
  }

 private:
  void restart() {
    inflater_->start_member();
    consumed_ = 0;
    window_.clear();
    window_from_ = 0;
    produced_ = 0;
    finished_ = false;
    defect_ = {};
  }

  /// What is in the window of the compressed bytes that are left; empty at their end.
  std::string_view rest() {
    std::size_t held = window_from_ + window_.size() - consumed_;
    const std::size_t unread = compressed_.size() - consumed_ - held;
    if (held < smallest_rest && unread > 0) {
      window_.erase(window_.begin(), window_.end() - static_cast<std::ptrdiff_t>(held));
      window_from_ = consumed_;
      const std::size_t more = std::min(window_bytes, unread);
      window_.resize(held + more);
      compressed_.read(consumed_ + held, {window_.data() + held, more});
      held += more;
    }
    return {window_.data() + window_.size() - held, held};
  }

  std::size_t inflate_some(std::span<char> room) {
    const std::string_view in = rest();
    inflate_step step = inflater_->inflate(in, room);
    if (step.what == inflate_step::result::truncated && in.size() < compressed_.size() - consumed_)
      step.what = inflate_step::result::more;
    const bool defect =
        step.what == inflate_step::result::damaged || step.what == inflate_step::result::truncated;
    if (defect && fast_) {
      // What is wrong, and where the data break off, is for zlib to say; so no message depends on the
      // library. What this step wrote does not count: near the damage libraries write a few bytes more or
      // less.
      change_to_zlib();
      return 0;
    }
    consumed_ += step.read;
    produced_ += static_cast<std::int64_t>(step.written);
    if (step.what == inflate_step::result::member_end) start_next_member();
    if (step.what == inflate_step::result::damaged) give_up("the gzip data is damaged here");
    if (step.what == inflate_step::result::truncated)
      give_up("the gzip data is truncated: it breaks off here");
    return step.written;
  }

  /// From the file's beginning to the same place.
  void change_to_zlib() {
    inflater_ = make_zlib_inflater();
    fast_ = false;
    const std::int64_t here = produced_;
    restart();
    std::vector<char> passed_over(std::size_t{1} << 18);
    while (produced_ < here && !finished_) {
      const auto rest = static_cast<std::size_t>(here - produced_);
      inflate_some({passed_over.data(), std::min(rest, passed_over.size())});
    }
  }

  void start_next_member() {
    if (is_gzip(rest())) {
      inflater_->start_member();
      return;
    }
    finished_ = true;
    // Tape and block devices pad with zeros, and gunzip passes over them.
    for (std::string_view padding = rest(); !padding.empty(); padding = rest()) {
      if (padding.find_first_not_of('\0') != padding.npos)
        return give_up("the gzip data is followed by something else");
      consumed_ += padding.size();
    }
  }

  void give_up(std::string_view defect) {
    finished_ = true;
    defect_ = defect;
  }

  const input_bytes& compressed_;
  std::unique_ptr<inflater> inflater_;
  bool fast_;
  std::size_t consumed_ = 0;
  std::vector<char> window_;
  std::size_t window_from_ = 0;  ///< where in the file it begins
  std::int64_t produced_ = 0;    ///< bytes inflated so far
  bool finished_ = false;
  std::string_view defect_;
};

}  // namespace

std::unique_ptr<byte_stream> make_gzip_stream(const input_bytes& compressed, gzip_engine engine) {
  return std::make_unique<gzip_stream>(
      compressed, engine == gzip_engine::fastest ? make_isal_inflater() : std::unique_ptr<inflater>{});
}

}  // namespace gossamer::inline v0::io
