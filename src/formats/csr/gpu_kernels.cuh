// SPDX-License-Identifier: BSD-3-Clause
// CSR on a CUDA device: products by one vector or by packs of columns, in one code. A kernel's name says what
// works on what.
#pragma once

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/pack_blocks.cuh"
#include "exec/cuda/kernel/pack_loads.cuh"
#include "exec/reduction/carries.cuh"
#include "exec/reduction/row_sums.cuh"
#include "formats/csr/format.hpp"
#include "formats/csr/paper_kernels.cuh"

namespace gossamer::inline v0::formats {
namespace {

template <class S, class O>
__global__ void csr_thread_per_row(csr_pointers<matrix_t<S>, O> a, exec::products_of<S> all) {
  const product<S>& p = exec::product_of_block(all);
  const std::int64_t row = static_cast<std::int64_t>(exec::block_in_pack(all)) * blockDim.x + threadIdx.x;
  if (row >= a.meta.rows) return;
  sum_t<S> sum{0};
  const std::int64_t end = a.row_ptr[row + 1];
  for (std::int64_t k = a.row_ptr[row]; k < end; ++k) sum += a.val[k] * p.x[a.col[k]];
  p.finish_row(row, sum);
}

/// sum + the products of `Batch` entries that are Width apart. Their columns and values are loaded together,
/// then their x; if x are large packs (exec::elements_at_once()), for four entries at a time. If not All,
/// only entries before `end` exist. The others add +0, also to packs: it turns the -0 of an underflow to +0.
template <int Width, int Batch, bool All, class S, class O>
__device__ __forceinline__ sum_t<S> add_entries(const csr_pointers<matrix_t<S>, O>& a, std::int64_t k,
                                                std::int64_t end, x_rows_t<S> x, sum_t<S> sum) {
  constexpr int together = exec::elements_at_once<vector_t<S>>(Batch);
#pragma unroll
  for (int first = 0; first < Batch; first += together) {
    std::int32_t c[together];
    matrix_t<S> v[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t at = k + (first + i) * Width;
      c[i] = exec::load_if(All || at < end, a.col + at, -1);
      v[i] = exec::load_if(All || at < end, a.val + at, matrix_t<S>{0});
    }
    vector_t<S> xs[together];
#pragma unroll
    for (int i = 0; i < together; ++i) xs[i] = exec::load_if(c[i] >= 0, x + c[i], vector_t<S>{0});
#pragma unroll
    for (int i = 0; i < together; ++i) sum += v[i] * xs[i];
  }
  return sum;
}

constexpr int csr_group_block = 128;

/// Groups of Width consecutive lanes; a group multiplies meta.rows_per_group consecutive rows one after the
/// other. Every lane reaches the sum, whatever its row, since the lanes of a warp add together.
template <int Width, int Batch, class S, class O>
__global__ void __launch_bounds__(exec::threads_by_packs<S>(csr_group_block),
                                  exec::least_blocks_by_packs<S>(csr_group_block))
    csr_group_per_rows(csr_pointers<matrix_t<S>, O> a, exec::products_of<S> all) {
  const product<S>& p = exec::product_of_block(all);
  const std::int64_t thread = static_cast<std::int64_t>(exec::block_in_pack(all)) * blockDim.x + threadIdx.x;
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

/// Blocks that one multiprocessor must have room for. For packs, four: the shared memory of more would not
/// fit.
template <class S>
constexpr int csr_least_blocks = is_pack<vector_t<S>> ? exec::least_blocks_by_packs<S>(device_tile::threads)
                                                      : device_tile::least_blocks;

/// Leaves a thread's products by packs in shared memory, half of them at a time if the packs are large.
template <int Threads, class S, int Items>
__device__ __forceinline__ void leave_products_of_packs(const std::int32_t (&c)[Items],
                                                        const matrix_t<S> (&v)[Items], int entries,
                                                        x_rows_t<S> x, sum_t<S>* products) {
  constexpr int together = sizeof(sum_t<S>) <= 8 ? Items : Items / 2;
  const int tid = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int first = 0; first < Items; first += together) {
    sum_t<S> of_entry[together];
#pragma unroll
    for (int i = 0; i < together; ++i)
      if ((first + i) * Threads + tid < entries) of_entry[i] = v[first + i] * x[c[first + i]];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int k = (first + i) * Threads + tid;
      if (k < entries) products[exec::place_of(k)] = of_entry[i];
    }
  }
}

/// A block multiplies one unit. Of a piece of a long row, or a row alone, its threads keep their sums.
/// Products of several rows are made in the order of the entries, coalesced, and left in shared memory; then
/// groups of threads add them row by row.
template <int Threads, int Items, class S, class O>
__global__ void __launch_bounds__(Threads, csr_least_blocks<S>)
    csr_balanced_unit_per_block(csr_pointers<matrix_t<S>, O> a, exec::products_of<S> all,
                                exec::carry_room<sum_t<S>> room) {
  constexpr bool by_packs = is_pack<sum_t<S>>;
  __shared__ sum_t<S> products_of_numbers[by_packs ? 1 : exec::places_for(Threads * Items)];
  extern __shared__ __align__(16) unsigned char products_of_packs[];  // more than a kernel may declare
  sum_t<S>* const products = by_packs ? reinterpret_cast<sum_t<S>*>(products_of_packs) : products_of_numbers;
  exec::trigger_dependents(exec::combines_apart(a.carries));
  const product<S>& p = exec::product_of_block(all);
  const std::int64_t u = exec::block_in_pack(all);
  const std::int64_t first_entry = a.cut_entry[u];
  const int entries = static_cast<int>(a.cut_entry[u + 1] - first_entry);
  const std::int32_t first_row = a.cut_row[u];
  const int rows = a.cut_row[u + 1] - first_row;
  const std::int32_t* col = a.col + first_entry;
  const matrix_t<S>* val = a.val + first_entry;
  const int tid = static_cast<int>(threadIdx.x);

  if (rows <= 1)
    return exec::multiply_and_finish_piece<Threads>(a.carries, u, first_row, val, col, entries,
                                                    room.of_pack(a.carries, exec::pack_of_block(all)), p);

  std::int32_t c[Items];
  std::conditional_t<by_packs, matrix_t<S>, sum_t<S>> v[Items];
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * Threads + tid;
    if (k < entries) {
      c[step] = col[k];
      v[step] = val[k];
    }
  }
  if constexpr (by_packs) {
    leave_products_of_packs<Threads, S>(c, v, entries, p.x, products);
  } else {
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
void launch_balanced(const csr_pointers<matrix_t<S>, O>& a, const exec::products_of<S>& all,
                     const exec::carry_room<sum_t<S>>& room, cuda_stream stream) {
  constexpr auto kernel = csr_balanced_unit_per_block<device_tile::threads, Items, S, O>;
  constexpr std::size_t places = exec::places_for(device_tile::threads * Items);
  constexpr unsigned shared = is_pack<sum_t<S>> ? places * sizeof(sum_t<S>) : 0;
  if (shared > 0) exec::allow_shared_memory<kernel>();
  kernel<<<exec::grid_of(all, static_cast<unsigned>(a.meta.units)), device_tile::threads, shared,
           stream.handle()>>>(a, all, room);
}

template <int Width, class S, class O>
void launch_groups(const csr_pointers<matrix_t<S>, O>& a, const exec::products_of<S>& all,
                   cuda_stream stream) {
  constexpr int block = csr_group_block;
  const std::int64_t rows_per_block = std::int64_t{block / Width} * a.meta.rows_per_group;
  const unsigned blocks = exec::grid_of(all, exec::blocks_for(a.meta.rows, rows_per_block));
  // Lanes of four entries or fewer would leave half of a batch of eight empty.
  if (2 * a.meta.nnz <= 9 * Width * a.meta.rows)
    csr_group_per_rows<Width, 4, S, O><<<blocks, block, 0, stream.handle()>>>(a, all);
  else
    csr_group_per_rows<Width, 8, S, O><<<blocks, block, 0, stream.handle()>>>(a, all);
}

template <class S, class O>
void launch_adaptive(const csr_pointers<matrix_t<S>, O>& a, const exec::products_of<S>& all,
                     cuda_stream stream) {
  switch (a.meta.threads_per_row) {
    case 1:
      return launch_groups<1, S>(a, all, stream);
    case 2:
      return launch_groups<2, S>(a, all, stream);
    case 4:
      return launch_groups<4, S>(a, all, stream);
    case 8:
      return launch_groups<8, S>(a, all, stream);
    case 16:
      return launch_groups<16, S>(a, all, stream);
    default:
      return launch_groups<32, S>(a, all, stream);
  }
}

template <class S, class O>
void launch_csr(const csr_pointers<matrix_t<S>, O>& a, const exec::products_of<S>& all,
                const exec::carry_room<sum_t<S>>& room, cuda_stream stream) {
  constexpr int block = 256;
  switch (a.meta.kernel) {
    case csr_kernel::thread:
      csr_thread_per_row<S, O>
          <<<exec::grid_of(all, exec::blocks_for(a.meta.rows, block)), block, 0, stream.handle()>>>(a, all);
      break;
    case csr_kernel::warp:
      launch_csr_r<S>(a, all, stream);
      break;
    case csr_kernel::half_warp:
      launch_csr_o<S>(a, all, stream);
      break;
    case csr_kernel::automatic:
    case csr_kernel::adaptive:
      launch_adaptive<S>(a, all, stream);
      break;
    case csr_kernel::balanced:
      if (a.meta.tile_items == device_tile::few)
        launch_balanced<device_tile::few, S>(a, all, room, stream);
      else
        launch_balanced<device_tile::many, S>(a, all, room, stream);
      exec::check_launch("csr");
      return exec::combine_on_device(a.carries, room.slots, all, stream);
  }
  exec::check_launch("csr");
}

}  // namespace
}  // namespace gossamer::inline v0::formats
