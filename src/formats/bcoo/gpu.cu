// SPDX-License-Identifier: BSD-3-Clause
// Chunks of sorted coordinates on a CUDA device, a thread block each.
#include "exec/chunk_rows.cuh"
#include "exec/chunk_steps.cuh"
#include "exec/chunk_variant.cuh"
#include "exec/chunk_warps.cuh"
#include "exec/overlap.cuh"
#include "exec/packed_loads.cuh"
#include "exec/warp_exchange.cuh"
#include "formats/bcoo/format.hpp"
#include "formats/launch_chunks.cuh"

namespace gossamer::inline v0::formats {
namespace {

/// The entries of a chunk as exec::sum_chunk() asks for them. Aligned: each thread's are read together.
template <int Count, class V>
struct bcoo_entries {
  const std::int32_t* row;
  const std::int32_t* col;
  const V* val;
  const V* x;
  int entries;
  bool aligned;
  std::int32_t first_row;
  exec::l2_policy policy;

  __device__ __forceinline__ std::int32_t load(int k, int lane, std::int32_t (&rows)[Count],
                                               V (&products)[Count]) const {
    constexpr int four_bytes = 2;
    const int here = entries - k;
    const bool together = aligned && here >= Count;
    const int width = together ? four_bytes : exec::no_numbers;
    exec::packed<Count> r = exec::load_packed(exec::packed<Count>{}, width, row + k, policy);
    exec::packed<Count> c = exec::load_packed(exec::packed<Count>{}, width, col + k, policy);
    V v[Count];
    exec::load_values(together ? Count : 0, val + k, v, policy);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const bool apart = !together && i < here;
      r.word[i] = exec::load_if(apart, reinterpret_cast<const std::uint32_t*>(row) + k + i, r.word[i]);
      c.word[i] = exec::load_if(apart, reinterpret_cast<const std::uint32_t*>(col) + k + i, c.word[i]);
      v[i] = exec::load_if(apart, val + k + i, v[i]);
    }
    const std::int32_t previous =
        exec::load_if(lane == 0 && k > 0 && here > 0, row + k - 1, first_row) - first_row;
    V xs[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) xs[i] = exec::load_if(i < here, x + c.word[i], V{0});
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      rows[i] = static_cast<std::int32_t>(r.word[i]) - first_row;
      products[i] = i < here ? v[i] * xs[i] : V{0};
    }
    return previous;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    return row[entries - 1] - first_row;
  }
};

template <int Count, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count)
    bcoo_chunk_per_block(bcoo_pointers<V> a, product<V> p, V* slots, bool aligned, exec::l2_share share) {
  exec::let_next_begin(exec::combines_apart(a.carries));
  const std::int64_t h = blockIdx.x;
  const std::int64_t begin = h * a.meta.chunk;
  const bool is_last = h + 1 == a.meta.chunks;
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const std::int64_t next_begin = begin + a.meta.chunk;
  const std::int32_t first_row = a.row[begin];
  const exec::chunk_place place{
      .first_row = first_row,
      .next_row = is_last ? static_cast<std::int32_t>(a.meta.rows) : a.row[next_begin],
      .entries = static_cast<int>((is_last ? a.meta.nnz : next_begin) - begin),
      .is_first = h == 0,
      .began_before = !ordered || a.carries.run_at_cut[h] >= 0,
      .goes_on = !ordered || a.carries.run_at_cut[h + 1] >= 0};
  const bcoo_entries<Count, V> entries{.row = a.row + begin,
                                       .col = a.col + begin,
                                       .val = a.val + begin,
                                       .x = p.x,
                                       .entries = place.entries,
                                       .aligned = aligned,
                                       .first_row = first_row,
                                       .policy = exec::l2_policy(share)};
  exec::sum_chunk<Count>(place, entries, p, ordered ? slots + exec::slots_per_unit * h : nullptr);
}

/// The entries of a chunk as exec::sum_chunk_by_warps() asks for them. Aligned: neighbouring ones are read together.
template <int Count, class V>
struct bcoo_tiles {
  using exchange = exec::warp_exchange<Count, V>;

  const std::int32_t* row;
  const std::int32_t* col;
  const V* val;
  const V* x;
  int entries;
  bool aligned;
  std::int32_t first_row;
  exec::l2_policy policy;

