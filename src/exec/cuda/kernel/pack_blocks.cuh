// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a kernel that multiplies by one vector or by several packs. Neighbouring blocks multiply the same
// part of the matrix by one pack each, so that memory is read once. With one vector, all of this is
// blockIdx.x and the kernel's argument.
#pragma once

#include "exec/pack_products.hpp"

namespace gossamer::inline v0::exec {

/// The arguments of __launch_bounds__ for a kernel with blocks of `threads`: if S is of packs, 1024 resident
/// threads, so that each may have 64 registers. With fewer, ptxas makes each load of x wait for the one
/// before. If S is not of packs, 0, which is no bound.
template <class S>
constexpr int threads_by_packs(int threads) {
  return is_pack<vector_t<S>> ? threads : 0;
}
template <class S>
constexpr int least_blocks_by_packs(int threads) {
  return is_pack<vector_t<S>> ? 1024 / threads : 0;
}

/// The blocks of a launch in which each pack takes `blocks` of them.
template <class S>
unsigned grid_of(const product<S>&, unsigned blocks) {
  return blocks;
}
template <class S>
unsigned grid_of(const pack_products<S>& all, unsigned blocks) {
  return blocks * all.count;
}

/// The blocks of one pack.
template <class S>
__device__ __forceinline__ unsigned blocks_of_pack(const product<S>&) {
  return gridDim.x;
}
template <class S>
__device__ __forceinline__ unsigned blocks_of_pack(const pack_products<S>& all) {
  return gridDim.x / all.count;
}

/// This block's number among the blocks of its pack.
template <class S>
__device__ __forceinline__ unsigned block_in_pack(const product<S>&) {
  return blockIdx.x;
}
template <class S>
__device__ __forceinline__ unsigned block_in_pack(const pack_products<S>& all) {
  return blockIdx.x / all.count;
}

template <class S>
__device__ __forceinline__ unsigned pack_of_block(const product<S>&) {
  return 0;
}
template <class S>
__device__ __forceinline__ unsigned pack_of_block(const pack_products<S>& all) {
  return blockIdx.x % all.count;
}

template <class S>
__device__ __forceinline__ const product<S>& product_of_block(const product<S>& p) {
  return p;
}
template <class S>
__device__ __forceinline__ product<S> product_of_block(const pack_products<S>& all) {
  const std::int64_t number = pack_of_block(all);
  product<S> p = all.first;
  p.x = further(p.x, number * all.x_next);
  p.y = further(p.y, number * all.y_next);
  return p;
}

}  // namespace gossamer::inline v0::exec
