// SPDX-License-Identifier: BSD-3-Clause
// A COO slice times several vectors on a CUDA device, processed by one warp. It decodes the slice once. Then
// it multiplies chunks of eight entries by up to four packs. A segmented scan over chunks adds the sums of
// rows that several chunks share. Each column is added in the order of a single product (sum_coo_rows()), so
// it has the same bits.
#pragma once

#include "exec/cuda/kernel/warp_numbers.cuh"
#include "formats/packed/cuda/pack_entries.cuh"

namespace gossamer::inline v0::formats {

/// Entries of a chunk: those that one lane adds in a single product. Also rows whose starts a thread loads.
inline constexpr int packed_entries_of_chunk = packed_max_coo_entries / packed_lanes;

/// Decodes `Groups` groups of entries from `first_group` on. Places after the last entry get the column
/// `padding_column`.
template <int Groups, packed_columns C, packed_values W, class S>
__device__ __forceinline__ void decode_coo_slice(const packed_coo_entries<S>& of, std::int32_t smallest,
                                                 int first_group, std::int32_t padding_column,
                                                 packed_decoded<S>& to) {
  using lanes = packed_coo_lanes<matrix_t<S>>;
  constexpr int width = C == packed_columns::one ? 0 : C == packed_columns::two ? 1 : 2;
  exec::packed<lanes::together> raw[Groups];
  packed_coo_values<W, S, lanes::together> values[Groups];
  matrix_t<S> constant{0};
#pragma unroll
  for (int g = 0; g < Groups; ++g) {
    const int first = (first_group + g) * lanes::stride + of.lane * lanes::together;
    raw[g] = exec::load_packed_if<width, lanes::together>(first < of.count, of.columns + (first << width),
                                                          of.policy);
    values[g].load(of, first);
  }
  if constexpr (W == packed_values::constant)
    constant = exec::load_if(true, reinterpret_cast<const matrix_t<S>*>(of.values), matrix_t<S>{0});
#pragma unroll
  for (int g = 0; g < Groups; ++g) {
    const int first = (first_group + g) * lanes::stride + of.lane * lanes::together;
    std::uint32_t column[lanes::together];
    exec::unpack(raw[g], width, column);
    matrix_t<S> value[lanes::together];
#pragma unroll
    for (int i = 0; i < lanes::together; ++i) {
      value[i] = values[g].value(of, i, constant);
      to.column[first + i] =
          first + i < of.count ? smallest + static_cast<std::int32_t>(column[i]) : padding_column;
    }
    store_pieces(to.value + first, value);
  }
}

/// A whole warp calls it.
template <class Kinds, int Groups, class S>
__device__ __forceinline__ void decode_coo_slice(const packed_slice& s, const packed_coo_entries<S>& of,
                                                 int first_group, std::int32_t padding_column,
                                                 packed_decoded<S>& to) {
  const auto smallest = static_cast<std::int32_t>(s.bases);
  const auto decode = [&]<packed_columns C>() __attribute__((always_inline)) {
    with_values<Kinds, matrix_t<S>, false>(
        s.values(), [&](auto w) __attribute__((always_inline)) {
          decode_coo_slice<Groups, C, w()>(of, smallest, first_group, padding_column, to);
        });
  };
  if (s.columns() == packed_columns::one) return decode.template operator()<packed_columns::one>();
  if (s.columns() == packed_columns::two) return decode.template operator()<packed_columns::two>();
  decode.template operator()<packed_columns::four>();
}

/// Where the rows 8 t to 8 t + 7 of a COO slice begin, in thread t.
using packed_row_starts = exec::packed<packed_entries_of_chunk>;

template <class S>
__device__ __forceinline__ packed_row_starts load_row_starts(const packed_coo_entries<S>& of) {
  const int first = of.lane * packed_entries_of_chunk;
  return exec::load_packed_if<0, packed_entries_of_chunk>(first < of.rows, of.starts + first, of.policy);
}

/// Marks the last entry of each row, and calls finish_empty(r) for each row r without entries.
template <class S, class Finish>
__device__ __forceinline__ void mark_ends_of_rows(const packed_coo_entries<S>& of,
                                                  const packed_row_starts& starts, packed_decoded<S>& to,
                                                  Finish&& finish_empty) {
  constexpr int rows = packed_entries_of_chunk;  // of a thread
  reinterpret_cast<uint4*>(to.end)[of.lane] = uint4{};
  const int first = of.lane * rows;
  std::uint32_t start[rows];
  exec::unpack(starts, 0, start);
  const std::uint32_t next = __shfl_down_sync(0xffffffffu, start[0], 1);
  __syncwarp();  // all marks are cleared
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int row = first + i;
    if (row >= of.rows) continue;
    std::uint32_t end = i + 1 < rows ? start[(i + 1) % rows] : next;
    if (row + 1 == of.rows) end = static_cast<std::uint32_t>(of.count);
    if (end > start[i])
      to.end[end - 1] = static_cast<std::uint16_t>(packed_decoded<S>::ends_row + row);
    else
      finish_empty(row);
  }
}

