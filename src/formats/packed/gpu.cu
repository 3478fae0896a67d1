// SPDX-License-Identifier: BSD-3-Clause
// Coded slices on a CUDA device: a lane is a lane of a warp, and one or more warps take the steps of a slice in turns.
#include "exec/l2_share.cuh"
#include "exec/overlap.cuh"
#include "exec/prefetch.cuh"
#include "formats/packed/diagonals.cuh"
#include "formats/packed/entries.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int most_in_table = 256;
constexpr int usual_threads = 128;  // of a block, or as many as the warps of a slice have
constexpr int most_threads = 256;
/// That one multiprocessor must have room for, which sets the registers: 64 for 4 blocks, 48 for 5, 40 for 6.
template <class V>
constexpr int least_blocks(bool lanes, bool entries) {
  if (!entries) return 0;  // ptxas's own choice: 64 and, for f32, 48 without spills
  if (lanes) return 4;
  return sizeof(V) > sizeof(float) ? 5 : 6;
}

/// When a product asks for what, by the size of the matrix alone (docs/formats/packed.md, "Turns").
struct packed_asks {
  /// For the coded bytes and x at the very start, so that of empty caches one load is waited for and not three in turn.
  bool ahead;
  /// Entries: for columns and values before it is its turn. In a small matrix most of its warps are there by then.
  bool late;

  static packed_asks of(std::int64_t matrix_bytes, std::int64_t vector_bytes) {
    constexpr std::int64_t most_ahead = 6 << 20;
    constexpr std::int64_t most_late = 16 << 20;
    return {.ahead = matrix_bytes + vector_bytes <= most_ahead, .late = matrix_bytes <= most_late};
  }
};

__device__ __forceinline__ packed_slice load_slice(const packed_slice* from) {
  const uint4 first = __ldg(reinterpret_cast<const uint4*>(from));
  const uint4 second = __ldg(reinterpret_cast<const uint4*>(from) + 1);
  packed_slice s;
  s.at = first.x;
  s.row = static_cast<std::int32_t>(first.y);
  s.steps = static_cast<std::uint16_t>(first.z & 0xffffu);
  s.shortest = static_cast<std::uint16_t>(first.z >> 16);
  s.bits = first.w;
  s.masks = second.x;
  s.columns_at = second.y;
  s.values_at = second.z;
  s.bases = second.w;
  return s;
}

/// What a block has of shared memory beside the table: sums of its threads where warps share a slice, and behind them a room for each warp where
/// there are slices of entries.
constexpr unsigned bytes_of_sums(int warps, unsigned threads, unsigned value_bytes) {
  return warps > 1 ? threads * packed_rows_of_lane * value_bytes : 0;
}
template <class V>
constexpr unsigned bytes_of_rooms(bool has_entries, unsigned threads) {
  return has_entries ? threads / exec::warp_size * static_cast<unsigned>(sizeof(packed_entry_room<V>)) : 0;
}

/// Blocks of so many threads whose warps have slices in lanes.
__host__ __device__ constexpr unsigned blocks_in_lanes(const packed_meta& meta, unsigned threads) {
  const unsigned warps = threads / exec::warp_size;
  return ((static_cast<unsigned>(meta.slices - meta.of_entries) << meta.log2_warps) + warps - 1) / warps;
}

/// Adds what the warps of a slice have, in their order, in the first of them. A whole block calls it.
template <class V>
__device__ __forceinline__ void add_warps(int warps, int rows, V* sums, V (&sum)[packed_rows_of_lane]) {
#pragma unroll
  for (int r = 0; r < packed_rows_of_lane; ++r)
    if (r < rows) sums[r * blockDim.x + threadIdx.x] = sum[r];
  __syncthreads();
  if ((static_cast<int>(threadIdx.x) / exec::warp_size & (warps - 1)) != 0) return;
  for (int w = 1; w < warps; ++w)
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r)
      if (r < rows) sum[r] += sums[r * blockDim.x + threadIdx.x + w * exec::warp_size];
}

