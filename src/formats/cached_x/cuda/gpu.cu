// SPDX-License-Identifier: BSD-3-Clause
// cached_x on a CUDA device: one thread block for each multiprocessor, whose shared memory holds the panel or
// the frequent columns of x. A warp multiplies a chunk at a time. A second kernel adds the sums of rows that
// have several pieces.
#include "exec/cuda/device_attributes.cuh"
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/predicated_loads.cuh"
#include "formats/cached_x/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int block_threads = 1024;
constexpr int block_warps = block_threads / exec::warp_size;
constexpr unsigned everyone = 0xffffffffu;
static_assert(exec::warp_size == cached_x_lanes && cached_x_of_lane == 8);

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

/// Finishes the row of a piece, or leaves its sum in a slot.
template <class S>
__device__ __forceinline__ void finish_piece(std::int32_t target, sum_t<S> sum, const product<S>& p,
                                             sum_t<S>* slots) {
  if (target >= 0)
    p.finish_row(target, sum);
  else
    slots[~target] = sum;
}

/// Adds the products of a chunk piece by piece. A lane adds its own eight in order. What it has behind its last
/// end is added, from lane to lane, to the first piece that ends in a later lane. The order of additions
/// depends on `ends` alone.
template <class S>
__device__ __forceinline__ void sum_pieces(const sum_t<S> (&products)[cached_x_of_lane], unsigned ends,
                                           const std::int32_t* target, int lane, const product<S>& p,
                                           sum_t<S>* slots) {
  const int mine = __popc(ends);
  int before = mine;  // pieces that end in this lane or an earlier one
#pragma unroll
  for (int distance = 1; distance < cached_x_lanes; distance *= 2) {
    const int of_earlier = __shfl_up_sync(everyone, before, distance);
    if (lane >= distance) before += of_earlier;
  }
  const std::int32_t* next = target + (before - mine);
  sum_t<S> sum{0};
  sum_t<S> first{0};  // of the piece that ends first in this lane
  bool has_end = false;
#pragma unroll
  for (int j = 0; j < cached_x_of_lane; ++j) {
    sum += products[j];
    if ((ends >> j & 1u) == 0) continue;
    if (has_end)
      finish_piece(*next, sum, p, slots);
    else
      first = sum;
    next += has_end ? 1 : 0;
    has_end = true;
    sum = sum_t<S>{0};
  }
  const unsigned lanes_with_end = __ballot_sync(everyone, has_end);
  // The last lane up to this one in which a piece ends: what follows that end belongs together.
  const int from = max(0, lane - __clz(static_cast<int>(lanes_with_end << (cached_x_lanes - 1 - lane))));
#pragma unroll
  for (int distance = 1; distance < cached_x_lanes; distance *= 2) {
    const sum_t<S> of_earlier = __shfl_up_sync(everyone, sum, distance);
    if (lane - distance >= from) sum += of_earlier;
  }
  const sum_t<S> open = __shfl_up_sync(everyone, sum, 1);
  if (has_end) finish_piece(target[before - mine], lane == 0 ? first : open + first, p, slots);
}

template <class S>
__device__ __forceinline__ void finish_empty_rows(const cached_x_pointers<matrix_t<S>>& a,
                                                  const product<S>& p) {
  const std::int64_t threads = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t e = std::int64_t{blockIdx.x} * block_threads + threadIdx.x; e < a.meta.empty_rows;
       e += threads)
    p.finish_row(a.empty_row[e], sum_t<S>{0});
}

/// The block's share of the chunks.
struct chunk_range {
  std::int64_t begin;
  std::int64_t end;

  __device__ __forceinline__ explicit chunk_range(std::int64_t chunks)
      : begin(chunks * blockIdx.x / gridDim.x), end(chunks * (blockIdx.x + 1) / gridDim.x) {}
};

/// What both kernels have in shared memory: elements of x, then the table.
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

