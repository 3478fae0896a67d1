// SPDX-License-Identifier: BSD-3-Clause
// A CUDA stream by reference, without a CUDA header.
#pragma once

struct CUstream_st;  // what cudaStream_t points to

namespace gossamer::inline v0 {

/// Converts from cudaStream_t; default-made it is the legacy default stream. Owns nothing.
class cuda_stream {
 public:
  constexpr cuda_stream() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr cuda_stream(CUstream_st* handle) noexcept : handle_(handle) {}
  [[nodiscard]] constexpr CUstream_st* handle() const noexcept { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

}  // namespace gossamer::inline v0