  /// The products of a tile, in groups of neighbours. Whole: all entries are there, and are read together.
  template <bool Whole>
  __device__ __forceinline__ void multiply(int k, int lane, V* room, V (&product)[Count]) const {
    constexpr int four_bytes = 2;
    constexpr int together = exchange::together;
    constexpr int groups = exchange::groups;
    constexpr int stride = exec::warp_size * together;
    const int first = k + exchange::first(0, lane);
    const int here = entries - first;
    exec::packed<together> c[groups];
    V v[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      if constexpr (Whole) {
        c[g] = exec::load_packed(exec::packed<together>{}, four_bytes, col + first + g * stride, policy);
        exec::load_values(together, val + first + g * stride, v[g], policy);
      } else {
#pragma unroll
        for (int i = 0; i < together; ++i) {
          const int at = g * stride + i;
          c[g].word[i] =
              exec::load_if(at < here, reinterpret_cast<const std::uint32_t*>(col) + first + at, 0u);
          v[g][i] = exec::load_if(at < here, val + first + at, V{0});
        }
      }
    }
    V xs[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int i = 0; i < together; ++i)
        xs[g][i] = exec::load_if(Whole || g * stride + i < here, x + c[g].word[i], V{0});
#pragma unroll
    for (int g = 0; g < groups; ++g) {
#pragma unroll
      for (int i = 0; i < together; ++i) v[g][i] = Whole || g * stride + i < here ? v[g][i] * xs[g][i] : V{0};
      if constexpr (exchange::is_needed) exchange::put(room, g, lane, v[g]);
    }
    if constexpr (!exchange::is_needed)
#pragma unroll
      for (int i = 0; i < Count; ++i) product[i] = v[0][i];
  }

