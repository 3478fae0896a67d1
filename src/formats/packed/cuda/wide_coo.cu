// SPDX-License-Identifier: BSD-3-Clause
// COO slices times many columns on a CUDA device: 8, 16 or 32 packs, a *wide* product. A block multiplies one
// slice, and decodes each of its entries once. Then its threads form teams, one thread for each pack. A team
// multiplies some of the slice's chunks, and all of its threads process the same entries. So they read a row
// of X together, and do not diverge at the end of a row of the matrix. Each column is added in the order of a
// single product (sum_coo_rows()), so it has the same bits.
#include <cstdint>

#include "formats/packed/cuda/kernel.cuh"
#include "formats/packed/cuda/pack_coo_slice.cuh"
#include "formats/packed/cuda/wide_coo.hpp"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// How the threads of a block form teams.
template <int Packs, int ThreadsOfBlock>
struct wide_teams {
  static constexpr int packs = Packs;  ///< and threads of a team
  static constexpr int threads_of_block = ThreadsOfBlock;
  static constexpr int chunks_of_team = packed_lanes * Packs / ThreadsOfBlock;
};

/// Threads that a multiprocessor must be able to hold. With more, each has fewer registers than the kernel
/// needs.
inline constexpr int wide_threads_of_multiprocessor = 640;

/// A slice, in the shared memory of its block.
template <class S, int Columns>
struct wide_slice {
  static constexpr int none = packed_lanes;  ///< instead of a chunk

  packed_decoded<S> entries;
  std::uint8_t ends[packed_lanes];   ///< bit i of element c: entry i of chunk c is the last of its row
  std::uint8_t empty[packed_lanes];  ///< bit i of element c: row 8 c + i has no entries
  unsigned ending_chunks;            ///< bit c: a row ends in chunk c
  /// For each chunk and column, the sum of the row that goes on in the next chunk, if it has chunks of
  /// several teams.
  alignas(packed_piece) sum_t<S> sum[packed_lanes][Columns];

  /// Whether the last entry of a chunk is the last of its row.
  [[nodiscard]] __device__ __forceinline__ bool ends_with_row(int chunk) const {
    return ends[chunk] >> (packed_entries_of_chunk - 1) != 0;
  }
  /// The next chunk in which a row ends, or none.
  [[nodiscard]] __device__ __forceinline__ int next_end(int chunk) const {
    const unsigned later = ending_chunks >> chunk >> 1;
    return later == 0 ? none : chunk + __ffs(static_cast<int>(later));
  }
  /// The chunk in which the first row begins that ends in `chunk`. There is one.
  [[nodiscard]] __device__ __forceinline__ int begin_of_row(int chunk) const {
    const unsigned earlier = ending_chunks & ((1u << chunk) - 1);
    if (earlier == 0) return 0;
    const int last = packed_lanes - 1 - __clz(static_cast<int>(earlier));
    return ends_with_row(last) ? last + 1 : last;
  }
};

/// Reads where rows end, and which are empty. A whole warp calls it.
template <class S, int Columns>
__device__ __forceinline__ void mark_rows(const packed_coo_entries<S>& of, wide_slice<S, Columns>& slice) {
  unsigned empty = 0;
  mark_ends_of_rows(of, load_row_starts(of), slice.entries,
                    [&](int row) { empty |= 1u << row % packed_entries_of_chunk; });
  __syncwarp();
  const uint4 marks = reinterpret_cast<const uint4*>(slice.entries.end)[of.lane];
  const std::uint32_t word[] = {marks.x, marks.y, marks.z, marks.w};
  static_assert(packed_decoded<S>::ends_row == 1u << 8);
  unsigned ends = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) ends |= (word[i] >> 8 & 1u) << 2 * i | (word[i] >> 24 & 1u) << (2 * i + 1);
  slice.ends[of.lane] = static_cast<std::uint8_t>(ends);
  slice.empty[of.lane] = static_cast<std::uint8_t>(empty);
  const unsigned chunks = __ballot_sync(0xffffffffu, ends != 0);
  if (of.lane == 0) slice.ending_chunks = chunks;
}

/// Adds the sums of a row's chunks before its last chunk, in the order of the scan over lanes in
/// sum_coo_rows(). It is a binary tree whose last leaf is the last of these chunks. For five chunks:
/// c0 + ((c1 + c2) + (c3 + c4)).
template <class V, int Width>
class wide_tree {
 public:
  /// Called for each of the row's `chunks`, from the first to the last. after: how many of them follow this
  /// one. After the last call, `sum` is the sum of all.
  __device__ __forceinline__ void add(int after, int chunks, V (&sum)[Width]) {
#pragma unroll 1
    for (int level = 0; 1 << level < chunks; ++level) {
      if ((after >> level & 1) != 0) return exec::store_adjacent(left_[level], sum);
      if (after + (1 << level) >= chunks) continue;
#pragma unroll
      for (int j = 0; j < Width; ++j) sum[j] += left_[level][j];
    }
  }

