// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way (uniform.hpp) on a CUDA device, a thread block each. How a chunk is coded is the same for its whole
// block, so that no threads diverge, the paper's reason for this layout.
#include "exec/chunk_rows.cuh"
#include "exec/chunk_variant.cuh"
#include "exec/chunk_warps.cuh"
#include "exec/overlap.cuh"
#include "exec/packed_loads.cuh"
#include "exec/warp_exchange.cuh"
#include "formats/bccoo/format.hpp"
#include "formats/launch_chunks.cuh"

namespace gossamer::inline v0::formats {
namespace {

/// Blocks that one multiprocessor must have room for, so 40 registers a thread in place of 64: the loads of a block wait for each other (how the
/// chunk is coded, its bytes, x), and other blocks have to fill the time.
constexpr int least_blocks(int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  constexpr int threads = 1024;  // there is no room for more
#else
  constexpr int threads = 1536;
#endif
  return threads * count / exec::chunk_tile;
}

/// The entries of a chunk as exec::sum_chunk() asks for them.
template <int Count, class V>
struct bccoo_entries {
  const std::uint8_t* rows;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* table;
  const V* x;  ///< from the chunk's smallest column on
  int entries;
  int row_width;
  int column_width;
  bool in_table;
  bool reads_codes;  ///< not where the table has one value
  exec::l2_policy policy;

  __device__ __forceinline__ std::int32_t load(int k, int lane, std::int32_t (&row)[Count],
                                               V (&products)[Count]) const {
    using exec::no_numbers;
    using exec::packed;
    constexpr int bytes = 0;
    const int here = entries - k;
    const bool some = here > 0;
    const auto r =
        exec::load_packed(packed<Count>{}, some ? row_width : no_numbers, rows + (k << row_width), policy);
    const auto c = exec::load_packed(packed<Count>{}, some ? column_width : no_numbers,
                                     columns + (k << column_width), policy);
    const auto codes =
        exec::load_packed(packed<Count>{}, some && reads_codes ? bytes : no_numbers, values + k, policy);
    V v[Count];
    exec::load_values(in_table ? 0 : here, reinterpret_cast<const V*>(values) + k, v, policy);
    const std::uint32_t previous = exec::load_number(0, lane == 0 && k > 0 && some ? row_width : no_numbers,
                                                     rows + ((k - 1) << row_width));
    std::uint32_t column[Count];
    exec::unpack(c, column_width, column);
    V xs[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) xs[i] = exec::load_if(i < here, x + column[i], V{0});
    std::uint32_t code[Count];
    exec::unpack(codes, bytes, code);
#pragma unroll
    for (int i = 0; i < Count; ++i) v[i] = exec::load_if(in_table && i < here, table + code[i], v[i]);
    std::uint32_t number[Count];
    exec::unpack(r, row_width, number);
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      row[i] = static_cast<std::int32_t>(number[i]);
      products[i] = i < here ? v[i] * xs[i] : V{0};
    }
    return static_cast<std::int32_t>(previous);
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    return static_cast<std::int32_t>(exec::load_number(0, row_width, rows + ((entries - 1) << row_width)));
  }
};

template <int Count, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count, least_blocks(Count))
    bccoo_chunk_per_block(bccoo_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  exec::let_next_begin(exec::combines_apart(a.carries));
  const std::int64_t h = blockIdx.x;
  const bool is_last = h + 1 == a.meta.chunks;
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const unsigned format = a.format[h];
  const std::uint8_t* const data = a.data + a.offset[h];
  const exec::chunk_place place{
      .first_row = a.row[h],
      .next_row = is_last ? static_cast<std::int32_t>(a.meta.rows) : a.row[h + 1],
      .entries = static_cast<int>(is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk),
      .is_first = h == 0,
      .began_before = !ordered || a.carries.run_at_cut[h] >= 0,
      .goes_on = !ordered || a.carries.run_at_cut[h + 1] >= 0};
  const bccoo_uniform::layout at = bccoo_uniform::layout_of(format, place.entries, sizeof(V));
  const bool in_table = (format & bccoo_uniform::in_table) != 0;
  const bccoo_entries<Count, V> entries{
      .rows = data,
      .columns = data + at.columns,
      .values = data + at.values,
      .table = a.lut,
      .x = p.x + a.column[h],
      .entries = place.entries,
      .row_width = static_cast<int>(format >> bccoo_uniform::row_shift & bccoo_uniform::column_width),
      .column_width = static_cast<int>(format & bccoo_uniform::column_width),
      .in_table = in_table,
      .reads_codes = in_table && a.lut_size > 1,
      .policy = exec::l2_policy(share)};
  exec::sum_chunk<Count>(place, entries, p, ordered ? slots + exec::slots_per_unit * h : nullptr);
}

