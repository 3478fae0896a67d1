// SPDX-License-Identifier: BSD-3-Clause
// The kernels of cached_x on a CUDA device. Each multiprocessor has one thread block, whose shared memory
// holds a panel of x, or x at the frequent columns. A warp multiplies a segment, chunk by chunk. With panels,
// a product takes two kernels: the product, and one that adds the sums of rows of several pieces. With
// frequent columns, it takes three: the first collects x at these columns. With packs of columns, a thread
// block multiplies one pack.
#pragma once

#include "exec/cuda/device_attributes.cuh"
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/pack_blocks.cuh"
#include "exec/cuda/kernel/predicated_loads.cuh"
#include "exec/cuda/kernel/warp_numbers.cuh"
#include "formats/cached_x/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr unsigned all_lanes_of_warp = 0xffffffffu;
static_assert(exec::warp_size == cached_x_lanes && cached_x_of_lane == 8);

/// The most threads of a block for which the registers of a multiprocessor suffice.
template <class S>
constexpr int block_threads = sizeof(vector_t<S>) <= 8 ? 1024 : 512;
template <class S>
constexpr int block_warps = block_threads<S> / exec::warp_size;

/// The columns of a lane's eight entries.
struct lane_columns {
  std::uint32_t column[cached_x_of_lane];

  __device__ __forceinline__ void load(const std::uint16_t* from, int lane) {
    const uint4 bytes = __ldcs(reinterpret_cast<const uint4*>(from) + lane);
    const std::uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
    for (int j = 0; j < cached_x_of_lane; ++j) column[j] = words[j / 2] >> j % 2 * 16 & 0xffffu;
  }
  __device__ __forceinline__ void load(const std::uint32_t* from, int lane) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint4 bytes = __ldcs(reinterpret_cast<const uint4*>(from) + 2 * lane + half);
      memcpy(column + half * 4, &bytes, sizeof(bytes));
    }
  }
};

/// The values of a lane's eight entries.
template <cached_x_values W, class V>
struct lane_values {
  V full[W == cached_x_values::full ? cached_x_of_lane : 1];
  uint2 codes;

  __device__ __forceinline__ void load(const cached_x_pointers<V>& a, std::int64_t chunk, int lane) {
    if constexpr (W == cached_x_values::full) {
      constexpr int together = 16 / sizeof(V);
      const V* const from = a.val + chunk * cached_x_chunk;
#pragma unroll
      for (int g = 0; g < cached_x_of_lane / together; ++g) {
        const uint4 bytes = __ldcs(reinterpret_cast<const uint4*>(from) + g * cached_x_lanes + lane);
        memcpy(full + g * together, &bytes, sizeof(bytes));
      }
    } else if constexpr (W == cached_x_values::table) {
      codes = __ldcs(reinterpret_cast<const uint2*>(a.code + chunk * cached_x_chunk) + lane);
    }
  }
  /// constant: the only value of the matrix.
  __device__ __forceinline__ V value(int j, const V* table, V constant) const {
    if constexpr (W == cached_x_values::full) return full[j];
    if constexpr (W == cached_x_values::table) return table[(j < 4 ? codes.x : codes.y) >> j % 4 * 8 & 0xffu];
    return constant;
  }
};

/// Finishes the row of a piece, if it is the only one of the row. Otherwise writes its sum into `sums`.
template <class S>
__device__ __forceinline__ void finish_piece(std::int32_t target, sum_t<S> sum, const product<S>& p,
                                             sum_t<S>* sums) {
  if (target >= 0)
    p.finish_row(target, sum);
  else
    sums[~target] = sum;
}

/// The pieces that end in a lane's eight entries.
struct lane_pieces {
  unsigned ends;
  std::int32_t target[cached_x_of_lane];  ///< of an entry that ends a piece

  /// `targets` are those of the chunk's pieces. Their loads are issued here, and need not have arrived on
  /// return.
  __device__ __forceinline__ lane_pieces(unsigned ends_of_lane, const std::int32_t* targets, int lane)
      : ends(ends_of_lane) {
    int before = __popc(ends);  // pieces that end in this lane or an earlier one
    const int mine = before;
#pragma unroll
    for (int distance = 1; distance < cached_x_lanes; distance *= 2) {
      const int of_earlier = __shfl_up_sync(all_lanes_of_warp, before, distance);
      if (lane >= distance) before += of_earlier;
    }
#pragma unroll
    for (int j = 0; j < cached_x_of_lane; ++j)
      target[j] = exec::load_if(ends_piece(j), targets + before - mine + __popc(ends & ((1u << j) - 1)), 0);
  }
  [[nodiscard]] __device__ __forceinline__ bool ends_piece(int j) const {
    return (ends >> j & 1u) != 0;
  }
};