  __device__ __forceinline__ std::int32_t load(int k, int lane, V* room, std::int32_t (&rows)[Count],
                                               V (&product)[Count]) const {
    constexpr int four_bytes = 2;
    const int mine = k + lane * Count;
    const bool some = mine < entries;
    const std::int32_t before = exec::load_if(mine > 0 && some, row + mine - 1, first_row);
    std::int32_t last = 0;
    if (aligned && k + exchange::tile <= entries) {
      const exec::packed<Count> r = exec::load_packed(exec::packed<Count>{}, four_bytes, row + mine, policy);
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

/// What a chunk needs to know beside its entries.
struct bcoo_beside {
  std::int32_t row;
  std::int32_t next_row;
  std::int32_t run_before;
  std::int32_t run_behind;

  template <class V>
  __device__ __forceinline__ bcoo_beside(const bcoo_pointers<V>& a, unsigned h, bool ordered) {
    const std::int64_t begin = h * a.meta.chunk;
    row = a.row[begin];
    run_before = 0;
    run_behind = 0;
    next_row = static_cast<std::int32_t>(a.meta.rows);
    if (ordered) run_before = a.carries.run_at_cut[h];
    if (threadIdx.x < exec::warp_size) {
      if (ordered) run_behind = a.carries.run_at_cut[h + 1];
      if (h + 1 < static_cast<unsigned>(a.meta.chunks)) next_row = a.row[begin + a.meta.chunk];
    }
  }
};

template <int Count, class V>
__device__ __forceinline__ void bcoo_sum(const bcoo_pointers<V>& a, unsigned h, const bcoo_beside& beside,
                                         const product<V>& p, V* slots, bool aligned, exec::l2_policy policy,
                                         exec::chunk_room<Count, V>& room, int& turn) {
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
  const std::int64_t begin = h * a.meta.chunk;
  const exec::chunk_place place{.first_row = beside.row,
                                .next_row = beside.next_row,
                                .entries = static_cast<int>(is_last ? a.meta.nnz - begin : a.meta.chunk),
                                .is_first = h == 0,
                                .began_before = beside.run_before >= 0,
                                .goes_on = beside.run_behind >= 0};
  const bcoo_tiles<Count, V> tiles{.row = a.row + begin,
                                   .col = a.col + begin,
                                   .val = a.val + begin,
                                   .x = p.x,
                                   .entries = place.entries,
                                   .aligned = aligned,
                                   .first_row = beside.row,
                                   .policy = policy};
  exec::sum_chunk_by_warps<Count>(place, tiles, p, ordered ? slots + exec::slots_per_unit * h : nullptr, room,
                                  turn);
}

template <int Count, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count,
                                  exec::chunk_blocks(Count, Count == 8 ? 768 : 1024))
    bcoo_warp_per_tile(bcoo_pointers<V> a, product<V> p, V* slots, bool aligned, exec::l2_share share) {
  __shared__ exec::chunk_room<Count, V> room;
  exec::let_next_begin(exec::combines_apart(a.carries));
  const unsigned h = blockIdx.x;
  int turn = 0;
  const bcoo_beside beside(a, h, a.meta.device.accumulate == chunk_accumulate::ordered);
  bcoo_sum<Count>(a, h, beside, p, slots, aligned, exec::l2_policy(share), room, turn);
}

/// The entries of a chunk as exec::sum_chunk_in_steps() asks for them. Aligned: neighbouring ones are read together.
template <int Count, int Steps, class V>
struct bcoo_steps {
  using exchange = exec::warp_exchange<Count, V>;
  using of_tile = typename exec::step_room<Count, Steps, true, V>::of_tile;
  static constexpr int four_bytes = 2;

  struct asked {
    std::int32_t first_row;
    std::int32_t rows[Steps][Count];
    std::int32_t before[Steps];  ///< the row of the entry before the lane's
  };

  const std::int32_t* row;
  const std::int32_t* col;
  const V* val;
  const V* x;
  int entries;
  bool aligned;
  exec::l2_policy policy;

  template <bool Whole>
  __device__ __forceinline__ void ask_for_products(int k, int lane, of_tile (&room)[Steps], asked& a) const {
    constexpr int together = exchange::together;
    constexpr int groups = exchange::groups;
    constexpr int stride = exec::warp_size * together;
    const int first = k + exchange::first(0, lane);
    exec::packed<together> c[Steps][groups];
#pragma unroll
    for (int s = 0; s < Steps; ++s)
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        const int at = first + s * exchange::tile + g * stride;
        if constexpr (Whole)
          c[s][g] = exec::load_packed_if<four_bytes, together>(true, col + at, policy);
        else
#pragma unroll
          for (int i = 0; i < together; ++i)
            c[s][g].word[i] = exec::load_if(at + i < entries, reinterpret_cast<const std::uint32_t*>(col) + at + i, 0u);
      }
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const int mine = k + s * exchange::tile + lane * Count;
      a.before[s] = exec::load_if(mine > 0 && mine < entries, row + mine - 1, 0);
      if constexpr (Whole) {
        const exec::packed<Count> r = exec::load_packed_if<four_bytes, Count>(true, row + mine, policy);
#pragma unroll
        for (int i = 0; i < Count; ++i) a.rows[s][i] = static_cast<std::int32_t>(r.word[i]);
      } else {
#pragma unroll
        for (int i = 0; i < Count; ++i) a.rows[s][i] = exec::load_if(mine + i < entries, row + mine + i, 0);
      }
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        const int at = first + s * exchange::tile + g * stride;
        V* const to = room[s].values + exchange::place(g, lane) * together;
        if constexpr (Whole)
          exec::copy_piece_async(val + at, to, policy);
        else
#pragma unroll
          for (int i = 0; i < together; ++i) exec::copy_async(at + i < entries, val + at + i, to + i);
      }
    }
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
#pragma unroll
      for (int g = 0; g < groups; ++g)
#pragma unroll
        for (int i = 0; i < together; ++i) {
          V* const to = room[s].x + exchange::place(g, lane) * together + i;
          if constexpr (Whole)
            exec::copy_async(x + static_cast<std::int32_t>(c[s][g].word[i]), to);
          else
            exec::copy_async(first + s * exchange::tile + g * stride + i < entries,
                             x + static_cast<std::int32_t>(c[s][g].word[i]), to);
        }
      exec::end_of_copies();
    }
  }

  __device__ __forceinline__ asked ask(int k, int lane, of_tile (&room)[Steps]) const {
    asked a;
    if (aligned && k + Steps * exchange::tile <= entries)
      ask_for_products<true>(k, lane, room, a);
    else
      ask_for_products<false>(k, lane, room, a);
    a.first_row = exec::load_if(true, row, 0);
    return a;
  }

  /// Of the tile whose first entry is k.
  __device__ __forceinline__ std::int32_t take(const asked& a, int step, int k, int lane,
                                               of_tile (&room)[Steps], std::int32_t (&rows)[Count],
                                               V (&product)[Count]) const {
    if (step == Steps - 1) exec::wait_for_copies<0>();
    if (step == Steps - 2) exec::wait_for_copies<1>();
    if (step == Steps - 3) exec::wait_for_copies<2>();
    if (step == Steps - 4) exec::wait_for_copies<3>();
    __syncwarp();
    V v[Count];
    exchange::take(room[step].values, lane, v);
    exchange::take(room[step].x, lane, product);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      product[i] *= v[i];
      rows[i] = a.rows[step][i] - a.first_row;
    }
    const int mine = k + lane * Count;
    const std::int32_t before = mine > 0 ? a.before[step] - a.first_row : 0;
    if (k + exchange::tile <= entries) return before;
    const std::int32_t last = exec::load_if(true, row + entries - 1, 0) - a.first_row;
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (mine + i >= entries) {
        rows[i] = last;
        product[i] = V{0};
      }
    return mine < entries ? before : last;
  }
};

/// What is not needed to read the entries of a chunk.
template <class V>
struct bcoo_ask_for_rest {
  const bcoo_pointers<V>& a;
  unsigned h;
  bool ordered;