/// The entries of a chunk as exec::sum_chunk_by_warps() asks for them.
template <int Count, class V>
struct bccoo_tiles {
  using exchange = exec::warp_exchange<Count, V>;

  const std::uint8_t* rows;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* table;
  const V* x;  ///< from the chunk's smallest column on
  int entries;
  int row_width;
  int column_width;
  bool in_table;
  bool reads_codes;  ///< not where the table has one value
  exec::l2_policy policy;

  /// The products of a tile whose entries are coded so; All: no lane is behind the last entry.
  template <int ColumnWidth, bool InTable, bool All>
  __device__ __forceinline__ void multiply(int k, int lane, V* room, V (&product)[Count]) const {
    using exec::no_numbers;
    using exec::packed;
    constexpr int together = exchange::together;
    constexpr int groups = exchange::groups;
    constexpr int bytes = 0;
    const int first = k + exchange::first(0, lane);
    const int here = All ? exchange::tile : entries - first;  // of entry 0 of group 0 on
    const std::uint8_t* const column_at = columns + (first << ColumnWidth);
    const std::uint8_t* const value_at = values + (InTable ? first : first * static_cast<int>(sizeof(V)));
    packed<together> c[groups];
    packed<together> codes[groups];
    V v[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      constexpr int stride = exec::warp_size * together;
      const bool some = All || here > g * stride;
      c[g] = exec::load_packed(packed<together>{}, some ? ColumnWidth : no_numbers,
                               column_at + (g * stride << ColumnWidth), policy);
      if constexpr (InTable)
        codes[g] = exec::load_packed(packed<together>{}, some && reads_codes ? bytes : no_numbers,
                                     value_at + g * stride, policy);
      else
        exec::load_values(All ? together : here - g * stride,
                          reinterpret_cast<const V*>(value_at) + g * stride, v[g], policy);
    }
    V xs[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      std::uint32_t column[together];
      exec::unpack(c[g], ColumnWidth, column);
#pragma unroll
      for (int i = 0; i < together; ++i)
        xs[g][i] = exec::load_if(All || here > g * exec::warp_size * together + i, x + column[i], V{0});
    }
    if constexpr (InTable) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        std::uint32_t code[together];
        exec::unpack(codes[g], bytes, code);
#pragma unroll
        for (int i = 0; i < together; ++i) v[g][i] = exec::load_if(true, table + code[i], V{0});
      }
    }
    V of_group[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int i = 0; i < together; ++i)
        of_group[g][i] = All || here > g * exec::warp_size * together + i ? v[g][i] * xs[g][i] : V{0};
    if constexpr (exchange::is_needed) {
#pragma unroll
      for (int g = 0; g < groups; ++g) exchange::put(room, g, lane, of_group[g]);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) product[i] = of_group[0][i];
    }
  }

  template <bool All>
  __device__ __forceinline__ void multiply(int k, int lane, V* room, V (&product)[Count]) const {
    if (in_table) {
      if (column_width == 0) return multiply<0, true, All>(k, lane, room, product);
      if (column_width == 1) return multiply<1, true, All>(k, lane, room, product);
      return multiply<2, true, All>(k, lane, room, product);
    }
    if (column_width == 0) return multiply<0, false, All>(k, lane, room, product);
    if (column_width == 1) return multiply<1, false, All>(k, lane, room, product);
    multiply<2, false, All>(k, lane, room, product);
  }

  template <int RowWidth>
  [[nodiscard]] __device__ __forceinline__ exec::packed<Count> ask_for_rows(int k, bool some,
                                                                            std::uint32_t& before) const {
    using exec::no_numbers;
    const std::uint8_t* const at = rows + (k << RowWidth);
    before = exec::load_number(0, k > 0 && some ? RowWidth : no_numbers, at - (1 << RowWidth));
    return exec::load_packed(exec::packed<Count>{}, some ? RowWidth : no_numbers, at, policy);
  }

  __device__ __forceinline__ std::int32_t load(int k, int lane, V* room, std::int32_t (&row)[Count],
                                               V (&product)[Count]) const {
    const int mine = k + lane * Count;
    const bool some = mine < entries;
    // Rows of 4 bytes, which are rare, are asked for when the products are there: they would take the registers that those need.
    constexpr int words = Count / 2;
    std::uint32_t raw[words] = {};
    std::uint32_t before = 0;
    const auto ask = [&]<int RowWidth>(std::integral_constant<int, RowWidth>) {
      const exec::packed<Count> r = ask_for_rows<RowWidth>(mine, some, before);
#pragma unroll
      for (int i = 0; i < words; ++i) raw[i] = r.word[i];
    };
    if (row_width == 0) ask(std::integral_constant<int, 0>());
    if (row_width == 1) ask(std::integral_constant<int, 1>());
    const bool all = k + exchange::tile <= entries;
    if (all)
      multiply<true>(k, lane, room, product);
    else
      multiply<false>(k, lane, room, product);
    if constexpr (exchange::is_needed) {
      __syncwarp();
      exchange::take(room, lane, product);
    }
    exec::packed<Count> r;
    if (row_width == 2) {
      r = ask_for_rows<2>(mine, some, before);
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) r.word[i] = raw[i];
    }
    std::uint32_t number[Count];
    exec::unpack(r, row_width, number);
