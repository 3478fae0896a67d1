// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way (uniform.hpp) on a CUDA device, a thread block each and a warp a tile. How
// a chunk is coded is the same for its whole block, so that no threads diverge, the paper's reason for this
// layout.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/packed_loads.cuh"
#include "exec/reduction/segmented_sum.cuh"
#include "formats/common/launch_chunks.cuh"
#include "formats/papers/bccoo/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// What stands beside a chunk and is needed to ask for its entries.
struct bccoo_chunk_header {
  unsigned format;
  std::int64_t offset;
  std::int32_t smallest;  ///< column, from which the others are counted

  template <class V>
  __device__ __forceinline__ bccoo_chunk_header(const bccoo_pointers<V>& a, unsigned h)
      : format(exec::load_number_if<0>(true, a.format + h)),
        offset(exec::load_if(true, a.offset + h, std::int64_t{0})),
        smallest(exec::load_if(true, a.column + h, std::int32_t{0})) {}
};

/// The entries of a chunk as exec::sum_chunk() asks for them.
template <int Count, class S>
struct bccoo_tiles {
  using exchange = exec::warp_exchange<Count, sum_t<S>>;
  static constexpr int together = exchange::together;
  static constexpr int groups = exchange::groups;
  static constexpr int stride = exec::warp_size * together;
  static constexpr int bytes = 0;  // as a width
  using packed_group = exec::packed<together>;

  const std::uint8_t* rows;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const matrix_t<S>* table;
  const vector_t<S>* x;
  std::int32_t smallest;
  int entries;
  int row_width;
  int column_width;
  bool in_table;
  bool reads_codes;  ///< not where the table has one value
  exec::l2_policy policy;

  __device__ __forceinline__ bccoo_tiles(const bccoo_pointers<matrix_t<S>>& a,
                                         const bccoo_chunk_header& header, int of_chunk,
                                         const vector_t<S>* all_of_x, exec::l2_policy of_block)
      : table(a.lut),
        x(all_of_x),
        smallest(header.smallest),
        entries(of_chunk),
        row_width(static_cast<int>(header.format >> bccoo_uniform::row_shift & bccoo_uniform::column_width)),
        column_width(static_cast<int>(header.format & bccoo_uniform::column_width)),
        in_table((header.format & bccoo_uniform::in_table) != 0),
        reads_codes(in_table && a.lut_size > 1),
        policy(of_block) {
    // layout_of() in 32 bits: a chunk has less than 2^31 bytes.
    const int of_rows = ((entries << row_width) + 15) & ~15;
    const int of_columns = ((entries << column_width) + 15) & ~15;
    rows = a.data + header.offset;
    columns = rows + of_rows;
    values = columns + of_columns;
  }

  /// The products of a tile. Straight-line code for each way of coding, so that all columns and values are
  /// asked for before any is waited for. All: no lane is behind the last entry.
  template <int ColumnWidth, bool InTable, bool All>
  __device__ __forceinline__ void multiply(int k, int lane, sum_t<S>* room,
                                           sum_t<S> (&product)[Count]) const {
    const int first = k + exchange::first(0, lane);
    const int here = All ? exchange::tile : entries - first;  // of entry 0 of group 0 on
    const auto is_here = [&](int g, int i) { return All || here > g * stride + i; };
    const std::uint8_t* const column_at = columns + (first << ColumnWidth);
    const std::uint8_t* const value_at =
        values + (InTable ? first : first * static_cast<int>(sizeof(matrix_t<S>)));
    packed_group c[groups];
    packed_group codes[groups];
    matrix_t<S> v[groups][together] = {};
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      c[g] = exec::load_packed_if<ColumnWidth, together>(is_here(g, 0),
                                                         column_at + (g * stride << ColumnWidth), policy);
      if constexpr (InTable)
        codes[g] = exec::load_packed_if<bytes, together>(reads_codes && is_here(g, 0), value_at + g * stride,
                                                         policy);
      else
        exec::load_piece(is_here(g, 0), reinterpret_cast<const matrix_t<S>*>(value_at) + g * stride, v[g],
                         policy);
    }
    const vector_t<S>* const from = first_of_x();
    vector_t<S> xs[groups][together];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      std::uint32_t column[together];
      exec::unpack(c[g], ColumnWidth, column);
#pragma unroll
      for (int i = 0; i < together; ++i)
        xs[g][i] = exec::load_if(is_here(g, i), from + column[i], vector_t<S>{0});
    }
    if constexpr (InTable) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        std::uint32_t code[together];
        exec::unpack(codes[g], bytes, code);