/// Adds the products of a chunk by pieces, as a segmented scan over the lanes of a warp. Each lane adds its
/// eight products in order. The sum of a piece that continues in later lanes is passed on to them. The order
/// of additions depends on the ends alone. add(j, sum) returns the sum plus the product of the lane's entry
/// j. `open` is the sum of the first piece over earlier chunks of the segment. Returns the sum of the piece
/// that continues in the next chunk, over all chunks so far.
template <class S, class Add>
__device__ __forceinline__ sum_t<S> sum_pieces(const lane_pieces& pieces, int lane, const product<S>& p,
                                               sum_t<S>* sums, const sum_t<S>& open, Add&& add) {
  sum_t<S> sum{0};
  sum_t<S> first{0};  // of the piece that ends first in this lane
  std::int32_t first_target = 0;
  bool has_end = false;
#pragma unroll
  for (int j = 0; j < cached_x_of_lane; ++j) {
    sum = add(j, sum);
    if (!pieces.ends_piece(j)) continue;
    if (has_end) {
      finish_piece(pieces.target[j], sum, p, sums);
    } else {
      first = sum;
      first_target = pieces.target[j];
    }
    has_end = true;
    sum = sum_t<S>{0};
  }
  const unsigned lanes_with_end = __ballot_sync(all_lanes_of_warp, has_end);
  // The last lane up to this one in which a piece ends. The sums from that end to here are of one piece.
  const int from = max(0, lane - __clz(static_cast<int>(lanes_with_end << (cached_x_lanes - 1 - lane))));
  const int farthest = exec::greatest_of_warp(lane - from);
  for (int distance = 1; distance <= farthest; distance *= 2) {
    const sum_t<S> of_earlier = exec::shuffle_up(sum, distance);
    if (lane - distance >= from) sum += of_earlier;
  }
  sum_t<S> before = exec::shuffle_up(sum, 1);
  if (lane == 0) before = sum_t<S>{0};
  if ((lanes_with_end & ((1u << lane) - 1)) == 0) before += open;
  if (has_end) finish_piece(first_target, before + first, p, sums);
  sum = exec::shuffle_from(sum, cached_x_lanes - 1);
  if (lanes_with_end == 0) sum += open;
  return sum;
}

/// The part of the matrix that a thread block multiplies, and the product that it computes.
template <class S>
struct block_work {
  const cached_x_pointers<matrix_t<S>>& a;
  product<S> p;
  sum_t<S>* sums;
  std::int64_t number;
  std::int64_t blocks;

  __device__ __forceinline__ block_work(const cached_x_pointers<matrix_t<S>>& matrix,
                                        const exec::products_of<S>& all, sum_t<S>* all_sums)
      : a(matrix),
        p(exec::product_of_block(all)),
        sums(all_sums + exec::pack_of_block(all) * matrix.carries.slots),
        number(exec::block_in_pack(all)),
        blocks(exec::blocks_of_pack(all)) {}

  /// The block processes the items first(items) ... end(items) - 1.
  [[nodiscard]] __device__ __forceinline__ std::int64_t first(std::int64_t items) const {
    return items * number / blocks;
  }
  [[nodiscard]] __device__ __forceinline__ std::int64_t end(std::int64_t items) const {
    return items * (number + 1) / blocks;
  }
  __device__ __forceinline__ void finish_empty_rows() const {
    const std::int64_t threads = blocks * block_threads<S>;
    for (std::int64_t e = number * block_threads<S> + threadIdx.x; e < a.meta.empty_rows; e += threads)
      p.finish_row(a.empty_row[e], sum_t<S>{0});
  }
};

/// Copies `count` elements of x, from index `first` on, into shared memory. A thread loads several elements
/// before it stores the first, so that the loads overlap.
template <class S, class X>
__device__ __forceinline__ void fill(vector_t<S>* to, int count, const X& x, std::int64_t first) {
  constexpr int at_once = 64 / sizeof(vector_t<S>);
  for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += at_once * block_threads<S>) {
    vector_t<S> element[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      element[k] = *(x + (first + min(begin + k * block_threads<S>, count - 1)));
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (begin + k * block_threads<S> < count) to[begin + k * block_threads<S>] = element[k];
  }
}

/// The contents of shared memory: elements of x, then the table of values.
template <cached_x_values W, class S>
struct fast_memory {
  vector_t<S>* x;
  matrix_t<S>* table;
  matrix_t<S> constant;

