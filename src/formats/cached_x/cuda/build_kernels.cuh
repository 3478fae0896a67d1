// SPDX-License-Identifier: BSD-3-Clause
// The kernels that build cached_x on a CUDA device: they assign slots to entries, find the ends of pieces,
// and write the arrays. One thread processes one entry, slot, piece, row or column, unless stated otherwise.
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/kernel/rows_of_entries.cuh"
#include "formats/cached_x/cuda/lane_place.cuh"
#include "formats/cached_x/storage.hpp"
#include "formats/common/device_value_table.cuh"

namespace gossamer::inline v0::formats {
namespace {

constexpr int threads = 256;
constexpr int chunks_of_block = threads / exec::warp_size;

__device__ __forceinline__ std::int64_t thread_number() {
  return static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
}
unsigned blocks_of(std::int64_t items) {
  return exec::blocks_for(items, threads);
}
/// The row of each entry.
template <class O>
__global__ void find_rows(const O* row_ptr, std::int64_t rows, std::int64_t nnz, std::int32_t* row) {
  const std::int32_t mine = exec::row_of_thread<threads>(row_ptr, rows, nnz);
  if (thread_number() < nnz) row[thread_number()] = mine;
}

/// The panel and the index of each entry. Sets *unordered if a row is not in the order of panels.
template <class O>
__global__ void find_panels(const std::int32_t* col, const std::int32_t* row, std::int64_t nnz,
                            std::int64_t width, std::uint32_t* panel, O* number, int* unordered) {
  const std::int64_t k = thread_number();
  if (k >= nnz) return;
  panel[k] = static_cast<std::uint32_t>(col[k] / width);
  number[k] = static_cast<O>(k);
  if (k > 0 && row[k] == row[k - 1] && col[k] / width < col[k - 1] / width) *unordered = 1;
}

/// begin[key] is the first of `size` sorted elements that is not less than `key`, for 0 <= key <= count.
template <class Key, class O>
__global__ void find_begins(const Key* sorted, std::int64_t size, std::int64_t count, O* begin) {
  const std::int64_t key = thread_number();
  if (key > count) return;
  std::int64_t low = 0;
  for (std::int64_t high = size; low < high;) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(sorted[middle]) < key)
      low = middle + 1;
    else
      high = middle;
  }
  begin[key] = static_cast<O>(low);
}

/// Writes the row and index of each entry into its slot. The entries are sorted by panel.
template <class O>
__global__ void place_in_panels(const std::uint32_t* panel, const O* number, const std::int32_t* row,
                                std::int64_t nnz, const std::int64_t* panel_begin,
                                const std::int32_t* panel_chunk, std::int32_t* row_of_slot,
                                O* entry_of_slot) {
  const std::int64_t q = thread_number();
  if (q >= nnz) return;
  const std::int64_t slot =
      std::int64_t{panel_chunk[panel[q]]} * cached_x_chunk + (q - panel_begin[panel[q]]);
  row_of_slot[slot] = row[number[q]];
  entry_of_slot[slot] = number[q];
}

/// Adds the number of entries of each column to `count`.
__global__ void count_columns(const std::int32_t* col, std::int64_t nnz, std::uint32_t* count) {
  if (thread_number() < nnz) atomicAdd(count + col[thread_number()], 1u);
}
template <class T>
__global__ void iota(std::int64_t size, T* number) {
  if (thread_number() < size) number[thread_number()] = static_cast<T>(thread_number());
}
/// The code of each frequent column: its index in `frequent`, with the flag.
__global__ void encode_frequent(const std::int32_t* frequent, std::int64_t size, std::uint32_t* code) {
  if (thread_number() < size)
    code[frequent[thread_number()]] = cached_x_is_frequent | static_cast<std::uint32_t>(thread_number());
}

/// Whether the entry in a slot is the last of its piece.
__device__ __forceinline__ bool ends_piece(const std::int32_t* row_of_slot, std::int64_t chunks,
                                           std::int64_t segment, std::int64_t slot) {
  const std::int32_t row = row_of_slot[slot];
  return row >= 0 && ((slot + 1) % (segment * cached_x_chunk) == 0 || slot + 1 == chunks * cached_x_chunk ||
                      row_of_slot[slot + 1] != row);
}

