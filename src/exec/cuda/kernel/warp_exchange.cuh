// SPDX-License-Identifier: BSD-3-Clause
// Entries of a warp in two orders: neighbouring lanes read neighbouring entries, so that what they ask for
// lies in few lines, and each lane sums entries that follow each other. In between they go through shared
// memory, where no two lanes of a phase meet in a bank.
#pragma once

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

/// For Count consecutive entries a lane, a power of two.
template <int Count, class V>
struct warp_exchange {
  static constexpr int tile = warp_size * Count;
  /// Entries that one load of 16 bytes of values takes; a lane reads so many that follow each other.
  static constexpr int together =
      Count * static_cast<int>(sizeof(V)) <= 16 ? Count : 16 / static_cast<int>(sizeof(V));
  static constexpr int groups = Count / together;
  /// Where a lane reads all its entries at once both orders are the same.
  static constexpr bool is_needed = groups > 1;

  struct alignas(sizeof(V) * together) group {
    V v[together];
  };

  /// Of the warp's entries, the first in group g of a lane.
  [[nodiscard]] static __device__ __forceinline__ int first(int g, int lane) {
    return (g * warp_size + lane) * together;
  }

  /// Groups that lie eight apart would meet in a bank when lanes read their own: their order within eight is
  /// turned.
  static __device__ __forceinline__ void put(V* room, int g, int lane, const V* v) {
    group here;
#pragma unroll
    for (int i = 0; i < together; ++i) here.v[i] = v[i];
    const int turned = lane ^ static_cast<int>(static_cast<unsigned>(lane) / 8 % groups);
    reinterpret_cast<group*>(room)[g * warp_size + turned] = here;
  }

  static __device__ __forceinline__ void take(const V* room, int lane, V (&v)[Count]) {
    const unsigned first_group = static_cast<unsigned>(lane) * groups;
    const unsigned turned = first_group ^ (first_group / 8 % groups);
#pragma unroll
    for (unsigned g = 0; g < groups; ++g) {
      const group here = reinterpret_cast<const group*>(room)[turned ^ g];
#pragma unroll
      for (int i = 0; i < together; ++i) v[g * together + i] = here.v[i];
    }
  }
};

}  // namespace gossamer::inline v0::exec