/// Packs whose sums have room in packed_chunk_sums.
inline constexpr int packed_coo_packs = 4;

/// Sums of the eight entries of each chunk, for each pack.
template <class V>
struct alignas(packed_piece) packed_chunk_sums {
  static constexpr int columns = packed_coo_packs * packed_piece / sizeof(V);
  V first[packed_lanes][columns];  ///< of the row that goes on from the chunk before, if it ends in the chunk
  V last[packed_lanes][columns];   ///< of the chunk's last row

  /// Where the sums of a pack begin. Their order in a chunk varies, so that threads that read the same pack
  /// of all chunks have no bank conflicts.
  template <int Width>
  static __device__ __forceinline__ int place(int chunk, int pack) {
    return ((pack ^ chunk >> 1) & (packed_coo_packs - 1)) * Width;
  }
};

/// Which entries of a chunk end and begin a row: a bit for each. Bit 8 of `begins` is that of the next chunk.
struct packed_row_ends {
  unsigned ends;
  unsigned begins;
};

template <class S>
__device__ __forceinline__ packed_row_ends row_ends_of_chunk(const packed_decoded<S>& entries, int chunk,
                                                             std::uint32_t (&row)[packed_entries_of_chunk]) {
  const uint4 words = reinterpret_cast<const uint4*>(entries.end)[chunk];
  const std::uint32_t word[] = {words.x, words.y, words.z, words.w};
  packed_row_ends to{.ends = 0, .begins = 0};
#pragma unroll
  for (int i = 0; i < packed_entries_of_chunk; ++i) {
    const std::uint32_t mark = word[i / 2] >> 16 * (i % 2);
    row[i] = mark & 0xffu;
    to.ends |= (mark >> 8 & 1u) << i;
  }
  const bool begins = chunk == 0 || entries.end[chunk * packed_entries_of_chunk - 1] != 0;
  to.begins = to.ends << 1 | (begins ? 1u : 0u);
  return to;
}

__device__ __forceinline__ double rounded_product(double a, double b) {
  return __dmul_rn(a, b);
}
__device__ __forceinline__ float rounded_product(float a, float b) {
  return __fmul_rn(a, b);
}

/// Multiplies a chunk by a thread's pack. Writes the rows of Y that begin and end in it, and leaves the other
/// sums. A product and a sum are rounded separately, as where the products pass through memory. AtOnce: how
/// many entries' elements of X are loaded together; fewer take fewer registers.
template <bool Adjacent, int AtOnce, class S, int Width>
__device__ __forceinline__ void multiply_chunk(const packed_decoded<S>& entries, int chunk,
                                               std::int32_t first_row,
                                               const exec::vector_pack<S, Width>& pack, sum_t<S>* first,
                                               sum_t<S>* last) {
  constexpr int count = packed_entries_of_chunk;
  std::uint32_t row[count];
  packed_row_ends rows{};
  sum_t<S> sum[Width] = {};
#pragma unroll
  for (int from = 0; from < count; from += AtOnce) {
    std::int32_t column[AtOnce];
    vector_t<S> x[AtOnce][Width];
    load_pieces(entries.column + chunk * count + from, column);
#pragma unroll
    for (int k = 0; k < AtOnce; ++k)
      pack.template load<Adjacent>(column[k] >= 0, exec::element_after(pack.x, column[k], pack.x_step_bytes),
                                   x[k]);
    matrix_t<S> value[AtOnce];
    load_pieces(entries.value + chunk * count + from, value);
    if (from == 0) rows = row_ends_of_chunk(entries, chunk, row);
#pragma unroll
    for (int k = 0; k < AtOnce; ++k) {
      const int i = from + k;
      const bool begins = i == 0 || (rows.begins >> i & 1u) != 0;
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        const sum_t<S> product = rounded_product(value[k], x[k][j]);
        sum[j] = begins ? product : sum[j] + product;
      }
      if ((rows.ends >> i & 1u) == 0) continue;
      if ((rows.begins & ((2u << i) - 1)) == 0)
        exec::store_adjacent(first, sum);
      else
        pack.template finish_row<Adjacent>(first_row + static_cast<std::int32_t>(row[i]), sum);
    }
  }
  exec::store_adjacent(last, sum);
}

/// Adds the sums of the chunks of each row that several chunks share, a thread for each chunk, and writes
/// these rows of Y. longest: the most chunks that such a row has before its last one. from: the chunk in
/// which the last row of chunk `thread` begins.
template <bool Adjacent, class S, int Width>
__device__ __forceinline__ void add_chunks_of_rows(const packed_chunk_sums<sum_t<S>>& sums, int thread,
                                                   int from, int longest, bool ends, std::int32_t row,
                                                   int number, const exec::vector_pack<S, Width>& pack) {
  sum_t<S> sum[Width];
  const int place = packed_chunk_sums<sum_t<S>>::template place<Width>(thread, number);
  exec::load_adjacent(&sums.last[thread][place], sum);
#pragma unroll 1
  for (int distance = 1; distance < longest; distance *= 2)
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const sum_t<S> before = __shfl_up_sync(0xffffffffu, sum[j], distance);
      if (thread - distance >= from) sum[j] += before;
    }
  sum_t<S> of_row[Width];
  exec::load_adjacent(&sums.first[thread][place], of_row);