#pragma unroll
    for (int i = 0; i < Count; ++i) row[i] = static_cast<std::int32_t>(number[i]);
    if (all) return static_cast<std::int32_t>(before);
    const std::int32_t last = last_row();
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (mine + i >= entries) row[i] = last;
    return some ? static_cast<std::int32_t>(before) : last;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    return static_cast<std::int32_t>(exec::load_number(0, row_width, rows + ((entries - 1) << row_width)));
  }
};

/// What stands beside a chunk.
struct bccoo_beside {
  unsigned format;
  std::int32_t column;
  std::int64_t offset;
  std::int32_t row;
  std::int32_t next_row;
  std::int32_t run_before;
  std::int32_t run_behind;

  template <class V>
  __device__ __forceinline__ bccoo_beside(const bccoo_pointers<V>& a, unsigned h, bool ordered) {
    format = a.format[h];
    offset = a.offset[h];
    column = a.column[h];
    row = a.row[h];
    run_before = 0;
    run_behind = 0;
    next_row = static_cast<std::int32_t>(a.meta.rows);
    if (ordered) run_before = a.carries.run_at_cut[h];
    if (threadIdx.x < exec::warp_size) {
      if (ordered) run_behind = a.carries.run_at_cut[h + 1];
      if (h + 1 < static_cast<unsigned>(a.meta.chunks)) next_row = a.row[h + 1];
    }
  }
};

template <int Count, class V>
__device__ __forceinline__ void bccoo_sum(const bccoo_pointers<V>& a, unsigned h, const bccoo_beside& beside,
                                          const product<V>& p, V* slots, exec::l2_policy policy,
                                          exec::chunk_room<Count, V>& room, int& turn) {
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
  const exec::chunk_place place{
      .first_row = beside.row,
      .next_row = beside.next_row,
      .entries = static_cast<int>(is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk),
      .is_first = h == 0,
      .began_before = beside.run_before >= 0,
      .goes_on = beside.run_behind >= 0};
  const auto row_width =
      static_cast<int>(beside.format >> bccoo_uniform::row_shift & bccoo_uniform::column_width);
  const auto column_width = static_cast<int>(beside.format & bccoo_uniform::column_width);
  const bool in_table = (beside.format & bccoo_uniform::in_table) != 0;
  // A chunk has less than 2^31 bytes.
  const int columns = ((place.entries << row_width) + 15) & ~15;
  const int values = columns + (((place.entries << column_width) + 15) & ~15);
  const std::uint8_t* const data = a.data + beside.offset;
  const V* x = p.x + beside.column;
  asm("" : "+l"(x));  // else the column is added to each entry's
  const bccoo_tiles<Count, V> tiles{.rows = data,
                                    .columns = data + columns,
                                    .values = data + values,
                                    .table = a.lut,
                                    .x = x,
                                    .entries = place.entries,
                                    .row_width = row_width,
                                    .column_width = column_width,
                                    .in_table = in_table,
                                    .reads_codes = in_table && a.lut_size > 1,
                                    .policy = policy};
  exec::sum_chunk_by_warps<Count>(place, tiles, p, ordered ? slots + exec::slots_per_unit * h : nullptr, room,
                                  turn);
}