 private:
  static constexpr int levels = 5;
  static_assert(1 << levels == packed_lanes);
  /// The sum of at most 1 << level chunks, until that of as many later ones is known.
  alignas(packed_piece) V left_[levels][Width];
};

/// A thread multiplies the chunks of its team by its pack. All threads of a block call it, and wait for each
/// other.
template <class Teams, class S, int Width, int Columns>
__device__ __forceinline__ void multiply_chunks(wide_slice<S, Columns>& slice, int count,
                                                std::int32_t first_row, int team, int thread,
                                                const exec::vector_pack<S, Width>& pack) {
  constexpr int size = packed_entries_of_chunk;
  const packed_decoded<S>& entries = slice.entries;
  wide_tree<sum_t<S>, Width> tree;
  const int first = team * Teams::chunks_of_team;
  const int behind_last = min(first + Teams::chunks_of_team, (count + size - 1) / size);
  const auto finish = [&](int entry, const sum_t<S>(&sum)[Width]) {
    pack.template finish_row<true>(first_row + (entries.end[entry] & 0xff), sum);
  };
  // The open row began in an earlier chunk, and has not ended.
  bool is_open = first > 0 && first < behind_last && !slice.ends_with_row(first - 1);
  bool spans_teams = is_open;  // it has chunks of several teams
  int began = first;
  sum_t<S> before[Width];  // its sum up to this chunk, unless it spans teams
  // The last entry of a row that spans teams, and that row's sum in the last chunk. A team has at most one.
  int shared_end = -1;
  sum_t<S> of_shared_end[Width];
#pragma unroll 1
  for (int chunk = first; chunk < behind_last; ++chunk) {
    std::int32_t column[size];
    vector_t<S> x[size][Width];
    matrix_t<S> value[size];
    load_pieces(entries.column + chunk * size, column);
#pragma unroll
    for (int i = 0; i < size; ++i)
      pack.template load<true>(true, exec::element_after(pack.x, column[i], pack.x_step_bytes), x[i]);
    load_pieces(entries.value + chunk * size, value);
    const int ends = slice.ends[chunk];
    const int end_of_open = is_open ? ends & -ends : 0;  // the lowest bit that is set
    // Sums begin with -0, so that adding a first product of -0 gives -0.
    sum_t<S> sum[Width];
    sum_t<S> of_open[Width];
#pragma unroll
    for (int j = 0; j < Width; ++j) sum[j] = -sum_t<S>{0};
#pragma unroll
    for (int i = 0; i < size; ++i) {
#pragma unroll
      for (int j = 0; j < Width; ++j) sum[j] += rounded_product(value[i], x[i][j]);
      if ((ends >> i & 1) == 0) continue;
      if ((end_of_open >> i & 1) == 0) finish(chunk * size + i, sum);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if ((end_of_open >> i & 1) != 0) of_open[j] = sum[j];
        sum[j] = -sum_t<S>{0};
      }
    }
    if (end_of_open != 0) {
      const int entry = chunk * size + __ffs(end_of_open) - 1;
      if (spans_teams) {
        shared_end = entry;
#pragma unroll
        for (int j = 0; j < Width; ++j) of_shared_end[j] = of_open[j];
      } else {
#pragma unroll
        for (int j = 0; j < Width; ++j) of_open[j] += before[j];
        finish(entry, of_open);
      }
      is_open = spans_teams = false;
    }
    if (ends >> (size - 1) != 0) continue;
    const int end = slice.next_end(chunk);
    if (end == slice.none) break;  // the rest of the chunk is padding
    if (!is_open) began = chunk;
    is_open = true;
    spans_teams = spans_teams || end >= first + Teams::chunks_of_team;
    if (spans_teams) {
      exec::store_adjacent(&slice.sum[chunk][thread * Width], sum);
      continue;
    }
    tree.add(end - 1 - chunk, end - began, sum);
#pragma unroll
    for (int j = 0; j < Width; ++j) before[j] = sum[j];
  }
  __syncthreads();
  if (shared_end < 0) return;
  const int end = shared_end / size;
  began = slice.begin_of_row(end);