#pragma unroll
  for (int j = 0; j < Width; ++j) of_row[j] += __shfl_up_sync(0xffffffffu, sum[j], 1);
  if (ends) pack.template finish_row<Adjacent>(row, of_row);
}

/// How many packs are multiplied together, from pack `first` on.
template <class S, int Width>
__device__ __forceinline__ int packs_at_once(const exec::vector_pack<S, Width>& all, int first) {
  return min((all.count + Width - 1) / Width - first, packed_coo_packs);
}

/// How the threads of a warp divide chunks and up to four packs: neighbours have the packs of one chunk.
__device__ __forceinline__ packed_passes<> passes_of_packs(int packs, int thread) {
  return {.log2_packs = packs > 2 ? 2 : packs - 1, .thread = thread};
}

/// Writes the rows of Y that have no entries. empty: bit i is for row 8 t + i, in thread t.
template <bool Adjacent, class S, int Width>
__device__ __forceinline__ void write_empty_rows(std::int32_t first_row, unsigned empty, int thread,
                                                 const exec::vector_pack<S, Width>& all) {
  const sum_t<S> zeros[Width] = {};
#pragma unroll 1
  for (int first = 0; first * Width < all.count; first += packed_coo_packs) {
    const auto passes = passes_of_packs(packs_at_once(all, first), thread);
    const exec::vector_pack<S, Width> pack = all.pack(first + passes.pack());
#pragma unroll 1
    for (int pass = 0; pass < passes.packs(); ++pass) {
      const int group = passes.lane(pass);  // of eight rows
      for (unsigned rows = __shfl_sync(0xffffffffu, empty, group); rows != 0; rows &= rows - 1) {
        const int row = group * packed_entries_of_chunk + __ffs(static_cast<int>(rows)) - 1;
        pack.template finish_row<Adjacent>(first_row + row, zeros);
      }
    }
  }
}

/// A whole warp calls it.
template <class Kinds, bool Adjacent, int AtOnce, class S, int Width>
__device__ __forceinline__ void multiply_coo_slice_by_packs(const packed_slice& s,
                                                            const packed_coo_entries<S>& of,
                                                            const exec::vector_pack<S, Width>& all,
                                                            packed_decoded<S>& entries,
                                                            packed_chunk_sums<sum_t<S>>& sums) {
  const packed_row_starts starts = load_row_starts(of);
  decode_coo_slice<Kinds, packed_coo_lanes<matrix_t<S>>::groups>(s, of, 0, packed_decoded<S>::none, entries);
  unsigned empty = 0;  // bit i: row 8 t + i has no entries
  mark_ends_of_rows(of, starts, entries, [&](int row) { empty |= 1u << row % packed_entries_of_chunk; });
  __syncwarp();
  if (__any_sync(0xffffffffu, empty != 0)) write_empty_rows<Adjacent>(s.row, empty, of.lane, all);
  // Thread t has what belongs to chunk t.
  std::uint32_t row[packed_entries_of_chunk];
  const packed_row_ends rows = row_ends_of_chunk(entries, of.lane, row);
  const unsigned beginners = __ballot_sync(0xffffffffu, (rows.begins & 0xffu) != 0);
  const int from = of.lane - __clz(static_cast<int>(beginners << (packed_lanes - 1 - of.lane)));
  const bool ends = (rows.begins & 1u) == 0 && rows.ends != 0;  // a row that began in an earlier chunk
  const std::int32_t ending =
      s.row +
      (entries.end[of.lane * packed_entries_of_chunk + max(__ffs(static_cast<int>(rows.ends)) - 1, 0)] &
       0xff);
  // from_before: the chunk in which the last row of the chunk before this one begins.
  const int from_before = __shfl_up_sync(0xffffffffu, from, 1);
  const int longest = exec::greatest_of_warp(ends ? of.lane - from_before : 0);
  for (int first = 0; first * Width < all.count; first += packed_coo_packs) {
    const int packs = packs_at_once(all, first);
    const auto passes = passes_of_packs(packs, of.lane);
    const exec::vector_pack<S, Width> pack = all.pack(first + passes.pack());
#pragma unroll 1
    for (int pass = 0; pass < passes.packs(); ++pass) {
      const int chunk = passes.lane(pass);
      const int place = packed_chunk_sums<sum_t<S>>::template place<Width>(chunk, passes.pack());
      multiply_chunk<Adjacent, AtOnce>(entries, chunk, s.row, pack, &sums.first[chunk][place],
                                       &sums.last[chunk][place]);
    }
    __syncwarp();
    if (longest > 0)
      for (int number = 0; number < packs; ++number)
        add_chunks_of_rows<Adjacent>(sums, of.lane, from, longest, ends, ending, number,
                                     all.pack(first + number));
    __syncwarp();  // all sums have been read
  }
}

}  // namespace gossamer::inline v0::formats