template <cached_x_values W, class S>
__global__ void __launch_bounds__(block_threads, 1)
    cached_x_panels(cached_x_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots, unsigned table_at) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const fast_memory<W, S> fast(shared, table_at, a);
  const chunk_range mine(a.meta.chunks);
  std::int64_t panel = 0;  // the panel of the block's first chunk
  for (std::int64_t end = a.meta.panels; end - panel > 1;) {
    const std::int64_t middle = (panel + end) / 2;
    (a.panel_chunk[middle] <= mine.begin ? panel : end) = middle;
  }
  exec::wait_and_trigger();
  for (std::int64_t chunk = mine.begin; chunk < mine.end; ++panel) {
    const std::int64_t end = min(std::int64_t{a.panel_chunk[panel + 1]}, mine.end);
    if (end <= chunk) continue;
    const vector_t<S>* const x = p.x + panel * a.meta.width;
    const int width = static_cast<int>(min(a.meta.width, a.meta.cols - panel * a.meta.width));
    __syncthreads();
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < width; i += block_threads) fast.x[i] = x[i];
    __syncthreads();
    for (std::int64_t c = chunk + warp; c < end; c += block_warps) {
      lane_columns columns;
      lane_values<W, matrix_t<S>> values;
      columns.load(a.column + c * cached_x_chunk, lane);
      values.load(a, c, lane);
      const unsigned ends = a.ends[c * cached_x_lanes + lane];
      const std::int32_t* const target = a.target + a.chunk_piece[c];
      sum_t<S> products[cached_x_of_lane];
#pragma unroll
      for (int j = 0; j < cached_x_of_lane; ++j)
        products[j] = values.value(j, fast.table, fast.constant) * fast.x[columns.column[j]];
      sum_pieces(products, ends, target, lane, p, slots);
    }
    chunk = end;
  }
  finish_empty_rows(a, p);
}

template <cached_x_values W, class S>
__global__ void __launch_bounds__(block_threads, 1)
    cached_x_frequent(cached_x_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots, unsigned table_at) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const fast_memory<W, S> fast(shared, table_at, a);
  const chunk_range mine(a.meta.chunks);
  exec::wait_and_trigger();
  if (mine.begin < mine.end) {
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < a.meta.frequent; i += block_threads)
      fast.x[i] = p.x[a.frequent[i]];
  }
  __syncthreads();
  for (std::int64_t c = mine.begin + warp; c < mine.end; c += block_warps) {
    lane_columns columns;
    lane_values<W, matrix_t<S>> values;
    columns.load(a.wide_column + c * cached_x_chunk, lane);
    values.load(a, c, lane);
    const unsigned ends = a.ends[c * cached_x_lanes + lane];
    const std::int32_t* const target = a.target + a.chunk_piece[c];
    vector_t<S> x[cached_x_of_lane];
#pragma unroll
    for (int j = 0; j < cached_x_of_lane; ++j) {
      const std::uint32_t column = columns.column[j];
      const bool is_frequent = (column & cached_x_is_frequent) != 0;
      x[j] = exec::load_vector_if(!is_frequent, p.x + (is_frequent ? 0 : column), vector_t<S>{0});
      if (is_frequent) x[j] = fast.x[column & ~cached_x_is_frequent];
    }
    sum_t<S> products[cached_x_of_lane];
#pragma unroll
    for (int j = 0; j < cached_x_of_lane; ++j)
      products[j] = values.value(j, fast.table, fast.constant) * x[j];
    sum_pieces(products, ends, target, lane, p, slots);
  }
  finish_empty_rows(a, p);
}

/// A product that is about to start.
template <class S>
struct launch_of {
  const cached_x_pointers<matrix_t<S>>& a;
  const product<S>& p;
  sum_t<S>* scratch;
  cuda_stream stream;

  template <auto Kernel>
  void start() const {
    const bool has_panels = a.meta.columns == cached_x_columns::panels;
    const std::int64_t cached = has_panels ? std::min(a.meta.width, a.meta.cols) : a.meta.frequent;
    const auto table_at =
        static_cast<unsigned>((cached * static_cast<std::int64_t>(sizeof(vector_t<S>)) + 15) / 16 * 16);
    const auto shared =
        table_at + static_cast<unsigned>(a.meta.table_size * static_cast<std::int64_t>(sizeof(matrix_t<S>)));
    exec::allow_shared_memory(Kernel, shared);
    const std::int64_t work = std::max(a.meta.chunks * cached_x_chunk, a.meta.empty_rows);
    const unsigned blocks = std::min(static_cast<unsigned>(exec::multiprocessors()),
                                     exec::blocks_for(work, block_warps * cached_x_chunk));
    exec::launch_dependent<Kernel>("cached_x", blocks, block_threads, shared, stream, a, p, scratch,
                                   table_at);
  }
  template <cached_x_values W>
  void start_with() const {
    a.meta.columns == cached_x_columns::panels ? start<cached_x_panels<W, S>>()
                                               : start<cached_x_frequent<W, S>>();
  }
};

}  // namespace

template <scalar_types S>
void cached_x::launch(const cached_x_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                      cuda_stream stream) {
  const launch_of<S> launch{a, p, scratch, stream};
  if (a.meta.values == cached_x_values::full)
    launch.template start_with<cached_x_values::full>();
  else if (a.meta.values == cached_x_values::table)
    launch.template start_with<cached_x_values::table>();
  else
    launch.template start_with<cached_x_values::constant>();
  exec::combine_on_device(a.carries, scratch, p, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(cached_x, std::int64_t)

}  // namespace gossamer::inline v0::formats
