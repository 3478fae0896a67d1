// SPDX-License-Identifier: BSD-3-Clause
// Chunks of sorted coordinates on a CUDA device, a thread block each and a warp a tile.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/packed_loads.cuh"
#include "exec/reduction/segmented_sum.cuh"
#include "formats/common/launch_chunks.cuh"
#include "formats/papers/bcoo/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// The entries of a chunk as exec::sum_chunk() asks for them. Aligned: neighbouring ones are read together.
template <int Count, class S>
struct bcoo_tiles {
  using exchange = exec::warp_exchange<Count, sum_t<S>>;
  static constexpr int four_bytes = 2;  // as a width

  const std::int32_t* row;
  const std::int32_t* col;
  const matrix_t<S>* val;
  const vector_t<S>* x;
  int entries;
  bool aligned;
  std::int32_t first_row;
  exec::l2_policy policy;

  /// The products of a tile. Whole: all entries are there, and are read together.
  template <bool Whole>
  __device__ __forceinline__ void multiply(int k, int lane, sum_t<S>* room,
                                           sum_t<S> (&product)[Count]) const {
    constexpr int together = exchange::together;
    constexpr int groups = exchange::groups;
    constexpr int stride = exec::warp_size * together;
    const int first = k + exchange::first(0, lane);
    const auto is_here = [&](int at) { return Whole || first + at < entries; };
    exec::packed<together> c[groups];
    matrix_t<S> v[groups][together] = {};
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      if constexpr (Whole) {
        c[g] = exec::load_packed_if<four_bytes, together>(true, col + first + g * stride, policy);
        exec::load_piece(true, val + first + g * stride, v[g], policy);
      } else {
#pragma unroll
        for (int i = 0; i < together; ++i) {
          const int at = g * stride + i;
          c[g].word[i] =
              exec::load_if(is_here(at), reinterpret_cast<const std::uint32_t*>(col) + first + at, 0u);
          v[g][i] = exec::load_if(is_here(at), val + first + at, matrix_t<S>{0});
        }
      }
    }
    vector_t<S> xs[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int i = 0; i < together; ++i)
        xs[g][i] = exec::load_if(is_here(g * stride + i), x + c[g].word[i], vector_t<S>{0});
#pragma unroll
    for (int g = 0; g < groups; ++g) {
#pragma unroll
      for (int i = 0; i < together; ++i)
        product[g * together + i] = is_here(g * stride + i) ? v[g][i] * xs[g][i] : sum_t<S>{0};
      if constexpr (exchange::is_needed) exchange::put(room, g, lane, product + g * together);
    }
  }

  __device__ __forceinline__ std::int32_t load(int k, int lane, sum_t<S>* room, std::int32_t (&rows)[Count],
                                               sum_t<S> (&product)[Count]) const {
    const int mine = k + lane * Count;
    const bool some = mine < entries;
    const std::int32_t before = exec::load_if(mine > 0 && some, row + mine - 1, first_row);
    std::int32_t last = 0;
    if (aligned && k + exchange::tile <= entries) {
      const exec::packed<Count> r = exec::load_packed_if<four_bytes, Count>(true, row + mine, policy);
      multiply<true>(k, lane, room, product);
#pragma unroll
      for (int i = 0; i < Count; ++i) rows[i] = static_cast<std::int32_t>(r.word[i]) - first_row;
    } else {
      last = last_row();
#pragma unroll
      for (int i = 0; i < Count; ++i)
        rows[i] = exec::load_if(mine + i < entries, row + mine + i, first_row + last) - first_row;
      multiply<false>(k, lane, room, product);
    }
    if constexpr (exchange::is_needed) {
      __syncwarp();
      exchange::take(room, lane, product);
    }
    return some ? before - first_row : last;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    return row[entries - 1] - first_row;
  }
};

template <int Count, class S>
__global__ void __launch_bounds__(exec::chunk_tile / Count, exec::chunk_blocks(Count))
    bcoo_warp_per_tile(bcoo_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots, bool aligned,
                       exec::l2_share share) {
  exec::trigger_dependents(exec::combines_apart(a.carries));
  const unsigned h = blockIdx.x;
  const std::int64_t begin = h * a.meta.chunk;
  const exec::chunk_place place = place_of_chunk(a, h, a.row + begin, a.row + begin + a.meta.chunk);
  const bcoo_tiles<Count, S> tiles{.row = a.row + begin,
                                   .col = a.col + begin,
                                   .val = a.val + begin,
                                   .x = p.x,
                                   .entries = place.entries,
                                   .aligned = aligned,
                                   .first_row = place.first_row,
                                   .policy = exec::l2_policy(share)};
  exec::sum_chunk<Count>(place, tiles, p, slots_of_chunk(a, h, slots));
}

/// Whether the entries of every chunk begin at multiples of 16 bytes; the caller's own arrays need not.
template <class V>
bool is_aligned(const bcoo_pointers<V>& a) {
  constexpr std::uintptr_t bytes = 16;
  const auto at_multiple = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; };
  return at_multiple(a.row) && at_multiple(a.col) && at_multiple(a.val) && a.meta.chunk % 4 == 0;
}

}  // namespace

template <scalar_types S>
void bcoo::launch(const bcoo_pointers<matrix_t<S>>& a, const product<S>& given, sum_t<S>* scratch,
                  cuda_stream stream) {
  const exec::l2_share share = exec::l2_share_for<vector_t<S>>(
      a.meta, a.meta.nnz * (exec::slot_bytes<matrix_t<S>> + std::int64_t{sizeof(std::int32_t)}));
  launch_chunks(a, given, scratch, stream, "bcoo", [&](auto count, const product<S>& p) {
    constexpr int entries = count();
    bcoo_warp_per_tile<entries>
        <<<static_cast<unsigned>(a.meta.chunks),
           exec::chunk_threads(entries, std::min(a.meta.chunk, a.meta.nnz)), 0, stream.handle()>>>(
            a, p, scratch, is_aligned(a), share);
  });
}

GOSSAMER_INSTANTIATE_LAUNCH(bcoo, std::int64_t)

}  // namespace gossamer::inline v0::formats
