// SPDX-License-Identifier: BSD-3-Clause
// CSR on a CUDA device. A kernel's name says what works on what.
#include "exec/launch.cuh"
#include "exec/segmented_scan.cuh"
#include "formats/csr/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class V, class O>
__global__ void csr_thread_per_row(csr_pointers<V, O> a, product<V> p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= a.meta.rows) return;
  V sum{0};
  const std::int64_t end = a.row_ptr[row + 1];
  for (std::int64_t k = a.row_ptr[row]; k < end; ++k) sum += a.val[k] * p.x[a.col[k]];
  p.finish_row(row, sum);
}

/// Groups of Width consecutive lanes; a group multiplies meta.rows_per_group consecutive rows one after the other.
/// Every lane reaches the sum, whatever its row, since the lanes of a warp add together.
template <int Width, class V, class O>
__global__ void csr_group_per_rows(csr_pointers<V, O> a, product<V> p) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % Width;
  const std::int64_t first = thread / Width * a.meta.rows_per_group;
  for (int r = 0; r < a.meta.rows_per_group; ++r) {
    const std::int64_t row = first + r;
    V sum{0};
    if (row < a.meta.rows) {
      const std::int64_t end = a.row_ptr[row + 1];
#pragma unroll 4
      for (std::int64_t k = a.row_ptr[row] + lane; k < end; k += Width) sum += a.val[k] * p.x[a.col[k]];
    }
    sum = exec::sum_lanes<Width>(sum);
    if (lane == 0 && row < a.meta.rows) p.finish_row(row, sum);
  }
}

/// A block multiplies one unit of the merge of row ends and entries. Products are made in the order of the entries,
/// coalesced, and left in shared memory; then each thread walks Items steps of the merge.
template <int Threads, int Items, class V, class O>
__global__ void __launch_bounds__(Threads)
    csr_balanced_unit_per_block(csr_pointers<V, O> a, product<V> p, V* slots) {
  constexpr int tile = Threads * Items;
  __shared__ V products[tile];
  __shared__ int row_end[tile];  // in entries from the unit's first
  __shared__ exec::carry_scan_memory<V, Threads> scan_memory;

  const std::int64_t u = blockIdx.x;
  const std::int64_t total = a.meta.rows + a.meta.nnz;
  const std::int64_t first_row = a.cut_row[u];
  const std::int64_t last_row = a.cut_row[u + 1];
  const std::int64_t first_entry = u * tile - first_row;
  const std::int64_t last_entry = (u + 1 == a.meta.units ? total : (u + 1) * tile) - last_row;
  const int rows = static_cast<int>(last_row - first_row);
  const int entries = static_cast<int>(last_entry - first_entry);
  const int tid = static_cast<int>(threadIdx.x);

#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * Threads + tid;
    if (k < entries) products[k] = a.val[first_entry + k] * p.x[a.col[first_entry + k]];
  }
  for (int r = tid; r < rows; r += Threads)
    row_end[r] = static_cast<int>(static_cast<std::int64_t>(a.row_ptr[first_row + r + 1]) - first_entry);
  const bool has_slots = a.carries.slots > 0;
  if (tid == 0 && has_slots) {
    slots[exec::slots_per_unit * u] = V{0};
    slots[exec::slots_per_unit * u + 1] = V{0};
  }
  __syncthreads();

  // Where this thread's steps begin: `row` ends and `entry` entries lie before its position.
  const int position = min(tid * Items, rows + entries);
  int low = 0;
  int high = rows;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (row_end[middle] + middle < position)
      low = middle + 1;
    else
      high = middle;
  }
  int row = low;
  int entry = position - low;

  const bool head_is_shared = first_row < a.meta.rows && first_entry > a.row_ptr[first_row];
  V open{0};
  V first_closed_sum{0};
  int first_closed = -1;
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    if (position + step >= rows + entries) break;
    if (row < rows && entry >= row_end[row]) {
      if (first_closed < 0) {
        first_closed = row;  // may have begun in an earlier thread: finished below
        first_closed_sum = open;
      } else {
        p.finish_row(first_row + row, open);
      }
      open = V{0};
      ++row;
    } else {
      open += products[entry];
      ++entry;
    }
  }

  const exec::carry_scan_result<V> carry = exec::scan_carries<Threads>(open, first_closed >= 0, scan_memory);
  if (first_closed >= 0) {
    const V sum = carry.before + first_closed_sum;
    if (first_closed == 0 && head_is_shared)
      slots[exec::slots_per_unit * u] = sum;
    else
      p.finish_row(first_row + first_closed, sum);
  }
  if (tid == 0 && has_slots && last_row < a.meta.rows && last_entry > a.row_ptr[last_row])
    slots[exec::slots_per_unit * u + (rows == 0 && head_is_shared ? 0 : 1)] = carry.total;
}

template <int Width, class V, class O>
void launch_groups(const csr_pointers<V, O>& a, const product<V>& p, int block, cuda_stream stream) {
  const std::int64_t rows_per_block = std::int64_t{block / Width} * a.meta.rows_per_group;
  csr_group_per_rows<Width>
      <<<exec::blocks_for(a.meta.rows, rows_per_block), static_cast<unsigned>(block), 0, stream.handle()>>>(
          a, p);
}

template <class V, class O>
void launch_adaptive(const csr_pointers<V, O>& a, const product<V>& p, cuda_stream stream) {
  constexpr int block = 128;
  switch (a.meta.threads_per_row) {
    case 1:
      return launch_groups<1>(a, p, block, stream);
    case 2:
      return launch_groups<2>(a, p, block, stream);
    case 4:
      return launch_groups<4>(a, p, block, stream);
    case 8:
      return launch_groups<8>(a, p, block, stream);
    case 16:
      return launch_groups<16>(a, p, block, stream);
    default:
      return launch_groups<32>(a, p, block, stream);
  }
}

}  // namespace

template <value V, offset O>
void csr::launch(const csr_pointers<V, O>& a, const product<V>& p, V* scratch, cuda_stream stream) {
  constexpr int block = 256;  // paper 002, section 5.1 (5)
  switch (a.meta.kernel) {
    case csr_kernel::thread:
      csr_thread_per_row<<<exec::blocks_for(a.meta.rows, block), block, 0, stream.handle()>>>(a, p);
      break;
    case csr_kernel::warp:
      launch_groups<32>(a, p, block, stream);
      break;
    case csr_kernel::half_warp:
      launch_groups<16>(a, p, block, stream);
      break;
    case csr_kernel::automatic:
    case csr_kernel::adaptive:
      launch_adaptive(a, p, stream);
      break;
    case csr_kernel::balanced: {
      // The only tile there is; another one by compute capability is another instantiation here.
      constexpr csr_tile tile = csr_tile_for(0);
      csr_balanced_unit_per_block<tile.threads, tile.items>
          <<<static_cast<unsigned>(a.meta.units), tile.threads, 0, stream.handle()>>>(a, p, scratch);
      exec::check_launch("csr");
      exec::combine_on_device(a.carries, scratch, p, stream);
      return;
    }
  }
  exec::check_launch("csr");
}

template void csr::launch(const csr_pointers<float, std::int32_t>&, const product<float>&, float*,
                          cuda_stream);
template void csr::launch(const csr_pointers<float, std::int64_t>&, const product<float>&, float*,
                          cuda_stream);
template void csr::launch(const csr_pointers<double, std::int32_t>&, const product<double>&, double*,
                          cuda_stream);
template void csr::launch(const csr_pointers<double, std::int64_t>&, const product<double>&, double*,
                          cuda_stream);

}  // namespace gossamer::inline v0::formats
