// SPDX-License-Identifier: BSD-3-Clause
// Sorted coordinates on a CUDA device. y is scaled first, since a row without entries has nobody to write it.
#include "exec/elementwise.hpp"
#include "exec/launch.cuh"
#include "exec/segmented_scan.cuh"
#include "formats/coo/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class V>
__global__ void coo_entry_per_thread_atomic(coo_pointers<V> a, product<V> p) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < a.meta.nnz) atomicAdd(p.y + a.row[k], p.alpha * (a.val[k] * p.x[a.col[k]]));
}

/// A block sums one unit: products are made coalesced and left in shared memory, then each thread adds Items
/// consecutive ones and the threads' open rows are joined by a segmented scan.
template <int Threads, int Items, class V>
__global__ void __launch_bounds__(Threads) coo_unit_per_block(coo_pointers<V> a, product<V> p, V* slots) {
  constexpr int tile = Threads * Items;
  __shared__ V products[tile];
  __shared__ std::int32_t rows[tile];
  __shared__ exec::carry_scan_memory<V, Threads> scan_memory;

  const std::int64_t u = blockIdx.x;
  const std::int64_t begin = u * tile;
  const int entries = static_cast<int>(min(static_cast<std::int64_t>(tile), a.meta.nnz - begin));
  const int tid = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * Threads + tid;
    if (k < entries) {
      products[k] = a.val[begin + k] * p.x[a.col[begin + k]];
      rows[k] = a.row[begin + k];
    }
  }
  const bool has_slots = a.carries.slots > 0;
  if (tid == 0 && has_slots) {
    slots[exec::slots_per_unit * u] = V{0};
    slots[exec::slots_per_unit * u + 1] = V{0};
  }
  __syncthreads();

  const std::int32_t row_before = begin > 0 ? a.row[begin - 1] : -1;
  const std::int32_t row_after = begin + entries < a.meta.nnz ? a.row[begin + entries] : -1;
  V open{0};
  V first_closed_sum{0};
  int first_closed = -1;
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = tid * Items + step;
    if (k >= entries) break;
    open += products[k];
    if ((k + 1 < entries ? rows[k + 1] : row_after) == rows[k]) continue;
    if (first_closed < 0) {
      first_closed = k;
      first_closed_sum = open;
    } else {
      p.finish_row(rows[k], open);
    }
    open = V{0};
  }

  const exec::carry_scan_result<V> carry = exec::scan_carries<Threads>(open, first_closed >= 0, scan_memory);
  if (first_closed >= 0) {
    const V sum = carry.before + first_closed_sum;
    if (rows[first_closed] == row_before)
      slots[exec::slots_per_unit * u] = sum;
    else
      p.finish_row(rows[first_closed], sum);
  }
  if (tid == 0 && row_after >= 0 && rows[entries - 1] == row_after) {
    const bool inside_one_row = rows[0] == row_after && row_before == row_after;
    slots[exec::slots_per_unit * u + (inside_one_row ? 0 : 1)] = carry.total;
  }
}

}  // namespace

template <value V>
void coo::launch(const coo_pointers<V>& a, const product<V>& p, V* scratch, cuda_stream stream) {
  exec::scale_on_device(p.y, a.meta.rows, p.beta, stream);
  if (a.meta.nnz == 0) return;
  product<V> add = p;
  add.beta = V{1};
  if (a.meta.accumulate == coo_accumulate::atomic) {
    constexpr int block = 256;
    coo_entry_per_thread_atomic<<<exec::blocks_for(a.meta.nnz, block), block, 0, stream.handle()>>>(a, add);
    exec::check_launch("coo");
    return;
  }
  constexpr coo_tile tile = coo_tile_for(0);
  coo_unit_per_block<tile.threads, tile.items>
      <<<static_cast<unsigned>(a.meta.units), tile.threads, 0, stream.handle()>>>(a, add, scratch);
  exec::check_launch("coo");
  exec::combine_on_device(a.carries, scratch, add, stream);
}

template void coo::launch(const coo_pointers<float>&, const product<float>&, float*, cuda_stream);
template void coo::launch(const coo_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