  __device__ __forceinline__ fast_memory(unsigned char* shared, unsigned table_at,
                                         const cached_x_pointers<matrix_t<S>>& a)
      : x(reinterpret_cast<vector_t<S>*>(shared)),
        table(reinterpret_cast<matrix_t<S>*>(shared + table_at)),
        constant{} {
    if constexpr (W == cached_x_values::constant) constant = a.val[0];
    if constexpr (W == cached_x_values::table)
      if (threadIdx.x < static_cast<unsigned>(a.meta.table_size)) table[threadIdx.x] = a.val[threadIdx.x];
  }
};

/// The product with panels. A block goes from panel to panel, and its warps take the chunks of the panel in
/// turn.
template <cached_x_values W, class S>
__global__ void __launch_bounds__(block_threads<S>, 1)
    cached_x_panels(cached_x_pointers<matrix_t<S>> a, exec::products_of<S> all, sum_t<S>* all_sums,
                    unsigned table_at) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const fast_memory<W, S> fast(shared, table_at, a);
  const block_work<S> mine(a, all, all_sums);
  std::int64_t chunk = mine.first(a.meta.chunks);
  const std::int64_t last = mine.end(a.meta.chunks);
  std::int64_t panel = 0;  // the panel of the block's first chunk
  for (std::int64_t end = a.meta.panels; end - panel > 1;) {
    const std::int64_t middle = (panel + end) / 2;
    (a.panel_chunk[middle] <= chunk ? panel : end) = middle;
  }
  exec::wait_and_trigger();
  for (; chunk < last; ++panel) {
    const std::int64_t end = min(std::int64_t{a.panel_chunk[panel + 1]}, last);
    if (end <= chunk) continue;
    const std::int64_t first_column = panel * a.meta.width;
    const int width = static_cast<int>(min(a.meta.width, a.meta.cols - first_column));
    __syncthreads();
    fill<S>(fast.x, width, mine.p.x, first_column);
    __syncthreads();
    for (std::int64_t c = chunk + warp; c < end; c += block_warps<S>) {
      lane_columns columns;
      lane_values<W, matrix_t<S>> values;
      columns.load(a.column + c * cached_x_chunk, lane);
      values.load(a, c, lane);
      const lane_pieces pieces(a.ends[c * cached_x_lanes + lane], a.target + a.chunk_piece[c], lane);
      sum_pieces(pieces, lane, mine.p, mine.sums, sum_t<S>{0}, [&](int j, const sum_t<S>& sum) {
        return fma(values.value(j, fast.table, fast.constant), fast.x[columns.column[j]], sum);
      });
    }
    chunk = end;
  }
  mine.finish_empty_rows();
}

/// The elements of x of a lane's eight entries. Those in shared memory are read first, then the others. So
/// the loads from the L2 cache overlap, and no load waits for another.
template <class S>
struct lane_x {
  vector_t<S> x[cached_x_of_lane];

  __device__ __forceinline__ lane_x(const lane_columns& columns, const vector_t<S>* fast,
                                    const x_rows_t<S>& all) {
    if constexpr (is_pack<vector_t<S>>) {
#pragma unroll
      for (int j = 0; j < cached_x_of_lane; ++j) {
        const std::uint32_t place = columns.column[j] & ~cached_x_is_frequent;
        x[j] = *(is_frequent(columns, j) ? fast + place : all + place);
      }
    } else {
#pragma unroll
      for (int j = 0; j < cached_x_of_lane; ++j)
        x[j] = fast[is_frequent(columns, j) ? columns.column[j] & ~cached_x_is_frequent : 0];
#pragma unroll
      for (int j = 0; j < cached_x_of_lane; ++j)
        x[j] = exec::load_vector_if(!is_frequent(columns, j), all + columns.column[j], x[j]);
    }
  }

 private:
  __device__ __forceinline__ static bool is_frequent(const lane_columns& columns, int j) {
    return (columns.column[j] & cached_x_is_frequent) != 0;
  }
};

constexpr int collecting_threads = 128;

/// Copies x at the frequent columns into a contiguous array. Thread blocks then read fewer sectors when they
/// fill their shared memory.
template <class S>
__global__ void cached_x_collect(cached_x_pointers<matrix_t<S>> a, exec::products_of<S> all,
                                 vector_t<S>* collected) {
  const std::int64_t i =
      static_cast<std::int64_t>(exec::block_in_pack(all)) * collecting_threads + threadIdx.x;
  const std::int32_t column = i < a.meta.frequent ? a.frequent[i] : 0;
  const product<S>& p = exec::product_of_block(all);
  exec::wait_and_trigger();
  if (i < a.meta.frequent) collected[exec::pack_of_block(all) * a.meta.frequent + i] = p.x[column];
}

