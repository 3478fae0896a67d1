// SPDX-License-Identifier: BSD-3-Clause
// What the loads of a matrix tell the L2 cache, by thread block (exec/cuda/l2_share.hpp).
#pragma once

#include "exec/cuda/device_attributes.cuh"
#include "exec/cuda/l2_share.hpp"

namespace gossamer::inline v0::exec {

/// For a product of a matrix of meta.rows and meta.cols by `columns` vectors of V, of which the kernel reads
/// `once` bytes once, on the current device.
template <class V, class Meta>
l2_share l2_share_for(const Meta& meta, std::int64_t once, std::int64_t columns = 1) {
  return l2_share_of(l2_cache_bytes(), once,
                     columns * (meta.rows + meta.cols) * static_cast<std::int64_t>(sizeof(V)));
}

/// Bytes of a column and a value.
template <class V>
inline constexpr auto slot_bytes = static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(V));

/// In a register of each thread, for load_once_if(): what it reads stays in the L2 cache like anything else,
/// or is the first to go when room is needed. The code that loads is one: with a branch for each way, ptxas
/// left it 40 registers for 48 and too few loads under way.
class l2_policy {
 public:
  /// `block`: one number for all blocks that read the same part of the matrix.
  __device__ __forceinline__ explicit l2_policy(l2_share share, unsigned block = blockIdx.x) {
#if __CUDA_ARCH__ >= 800
    std::uint64_t normal = 0;
    std::uint64_t first = 0;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    bits_ = static_cast<int>(block % 8) < share.eighths ? normal : first;
#endif
  }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t bits() const {
    return bits_;
  }

 private:
  std::uint64_t bits_ = 0;  ///< devices before compute capability 8.0 have none
};

}  // namespace gossamer::inline v0::exec