/// Lanes, Entries: which kinds of slices there are; Halves: whether some have values of 2 bytes. Code for all takes more registers than code for some.
template <bool Lanes, bool Entries, bool Halves, class V>
__global__ void __launch_bounds__(most_threads, least_blocks<V>(Lanes, Entries))
    packed_warps_per_slice(packed_pointers<V> a, product<V> p, V* slots, exec::l2_share share,
                           packed_asks asks) {
  if (asks.ahead && threadIdx.x == 0) exec::prefetch_share(a.data, a.data_bytes);
  if (asks.ahead && threadIdx.x == exec::warp_size)
    exec::prefetch_share(p.x, a.meta.cols * static_cast<std::int64_t>(sizeof(V)));
  __shared__ V table[most_in_table];
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int warps = 1 << a.meta.log2_warps;
  // A slice in lanes has `warps` warps; those of entries come behind all of them, in blocks of their own, and have one each. So all warps of a
  // block go the same way, and meet at its barriers.
  const unsigned number = blockIdx.x * (blockDim.x / exec::warp_size) + static_cast<unsigned>(warp);
  const auto in_lanes = static_cast<unsigned>(a.meta.slices - a.meta.of_entries);
  const bool is_in_lanes = Lanes && (!Entries || blockIdx.x < blocks_in_lanes(a.meta, blockDim.x));
  const int part = is_in_lanes ? warp & (warps - 1) : 0;
  unsigned index = number >> a.meta.log2_warps;
  if (is_in_lanes && index >= in_lanes) index = static_cast<unsigned>(a.meta.slices);
  if (!is_in_lanes)
    index = number - (Lanes ? blocks_in_lanes(a.meta, blockDim.x) * (blockDim.x / exec::warp_size) : 0u) +
            in_lanes;
  packed_slice s;  // without steps and rows where there is none left
  if (index < static_cast<unsigned>(a.meta.slices)) s = load_slice(a.slice + index);
  if (a.table_size > 0) {
    // Both at once: of a loop ptxas makes loads that wait for each other.
    static_assert(most_in_table <= 2 * usual_threads);
    const auto size = static_cast<unsigned>(a.table_size);
    const unsigned first = threadIdx.x;
    const unsigned second = first + blockDim.x;
    const V one = exec::load_if(first < size, a.table + first, V{0});
    const V other = exec::load_if(second < size, a.table + second, V{0});
    table[first] = one;
    if (second < most_in_table) table[second] = other;
    __syncthreads();
  }
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const exec::l2_policy policy(share);
  V sum[packed_rows_of_lane] = {};
  V* const sums = reinterpret_cast<V*>(shared);
  if (Entries && !is_in_lanes) {
    if (index >= static_cast<unsigned>(a.meta.slices)) return;
    if (!asks.late) exec::take_turn();
    auto* const rooms = reinterpret_cast<packed_entry_room<V>*>(
        shared + bytes_of_sums(warps, blockDim.x, static_cast<unsigned>(sizeof(V))));
    multiply_slice_of_entries<Halves>(s,
                                      packed_entries<V>{.starts = data,
                                                        .columns = data + s.columns_at,
                                                        .values = data + s.values_at,
                                                        .x = p.x + s.bases,
                                                        .table = table,
                                                        .rows = s.rows(),
                                                        .count = s.steps,
                                                        .lane = lane,
                                                        .waits_late = asks.late,
                                                        .policy = policy,
                                                        .half = a.half},
                                      rooms[warp], p);
    return;
  }
  if (!Lanes) return;
  packed_lane<V> mine{.bases = reinterpret_cast<const std::int32_t*>(data + s.bases),
                      .columns = data + s.columns_at,
                      .values = data + s.values_at,
                      .steps = s.steps,
                      .shortest = s.shortest,
                      .lane = lane,
                      .count = s.steps,
                      .from = p.x + lane,
                      .table = table,
                      .policy = policy,
                      .half = a.half};
  const int sharing = s.sharing();
  const int which = lane >> sharing;
  std::int32_t row = which;  // counted from the header's
  if (s.on_diagonals()) {
    const std::uint8_t* const masks = data + s.masks;
    if (s.is_full())
      add_diagonals<Halves, true>(s.values(), mine, masks, part, warps, sum);
    else
      add_diagonals<Halves, false>(s.values(), mine, masks, part, warps, sum);
  } else {
    if (s.lists_rows())
      row = static_cast<std::int32_t>(exec::load_number_if<1>(which < s.rows(), data + which * 2));
    const std::uint8_t* const missing = data + s.missing_at();
    if (!s.is_full())
      mine.count -= static_cast<int>(s.misses_many() ? exec::load_number_if<1>(true, missing + lane * 2)
                                                     : exec::load_number_if<0>(true, missing + lane));
    std::int32_t start = 0;
    if (s.starts() == packed_starts::row) start = row;
    if (s.starts() == packed_starts::given)
      start = exec::load_if(true, reinterpret_cast<const std::int32_t*>(data + s.starts_at()) + lane, 0);
    mine.from = p.x + start;
    sum[0] = sum_groups<Halves>(s.columns(), s.values(), mine, part, warps);
  }
  if (warps > 1) add_warps(warps, s.on_diagonals() ? packed_rows_of_lane : 1, sums, sum);
  if (part != 0) return;
  if (s.on_diagonals()) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      const int of_slice = r * packed_lanes + lane;
      if (of_slice < s.rows()) p.finish_row(s.row + of_slice, sum[r]);
    }
    return;
  }
  for (int width = 1 << sharing >> 1; width > 0; width /= 2)
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], width);
  if ((lane & ((1 << sharing) - 1)) != 0 || which >= s.rows()) return;
  if (s.is_part())
    slots[s.row] = sum[0];
  else
    p.finish_row(s.row + row, sum[0]);
}

}  // namespace

