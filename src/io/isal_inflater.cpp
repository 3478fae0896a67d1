// SPDX-License-Identifier: BSD-3-Clause
#include "io/inflater.hpp"

#if GOSSAMER_HAVE_ISAL

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace gossamer::inline v0::io {
namespace {

std::uint32_t as_uint32(std::size_t size) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max()));
}

class isal_inflater final : public inflater {
 public:
  isal_inflater() { isal_inflater::start_member(); }

  inflate_step inflate(std::string_view in, std::span<char> room) override {
    // It passes over the flags that RFC 1952 (2.3.1.2) reserves, which are errors.
    if (std::exchange(at_member_, false) && in.size() > 3 && (static_cast<unsigned char>(in[3]) & 0xe0) != 0)
      return {.what = inflate_step::result::damaged};
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));
    state_.avail_in = as_uint32(in.size());
    state_.next_out = reinterpret_cast<std::uint8_t*>(room.data());
    state_.avail_out = as_uint32(room.size());
    const std::uint32_t in_before = state_.avail_in;
    const std::uint32_t out_before = state_.avail_out;
    const int status = isal_inflate(&state_);
    inflate_step step{.read = in_before - state_.avail_in, .written = out_before - state_.avail_out};
    // In this order. NOLINTBEGIN(bugprone-branch-clone)
    if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT && status != ISAL_OUT_OVERFLOW)
      step.what = inflate_step::result::damaged;
    else if (state_.block_state == ISAL_BLOCK_FINISH)
      step.what = inflate_step::result::member_end;
    else if (state_.avail_out != 0 && step.read == in.size())
      step.what = inflate_step::result::truncated;
    else if (step.read == 0 && step.written == 0)
      step.what = inflate_step::result::damaged;  // it would stand still for ever
    // NOLINTEND(bugprone-branch-clone)
    return step;
  }

  void start_member() override {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    at_member_ = true;
  }

 private:
  bool at_member_ = true;
  inflate_state state_;
};

}  // namespace

std::unique_ptr<inflater> make_isal_inflater() {
  return std::make_unique<isal_inflater>();
}
bool have_isal() noexcept {
  return true;
}

}  // namespace gossamer::inline v0::io

#else

namespace gossamer::inline v0::io {

std::unique_ptr<inflater> make_isal_inflater() {
  return nullptr;
}
bool have_isal() noexcept {
  return false;
}

}  // namespace gossamer::inline v0::io

#endif