#pragma unroll
        for (int i = 0; i < together; ++i) v[g][i] = exec::load_if(true, table + code[i], matrix_t<S>{0});
      }
    }
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int i = 0; i < together; ++i)
        product[g * together + i] = is_here(g, i) ? v[g][i] * xs[g][i] : sum_t<S>{0};
    if constexpr (exchange::is_needed)
#pragma unroll
      for (int g = 0; g < groups; ++g) exchange::put(room, g, lane, product + g * together);
  }

  template <bool All>
  __device__ __forceinline__ void multiply(int k, int lane, sum_t<S>* room,
                                           sum_t<S> (&product)[Count]) const {
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
  [[nodiscard]] __device__ __forceinline__ exec::packed<Count> load_rows_early(int k, bool some,
                                                                               std::uint32_t& before) const {
    const std::uint8_t* const at = rows + (k << RowWidth);
    before = exec::load_number_if<RowWidth>(k > 0 && some, at - (1 << RowWidth));
    return exec::load_packed_if<RowWidth, Count>(some, at, policy);
  }

  __device__ __forceinline__ std::int32_t load(int k, int lane, sum_t<S>* room, std::int32_t (&row)[Count],
                                               sum_t<S> (&product)[Count]) const {
    const int mine = k + lane * Count;
    const bool some = mine < entries;
    // Rows of 4 bytes, which are rare, are asked for when the products are there: they would take the
    // registers that those need.
    constexpr int words = Count / 2;
    std::uint32_t raw[words] = {};
    std::uint32_t before = 0;
    const auto load_with_width = [&]<int RowWidth>(std::integral_constant<int, RowWidth>) {
      const exec::packed<Count> r = load_rows_early<RowWidth>(mine, some, before);
#pragma unroll
      for (int i = 0; i < words; ++i) raw[i] = r.word[i];
    };
    if (row_width == 0) load_with_width(std::integral_constant<int, 0>());
    if (row_width == 1) load_with_width(std::integral_constant<int, 1>());
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
      r = load_rows_early<2>(mine, some, before);
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

  /// Of the smallest column, which is not waited for before all that is asked for is.
  [[nodiscard]] __device__ __forceinline__ const vector_t<S>* first_of_x() const {
    std::int32_t column = smallest;
    asm volatile("" : "+r"(column));
    const vector_t<S>* from = x + column;
    asm volatile("" : "+l"(from));  // else the column is added to each entry's
    return from;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t last_row() const {
    const std::uint8_t* const at = rows + ((entries - 1) << row_width);
    if (row_width == 0) return static_cast<std::int32_t>(exec::load_number_if<0>(true, at));
    if (row_width == 1) return static_cast<std::int32_t>(exec::load_number_if<1>(true, at));
    return static_cast<std::int32_t>(exec::load_number_if<2>(true, at));
  }
};

template <int Count, class S>
__global__ void __launch_bounds__(exec::chunk_tile / Count, exec::chunk_blocks(Count))
    bccoo_warp_per_tile(bccoo_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots, exec::l2_share share) {
  exec::trigger_dependents(exec::combines_apart(a.carries));
  const unsigned h = blockIdx.x;
  const bccoo_chunk_header header(a, h);
  const exec::chunk_place place = place_of_chunk(a, h, a.row + h, a.row + h + 1);
  const bccoo_tiles<Count, S> tiles(a, header, place.entries, p.x, exec::l2_policy(share));
  exec::sum_chunk<Count>(place, tiles, p, slots_of_chunk(a, h, slots));
}

}  // namespace

template <scalar_types S>
void bccoo::launch(const bccoo_pointers<matrix_t<S>>& a, const product<S>& given, sum_t<S>* scratch,
                   cuda_stream stream) {
  const exec::l2_share share = exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes);
  launch_chunks(a, given, scratch, stream, "bccoo", [&](auto count, const product<S>& p) {
    constexpr int entries = count();
    bccoo_warp_per_tile<entries>
        <<<static_cast<unsigned>(a.meta.chunks),
           exec::chunk_threads(entries, std::min(a.meta.chunk, a.meta.nnz)), 0, stream.handle()>>>(
            a, p, scratch, share);
  });
}

GOSSAMER_INSTANTIATE_LAUNCH(bccoo, std::int64_t)

}  // namespace gossamer::inline v0::formats