#pragma unroll 1
  for (int chunk = began; chunk < end; ++chunk) {
    exec::load_adjacent(&slice.sum[chunk][thread * Width], before);
    tree.add(end - 1 - chunk, end - began, before);
  }
#pragma unroll
  for (int j = 0; j < Width; ++j) of_shared_end[j] += before[j];
  finish(shared_end, of_shared_end);
}

/// A block multiplies a slice. is_second: the previous kernel belongs to the same product, and both overlap.
template <class Teams, class S, int Width>
__global__ void __launch_bounds__(Teams::threads_of_block,
                                  wide_threads_of_multiprocessor / Teams::threads_of_block)
    packed_multiply_wide_coo(packed_pointers<matrix_t<S>> a, exec::vector_pack<S, Width> all,
                             exec::l2_share share, bool is_second) {
  using kinds = packed_kinds<false, true, false, true, true>;
  __shared__ matrix_t<S> table[packed_most_in_table];
  __shared__ wide_slice<S, Teams::packs * Width> slice;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(a.table_size); i += blockDim.x)
    table[i] = a.table[i];
  const packed_slice s = packed_load_header(a.slice + (a.meta.slices - a.meta.coo_slices + blockIdx.x));
  if (a.table_size > 0) __syncthreads();
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const packed_coo_entries<S> of{.starts = data,
                                 .columns = data + s.columns_at,
                                 .values = data + s.values_at,
                                 .x = nullptr,
                                 .table = table,
                                 .rows = s.rows(),
                                 .count = s.steps,
                                 .lane = static_cast<int>(threadIdx.x) % exec::warp_size,
                                 .waits_late = false,
                                 .policy = exec::l2_policy(share),
                                 .half = a.half,
                                 .dependent = {.triggers_late = false}};
  constexpr int warps = Teams::threads_of_block / exec::warp_size;
  constexpr int load_groups = packed_coo_lanes<matrix_t<S>>::groups;
  constexpr int groups_of_warp = std::max(1, load_groups / warps);
  if (warp == warps - 1) mark_rows(of, slice);
  // Places after the last entry get a valid column, so that loads of X need no predicate. Their products are
  // not used, since they follow the end of the last row.
  const auto no_entry = static_cast<std::int32_t>(s.bases);
  const int first_group = warp * groups_of_warp;
  if (first_group < load_groups)
    decode_coo_slice<kinds, groups_of_warp>(s, of, first_group, no_entry, slice.entries);
  // A first kernel's blocks have waited before they let this one begin, so X and Y of earlier work are
  // complete. This one waits for the first at its end, so that what waits for this one waits for both.
  if (is_second)
    exec::trigger_dependents(true);
  else
    exec::wait_and_trigger();
  __syncthreads();
  const int team = static_cast<int>(threadIdx.x) / Teams::packs;
  const int thread = static_cast<int>(threadIdx.x) % Teams::packs;
  exec::vector_pack<S, Width> pack = all.pack(thread);
  pack.count = Width;  // known to the compiler
#pragma unroll 1
  for (int i = team * Teams::chunks_of_team; i < (team + 1) * Teams::chunks_of_team; ++i)
    for (unsigned empty = slice.empty[i]; empty != 0; empty &= empty - 1) {
      const sum_t<S> zeros[Width] = {};
      const int row = i * packed_entries_of_chunk + __ffs(static_cast<int>(empty)) - 1;
      pack.template finish_row<true>(s.row + row, zeros);
    }
  multiply_chunks<Teams>(slice, of.count, s.row, team, thread, pack);
  if (is_second) exec::wait_for_previous();
}

}  // namespace

template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool is_second, cuda_stream stream) {
  constexpr int width = 16 / sizeof(vector_t<S>);
  const auto start = [&]<class Teams>() {
    exec::launch_dependent<packed_multiply_wide_coo<Teams, S, width>>(
        "packed", static_cast<unsigned>(a.meta.coo_slices), Teams::threads_of_block, 0, stream, a,
        exec::packs_of<width>(p), exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes), is_second);
  };
  // With these blocks a team has 4 or 8 chunks. With fewer, more rows would span teams.
  switch (p.columns / width) {
    case 8:
      return start.template operator()<wide_teams<8, 64>>();
    case 16:
      return start.template operator()<wide_teams<16, 64>>();
    case 32:
      if constexpr (32 * width <= packed::columns_at_once) start.template operator()<wide_teams<32, 128>>();
  }
}

#define GOSSAMER_INSTANCE(S)                                                       \
  template void packed_multiply_wide_coo_slices(const packed_pointers<S::matrix>&, \
                                                const columns_product<S>&, bool, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