  __device__ __forceinline__ void operator()(bool wanted, bool is_first_warp, exec::chunk_rest& rest) const {
    const bool all = wanted && is_first_warp;
    const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
    const std::int32_t* const row = a.row + h * a.meta.chunk;
    if (wanted) rest.next_row = static_cast<std::int32_t>(a.meta.rows);
    rest.first_row = exec::load_if(wanted, row, rest.first_row);
    rest.run_before = exec::load_if(wanted && ordered, a.carries.run_at_cut + h, rest.run_before);
    rest.run_behind = exec::load_if(all && ordered, a.carries.run_at_cut + h + 1, rest.run_behind);
    rest.next_row = exec::load_if(all && !is_last, row + a.meta.chunk, rest.next_row);
  }
};

template <int Count, int Steps, bool Long, int Threads, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count / Steps,
                                  Threads / (exec::chunk_tile / Count / Steps))
    bcoo_warp_in_steps(bcoo_pointers<V> a, product<V> p, V* slots, bool aligned, exec::l2_share share) {
  __shared__ exec::step_room<Count, Steps, true, V> room;
  exec::let_next_begin(exec::combines_apart(a.carries));
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const unsigned h = blockIdx.x;
  const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
  const std::int64_t begin = h * a.meta.chunk;
  const bcoo_steps<Count, Steps, V> tiles{
      .row = a.row + begin,
      .col = a.col + begin,
      .val = a.val + begin,
      .x = p.x,
      .entries = static_cast<int>(is_last ? a.meta.nnz - begin : a.meta.chunk),
      .aligned = aligned,
      .policy = exec::l2_policy(share)};
  exec::sum_chunk_in_steps<Long, Count>(h == 0, tiles, bcoo_ask_for_rest<V>{a, h, ordered}, p,
                                        ordered ? slots + exec::slots_per_unit * h : nullptr, room);
}

/// Whether the entries of every chunk begin at multiples of 16 bytes; the caller's own arrays need not.
template <class V>
bool is_aligned(const bcoo_pointers<V>& a) {
  constexpr std::uintptr_t bytes = 16;
  const auto at_multiple = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; };
  return at_multiple(a.row) && at_multiple(a.col) && at_multiple(a.val) && a.meta.chunk % 4 == 0;
}

}  // namespace

template <value V>
void bcoo::launch(const bcoo_pointers<V>& a, const product<V>& given, V* scratch, cuda_stream stream) {
  const auto variant = exec::chunk_variant(a.meta.device.entries_per_thread);
  const exec::l2_share share =
      exec::l2_share_for<V>(a.meta, a.meta.nnz * (exec::slot_bytes<V> + std::int64_t{sizeof(std::int32_t)}));
  launch_chunks(a, given, scratch, stream, "bcoo", [&](auto count, const product<V>& p) {
    constexpr int entries = count();
    const auto chunks = static_cast<unsigned>(a.meta.chunks);
    const std::int64_t longest = std::min(a.meta.chunk, a.meta.nnz);
    const unsigned threads = exec::chunk_threads(entries, longest);
    if (variant == 0) {
      constexpr int old_entries = entries < 4 ? entries : 4;
      bcoo_chunk_per_block<old_entries>
          <<<chunks, exec::chunk_threads(old_entries, longest), 0, stream.handle()>>>(a, p, scratch,
                                                                                      is_aligned(a), share);
    } else if (variant == 1) {
      bcoo_warp_per_tile<entries>
          <<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, is_aligned(a), share);
    } else {
      const auto start = [&]<int Steps, int Threads>(std::integral_constant<int, Steps>,
                                                     std::integral_constant<int, Threads>) {
        const unsigned in_steps = exec::step_threads(8, Steps, longest);
        const auto start_kernel = [&](auto* kernel) {
          kernel<<<chunks, in_steps, 0, stream.handle()>>>(a, p, scratch, is_aligned(a), share);
        };
        if (longest > exec::chunk_tile)
          start_kernel(bcoo_warp_in_steps<8, Steps, true, Threads, V>);
        else
          start_kernel(bcoo_warp_in_steps<8, Steps, false, Threads, V>);
      };
      using std::integral_constant;
      if (variant == 4 || variant == 6)
        start(integral_constant<int, 2>(), integral_constant<int, 1024>());
      else if (variant == 5 || variant == 7)
        start(integral_constant<int, 1>(), integral_constant<int, 1024>());
      else
        start(integral_constant<int, 1>(), integral_constant<int, 1280>());
    }
  });
}

template void bcoo::launch(const bcoo_pointers<float>&, const product<float>&, float*, cuda_stream);
template void bcoo::launch(const bcoo_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