/// The end bits of each lane's eight entries, and the number of pieces that end in each chunk. A thread
/// processes a lane.
__global__ void find_ends(const std::int32_t* row_of_slot, std::int64_t chunks, std::int64_t segment,
                          std::uint8_t* ends, std::int32_t* pieces) {
  const std::int64_t lane = thread_number();
  const std::int64_t chunk = lane / cached_x_lanes;
  if (chunk >= chunks) return;
  unsigned bits = 0;
  for (int j = 0; j < cached_x_of_lane; ++j)
    if (ends_piece(row_of_slot, chunks, segment, lane * cached_x_of_lane + j)) bits |= 1u << j;
  ends[lane] = static_cast<std::uint8_t>(bits);
  const int all = exec::sum_lanes<cached_x_lanes>(__popc(bits));
  if (lane % cached_x_lanes == 0) pieces[chunk] = all;
}

/// The row of each piece, its number of entries in the chunk in which it ends, and the number of pieces of
/// each row. A warp processes a chunk.
__global__ void list_pieces(const std::int32_t* row_of_slot, const std::uint8_t* ends,
                            const std::int32_t* chunk_piece, std::int64_t chunks, std::int32_t* row,
                            std::int32_t* entries, std::int32_t* of_row) {
  const std::int64_t chunk = thread_number() / cached_x_lanes;
  if (chunk >= chunks) return;
  const int lane = static_cast<int>(threadIdx.x) % cached_x_lanes;
  const unsigned mine = ends[chunk * cached_x_lanes + lane];
  const lane_place place = place_of_lane(mine, lane);
  int begin = place.begin;
  std::int64_t piece = chunk_piece[chunk] + place.pieces_before;
  for (int j = 0; j < cached_x_of_lane; ++j) {
    if ((mine >> j & 1u) == 0) continue;
    const int k = lane * cached_x_of_lane + j;
    row[piece] = row_of_slot[chunk * cached_x_chunk + k];
    entries[piece] = k + 1 - begin;
    atomicAdd(of_row + row[piece], 1);
    ++piece;
    begin = k + 1;
  }
}

/// Sums over rows. `runs` counts the rows of several pieces, `sums` their pieces.
struct row_amounts {
  std::int32_t pieces;
  std::int32_t sums;
  std::int32_t runs;
  std::int32_t empty;

  __host__ __device__ friend row_amounts operator+(const row_amounts& a, const row_amounts& b) {
    return {a.pieces + b.pieces, a.sums + b.sums, a.runs + b.runs, a.empty + b.empty};
  }
};
struct add_amounts {
  __host__ __device__ row_amounts operator()(const row_amounts& a, const row_amounts& b) const {
    return a + b;
  }
};

/// The amounts of each row, from its number of pieces. The last element, amounts[rows], is not used.
__global__ void count_row_amounts(const std::int32_t* of_row, std::int64_t rows, row_amounts* amounts) {
  const std::int64_t i = thread_number();
  if (i > rows) return;
  const std::int32_t n = i < rows ? of_row[i] : 1;
  amounts[i] = {.pieces = n, .sums = n > 1 ? n : 0, .runs = n > 1 ? 1 : 0, .empty = n == 0 ? 1 : 0};
}

/// The empty rows, and the carries of rows of several pieces. `before` has the sums over all earlier rows.
__global__ void list_empty_rows_and_carries(const std::int32_t* of_row, const row_amounts* before,
                                            std::int64_t rows, std::int32_t* empty, std::int32_t* carry_row,
                                            std::int64_t* first, std::int64_t* last) {
  const std::int64_t i = thread_number();
  if (i >= rows) return;
  if (of_row[i] == 0) empty[before[i].empty] = static_cast<std::int32_t>(i);
  if (of_row[i] <= 1) return;
  const std::int32_t run = before[i].runs;
  carry_row[run] = static_cast<std::int32_t>(i);
  first[run] = before[i].sums;
  last[run] = before[i].sums + of_row[i];
}