/// The product with frequent columns. `collected` has x at these columns.
template <cached_x_values W, class S>
__global__ void __launch_bounds__(block_threads<S>, 1)
    cached_x_frequent(cached_x_pointers<matrix_t<S>> a, exec::products_of<S> all, sum_t<S>* all_sums,
                      const vector_t<S>* collected, unsigned table_at) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const fast_memory<W, S> fast(shared, table_at, a);
  const block_work<S> mine(a, all, all_sums);
  const std::int64_t segments = (a.meta.chunks + a.meta.segment - 1) / a.meta.segment;
  exec::wait_and_trigger();
  if (a.meta.chunks > 0)
    fill<S>(fast.x, static_cast<int>(a.meta.frequent), collected, exec::pack_of_block(all) * a.meta.frequent);
  __syncthreads();
  for (std::int64_t s = mine.first(segments) + warp; s < mine.end(segments); s += block_warps<S>) {
    std::int64_t c = s * a.meta.segment;
    const std::int64_t end = min(c + a.meta.segment, a.meta.chunks);
    sum_t<S> open{0};
    for (; c < end; ++c) {
      lane_columns columns;
      lane_values<W, matrix_t<S>> values;
      columns.load(a.wide_column + c * cached_x_chunk, lane);
      values.load(a, c, lane);
      const unsigned ends = a.ends[c * cached_x_lanes + lane];
      const std::int32_t* const targets = a.target + a.chunk_piece[c];
      const lane_x<S> of_lane(columns, fast.x, mine.p.x);
      const lane_pieces pieces(ends, targets, lane);
      open = sum_pieces(pieces, lane, mine.p, mine.sums, open, [&](int j, const sum_t<S>& sum) {
        return fma(values.value(j, fast.table, fast.constant), of_lane.x[j], sum);
      });
    }
  }
  mine.finish_empty_rows();
}

/// Bytes of x in shared memory, rounded up to 16: the offset of the table of values.
template <class S>
std::int64_t cached_x_table_at(const cached_x_meta& meta) {
  const std::int64_t cached =
      meta.columns == cached_x_columns::panels ? std::min(meta.width, meta.cols) : meta.frequent;
  return (cached * static_cast<std::int64_t>(sizeof(vector_t<S>)) + 15) / 16 * 16;
}
template <class S>
std::int64_t cached_x_shared_bytes(const cached_x_meta& meta) {
  return cached_x_table_at<S>(meta) + meta.table_size * static_cast<std::int64_t>(sizeof(matrix_t<S>));
}

/// Launches the kernels of products. Asynchronous in `stream`.
template <class S>
struct cached_x_launch {
  const cached_x_pointers<matrix_t<S>>& a;
  const exec::products_of<S>& all;
  sum_t<S>* sums;
  vector_t<S>* collected;  ///< scratch memory: x at the frequent columns, for each pack
  cuda_stream stream;

  void start() const {
    if (a.meta.frequent > 0)
      exec::launch_dependent<cached_x_collect<S>>(
          "cached_x", exec::grid_of(all, exec::blocks_for(a.meta.frequent, collecting_threads)),
          collecting_threads, 0, stream, a, all, collected);
    if (a.meta.values == cached_x_values::full)
      start_with<cached_x_values::full>();
    else if (a.meta.values == cached_x_values::table)
      start_with<cached_x_values::table>();
    else
      start_with<cached_x_values::constant>();
    exec::combine_on_device(a.carries, sums, all, stream);
  }

 private:
  template <cached_x_values W>
  void start_with() const {
    a.meta.columns == cached_x_columns::panels
        ? start_kernel<cached_x_panels<W, S>>()
        : start_kernel<cached_x_frequent<W, S>>(static_cast<const vector_t<S>*>(collected));
  }
  template <auto Kernel, class... Collected>
  void start_kernel(Collected... x) const {
    const auto shared = static_cast<unsigned>(cached_x_shared_bytes<S>(a.meta));
    exec::allow_shared_memory<Kernel>();
    const std::int64_t work = std::max(a.meta.chunks * cached_x_chunk, a.meta.empty_rows);
    const unsigned blocks = std::min(static_cast<unsigned>(exec::multiprocessors()),
                                     exec::blocks_for(work, block_warps<S> * cached_x_chunk));
    exec::launch_dependent<Kernel>("cached_x", exec::grid_of(all, blocks), block_threads<S>, shared, stream,
                                   a, all, sums, x..., static_cast<unsigned>(cached_x_table_at<S>(a.meta)));
  }
};

}  // namespace
}  // namespace gossamer::inline v0::formats
