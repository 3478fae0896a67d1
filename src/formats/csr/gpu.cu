// SPDX-License-Identifier: BSD-3-Clause
// CSR on a CUDA device. A kernel's name says what works on what.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/predicated_loads.cuh"
#include "exec/reduction/carries.cuh"
#include "exec/reduction/row_sums.cuh"
#include "formats/csr/format.hpp"
#include "formats/csr/paper_kernels.cuh"

namespace gossamer::inline v0::formats {
namespace {

template <class S, class O>
__global__ void csr_thread_per_row(csr_pointers<matrix_t<S>, O> a, product<S> p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= a.meta.rows) return;
  sum_t<S> sum{0};
  const std::int64_t end = a.row_ptr[row + 1];
  for (std::int64_t k = a.row_ptr[row]; k < end; ++k) sum += a.val[k] * p.x[a.col[k]];
  p.finish_row(row, sum);
}

/// sum + the products of `Batch` entries that are Width apart; their columns and values are asked for
/// together, then their x. Where not All, only those before `end` are there.
template <int Width, int Batch, bool All, class S, class O>
__device__ __forceinline__ sum_t<S> add_entries(const csr_pointers<matrix_t<S>, O>& a, std::int64_t k,
                                                std::int64_t end, const vector_t<S>* x, sum_t<S> sum) {
  std::int32_t c[Batch];
  matrix_t<S> v[Batch];
#pragma unroll
  for (int i = 0; i < Batch; ++i) {
    c[i] = exec::load_if(All || k + i * Width < end, a.col + k + i * Width, -1);
    v[i] = exec::load_if(All || k + i * Width < end, a.val + k + i * Width, matrix_t<S>{0});
  }
  vector_t<S> xs[Batch];
#pragma unroll
  for (int i = 0; i < Batch; ++i) xs[i] = exec::load_if(c[i] >= 0, x + c[i], vector_t<S>{0});
#pragma unroll
  for (int i = 0; i < Batch; ++i) sum += v[i] * xs[i];
  return sum;
}

/// Groups of Width consecutive lanes; a group multiplies meta.rows_per_group consecutive rows one after the
/// other. Every lane reaches the sum, whatever its row, since the lanes of a warp add together.
template <int Width, int Batch, class S, class O>
__global__ void csr_group_per_rows(csr_pointers<matrix_t<S>, O> a, product<S> p) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % Width;
  const std::int64_t first = thread / Width * a.meta.rows_per_group;
  for (int r = 0; r < a.meta.rows_per_group; ++r) {
    const std::int64_t row = first + r;
    sum_t<S> sum{0};
    if (row < a.meta.rows) {
      const std::int64_t end = a.row_ptr[row + 1];
      std::int64_t k = static_cast<std::int64_t>(a.row_ptr[row]) + lane;
      for (; k + (Batch - 1) * Width < end; k += Batch * Width)
        sum = add_entries<Width, Batch, true, S>(a, k, end, p.x, sum);
      if (k < end) sum = add_entries<Width, Batch, false, S>(a, k, end, p.x, sum);
    }
    sum = exec::sum_lanes<Width>(sum);
    if (lane == 0 && row < a.meta.rows) p.finish_row(row, sum);
  }
}

/// A block multiplies one unit. Of a piece of a long row, or a row alone, its threads keep their sums.
/// Products of several rows are made in the order of the entries, coalesced, and left in shared memory; then
/// groups of threads add them row by row.
template <int Threads, int Items, class S, class O>
__global__ void __launch_bounds__(Threads, device_tile::least_blocks)
    csr_balanced_unit_per_block(csr_pointers<matrix_t<S>, O> a, product<S> p, sum_t<S>* scratch) {
  __shared__ sum_t<S> products[exec::places_for(Threads * Items)];
  exec::trigger_dependents(exec::combines_apart(a.carries));
  const std::int64_t u = blockIdx.x;
  const std::int64_t first_entry = a.cut_entry[u];
  const int entries = static_cast<int>(a.cut_entry[u + 1] - first_entry);
  const std::int32_t first_row = a.cut_row[u];
  const int rows = a.cut_row[u + 1] - first_row;
  const std::int32_t* col = a.col + first_entry;
  const matrix_t<S>* val = a.val + first_entry;
  const int tid = static_cast<int>(threadIdx.x);

  if (rows <= 1)
    return exec::multiply_and_finish_piece<Threads>(a.carries, u, first_row, val, col, entries, scratch, p);

  std::int32_t c[Items];
  sum_t<S> v[Items];
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * Threads + tid;
    if (k < entries) {
      c[step] = col[k];
      v[step] = val[k];
    }
  }
#pragma unroll
  for (int step = 0; step < Items; ++step)
    if (step * Threads + tid < entries) v[step] *= p.x[c[step]];
      // In a loop of its own: the compiler must take x for shared memory too, and would not load past a
      // store.
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * Threads + tid;
    if (k < entries) products[exec::place_of(k)] = v[step];
  }

  const O* row_ptr = a.row_ptr + first_row;
  const auto entries_before = [&](int r) {
    return static_cast<int>(static_cast<std::int64_t>(row_ptr[r]) - first_entry);
  };
  exec::sum_rows<Threads>(
      products, rows, entries_before, [] { __syncthreads(); },
      [&](int r, sum_t<S> sum) { p.finish_row(first_row + r, sum); });
}

template <int Items, class S, class O>
void launch_balanced(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, sum_t<S>* scratch,
                     cuda_stream stream) {
  csr_balanced_unit_per_block<device_tile::threads, Items>
      <<<static_cast<unsigned>(a.meta.units), device_tile::threads, 0, stream.handle()>>>(a, p, scratch);
}

template <int Width, class S, class O>
void launch_groups(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, int block,
                   cuda_stream stream) {
  const std::int64_t rows_per_block = std::int64_t{block / Width} * a.meta.rows_per_group;
  const unsigned blocks = exec::blocks_for(a.meta.rows, rows_per_block);
  // Lanes of four entries or fewer would leave half of a batch of eight empty.
  if (2 * a.meta.nnz <= 9 * Width * a.meta.rows)
    csr_group_per_rows<Width, 4><<<blocks, static_cast<unsigned>(block), 0, stream.handle()>>>(a, p);
  else
    csr_group_per_rows<Width, 8><<<blocks, static_cast<unsigned>(block), 0, stream.handle()>>>(a, p);
}

template <class S, class O>
void launch_adaptive(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, cuda_stream stream) {
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

template <scalar_types S, offset O>
void csr::launch(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, sum_t<S>* scratch,
                 cuda_stream stream) {
  constexpr int block = 256;
  switch (a.meta.kernel) {
    case csr_kernel::thread:
      csr_thread_per_row<<<exec::blocks_for(a.meta.rows, block), block, 0, stream.handle()>>>(a, p);
      break;
    case csr_kernel::warp:
      launch_csr_r(a, p, stream);
      break;
    case csr_kernel::half_warp:
      launch_csr_o(a, p, stream);
      break;
    case csr_kernel::automatic:
    case csr_kernel::adaptive:
      launch_adaptive(a, p, stream);
      break;
    case csr_kernel::balanced:
      if (a.meta.tile_items == device_tile::few)
        launch_balanced<device_tile::few>(a, p, scratch, stream);
      else
        launch_balanced<device_tile::many>(a, p, scratch, stream);
      exec::check_launch("csr");
      return exec::combine_on_device(a.carries, scratch, p, stream);
  }
  exec::check_launch("csr");
}

GOSSAMER_INSTANTIATE_LAUNCH(csr, std::int32_t)
GOSSAMER_INSTANTIATE_LAUNCH(csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