/// The target of each piece. Thread q has piece[q], the q-th piece in the order of rows, which is of row[q].
__global__ void set_targets(const std::int32_t* row, const std::int32_t* piece, std::int64_t pieces,
                            const row_amounts* before, const std::int32_t* of_row, std::int32_t* target) {
  const std::int64_t q = thread_number();
  if (q >= pieces) return;
  const row_amounts& here = before[row[q]];
  target[piece[q]] = of_row[row[q]] == 1 ? row[q] : ~(here.sums + static_cast<std::int32_t>(q) - here.pieces);
}
__global__ void gather(const std::int32_t* from, const std::int32_t* at, std::int64_t size,
                       std::int64_t* to) {
  if (thread_number() < size) to[thread_number()] = from[at[thread_number()]];
}
/// The entries of its row that precede each piece. before[q]: the entries of all pieces before the q-th piece
/// in the order of rows.
template <class O>
__global__ void set_piece_entries(const std::int32_t* row, const std::int32_t* piece,
                                  const std::int64_t* before, std::int64_t pieces, const O* row_ptr,
                                  std::int32_t* piece_entry) {
  const std::int64_t q = thread_number();
  if (q < pieces)
    piece_entry[piece[q]] = static_cast<std::int32_t>(before[q] - static_cast<std::int64_t>(row_ptr[row[q]]));
}

/// The entry in each slot: `entry`, or if that is null, the number of the slot (frequent columns).
template <class O>
struct entries_of_slots {
  const std::int32_t* row_of_slot;
  const O* entry;

  [[nodiscard]] __device__ bool has_entry(std::int64_t slot) const { return row_of_slot[slot] >= 0; }
  [[nodiscard]] __device__ std::int64_t operator[](std::int64_t slot) const {
    return entry == nullptr ? slot : static_cast<std::int64_t>(entry[slot]);
  }
};

template <class O>
__global__ void write_columns(entries_of_slots<O> of, std::int64_t slots, const std::int32_t* col,
                              std::int64_t width, std::uint16_t* column) {
  const std::int64_t slot = thread_number();
  if (slot < slots)
    column[slot] = of.has_entry(slot) ? static_cast<std::uint16_t>(col[of[slot]] % width) : std::uint16_t{0};
}
__global__ void write_wide_columns(const std::int32_t* col, const std::uint32_t* code, std::int64_t nnz,
                                   std::int64_t slots, std::uint32_t* column) {
  const std::int64_t slot = thread_number();
  if (slot < slots) column[slot] = slot < nnz ? code[col[slot]] : 0u;
}
template <class O>
__global__ void write_entries(entries_of_slots<O> of, std::int64_t slots, const O* row_ptr,
                              std::int32_t* entry) {
  const std::int64_t slot = thread_number();
  if (slot < slots)
    entry[slot] =
        of.has_entry(slot)
            ? static_cast<std::int32_t>(of[slot] - static_cast<std::int64_t>(row_ptr[of.row_of_slot[slot]]))
            : 0;
}
template <class V, class O>
__global__ void write_values(entries_of_slots<O> of, std::int64_t slots, const V* val, V* to) {
  const std::int64_t slot = thread_number();
  if (slot >= slots) return;
  const int k = static_cast<int>(slot % cached_x_chunk);
  to[slot - k + cached_x_place(k, sizeof(V))] = of.has_entry(slot) ? val[of[slot]] : V{0};
}
template <class V, class O>
__global__ void write_codes(entries_of_slots<O> of, std::int64_t slots, const V* val,
                            const device_value_table<V>* table, std::uint8_t* code) {
  const std::int64_t slot = thread_number();
  if (slot < slots)
    code[slot] = of.has_entry(slot) ? static_cast<std::uint8_t>(find_in_table(*table, val[of[slot]]))
                                    : std::uint8_t{0};
}
template <class V>
__global__ void find_missing(const V* val, std::int64_t nnz, const device_value_table<V>* table,
                             int* missing) {
  if (thread_number() < nnz && find_in_table(*table, val[thread_number()]) < 0) *missing = 1;
}

}  // namespace
}  // namespace gossamer::inline v0::formats