template <value V>
void packed::launch(const packed_pointers<V>& a, const product<V>& p, V* scratch, cuda_stream stream) {
  const int warps = 1 << a.meta.log2_warps;
  const auto threads = static_cast<unsigned>(std::max(usual_threads, warps * exec::warp_size));
  const unsigned shared =
      bytes_of_sums(warps, threads, sizeof(V)) + bytes_of_rooms<V>(a.meta.of_entries > 0, threads);
  const unsigned warps_of_block = threads / exec::warp_size;
  const unsigned blocks =
      std::max(1u, blocks_in_lanes(a.meta, threads) +
                       (static_cast<unsigned>(a.meta.of_entries) + warps_of_block - 1) / warps_of_block);
  const exec::l2_share share = exec::l2_share_for<V>(a.meta, a.data_bytes);
  const packed_asks asks =
      packed_asks::of(a.data_bytes, (a.meta.rows + a.meta.cols) * static_cast<std::int64_t>(sizeof(V)));
  const auto start = [&](auto lanes, auto entries, auto halves) {
    exec::launch_overlapping<packed_warps_per_slice<lanes(), entries(), halves(), V>>(
        "packed", blocks, threads, shared, stream, a, p, scratch, share, asks);
  };
  constexpr std::true_type yes;
  constexpr std::false_type no;
  if (a.meta.has_halves) {
    if (a.meta.of_entries == 0)
      start(yes, no, yes);
    else
      start(yes, yes, yes);
  } else if (a.meta.of_entries == 0) {
    start(yes, no, no);
  } else if (a.meta.of_entries < a.meta.slices) {
    start(yes, yes, no);
  } else {
    start(no, yes, no);
  }
  exec::combine_on_device(a.carries, scratch, p, stream);
}

template void packed::launch(const packed_pointers<float>&, const product<float>&, float*, cuda_stream);
template void packed::launch(const packed_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