template <int Count, int Threads, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count, exec::chunk_blocks(Count, Threads))
    bccoo_warp_per_tile(bccoo_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  __shared__ exec::chunk_room<Count, V> room;
  exec::let_next_begin(exec::combines_apart(a.carries));
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const unsigned h = blockIdx.x;
  int turn = 0;
  const bccoo_beside beside(a, h, ordered);
  bccoo_sum<Count>(a, h, beside, p, slots, exec::l2_policy(share), room, turn);
}

/// Asks for the bytes of a chunk to come to the L2 cache.
template <class V>
__device__ __forceinline__ void bccoo_ask_for(const bccoo_pointers<V>& a, std::int64_t from,
                                              std::int64_t to) {
#if __CUDA_ARCH__ >= 900
  const auto bytes = static_cast<unsigned>(to - from);
  if (bytes > 0)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(a.data + from), "r"(bytes) : "memory");
#endif
}

/// As many blocks as have room at once take one chunk after another; what stands beside the next one is on its way meanwhile.
template <int Count, bool Ahead, class V>
__global__ void __launch_bounds__(exec::chunk_tile / Count,
                                  exec::chunk_blocks(Count, Count == 8 ? 768 : 1024))
    bccoo_warp_per_tile_in_turn(bccoo_pointers<V> a, product<V> p, V* slots, exec::l2_share share) {
  __shared__ exec::chunk_room<Count, V> room;
  exec::let_next_begin(exec::combines_apart(a.carries));
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const auto chunks = static_cast<unsigned>(a.meta.chunks);
  int turn = 0;
  unsigned h = blockIdx.x;
  bccoo_beside beside(a, h, ordered);
  while (true) {
    const unsigned next = h + gridDim.x;
    const bccoo_beside beside_next(a, next < chunks ? next : h, ordered);
    if (Ahead && threadIdx.x == 0 && next < chunks) bccoo_ask_for(a, beside_next.offset, a.offset[next + 1]);
    // Of every eight neighbouring chunks the same few in each product, as blockIdx.x is for others.
    bccoo_sum<Count>(a, h, beside, p, slots, exec::l2_policy(share, h), room, turn);
    if (next >= chunks) return;
    h = next;
    beside = beside_next;
  }
}

}  // namespace

template <value V>
void bccoo::launch(const bccoo_pointers<V>& a, const product<V>& given, V* scratch, cuda_stream stream) {
  const auto variant = exec::chunk_variant(a.meta.device.entries_per_thread);
  const exec::l2_share share = exec::l2_share_for<V>(a.meta, a.data_bytes);
  launch_chunks(a, given, scratch, stream, "bccoo", [&](auto count, const product<V>& p) {
    constexpr int entries = count();
    const auto chunks = static_cast<unsigned>(a.meta.chunks);
    const unsigned threads = exec::chunk_threads(entries, std::min(a.meta.chunk, a.meta.nnz));
    if (variant == 0) {
      if constexpr (entries <= 4)
        bccoo_chunk_per_block<entries><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
      else
        bccoo_chunk_per_block<4>
            <<<chunks, exec::chunk_threads(4, std::min(a.meta.chunk, a.meta.nnz)), 0, stream.handle()>>>(
                a, p, scratch, share);
    } else if (variant == 1) {
      bccoo_warp_per_tile<entries, 1024><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
    } else if (variant == 5) {
      bccoo_warp_per_tile<entries, 768><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
    } else if (variant == 6) {
      bccoo_warp_per_tile<entries, 896><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
    } else if (variant == 4) {
      bccoo_warp_per_tile<entries, 1280><<<chunks, threads, 0, stream.handle()>>>(a, p, scratch, share);
    } else {
      const auto start = [&]<bool Ahead>(std::bool_constant<Ahead>) {
        const unsigned blocks =
            std::min(chunks, exec::blocks_at_once<bccoo_warp_per_tile_in_turn<entries, Ahead, V>>(threads));
        bccoo_warp_per_tile_in_turn<entries, Ahead>
            <<<blocks, threads, 0, stream.handle()>>>(a, p, scratch, share);
      };
      if (variant == 2)
        start(std::false_type());
      else
        start(std::true_type());
    }
  });
}

template void bccoo::launch(const bccoo_pointers<float>&, const product<float>&, float*, cuda_stream);
template void bccoo::launch(const bccoo_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
