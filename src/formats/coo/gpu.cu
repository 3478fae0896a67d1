// SPDX-License-Identifier: BSD-3-Clause
// Sorted coordinates on a CUDA device.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/elementwise.hpp"
#include "exec/reduction/carries.cuh"
#include "exec/reduction/row_sums.cuh"
#include "formats/coo/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class S>
__global__ void coo_entry_per_thread_atomic(coo_pointers<matrix_t<S>> a, product<S> p) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < a.meta.nnz) atomicAdd(p.y + a.row[k], p.alpha * (a.val[k] * p.x[a.col[k]]));
}

/// A block multiplies one unit. Products are made coalesced and left in shared memory, and with them where
/// each row begins, found by whoever holds a row's first entry; then groups of threads add them row by row.
template <int Threads, int Items, class S>
__global__ void __launch_bounds__(Threads)
    coo_unit_per_block(coo_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* scratch) {
  __shared__ sum_t<S> products[exec::places_for(Threads * Items)];
  __shared__ int row_begin[Threads * Items + 1];
  exec::trigger_dependents(exec::combines_apart(a.carries));
  const std::int64_t u = blockIdx.x;
  const std::int64_t first_entry = a.cut_entry[u];
  const int entries = static_cast<int>(a.cut_entry[u + 1] - first_entry);
  const std::int32_t first_row = a.cut_row[u];
  const int rows = a.cut_row[u + 1] - first_row;
  const std::int32_t* row = a.row + first_entry;
  const std::int32_t* col = a.col + first_entry;
  const matrix_t<S>* val = a.val + first_entry;
  const int tid = static_cast<int>(threadIdx.x);

  if (rows <= 1)
    return exec::multiply_and_finish_piece<Threads>(a.carries, u, first_row, val, col, entries,
                                                    exec::carry_room<sum_t<S>>{scratch}, p);

  std::int32_t r[Items];  // the row of each of this thread's entries, from the unit's first
  std::int32_t c[Items];
  sum_t<S> v[Items];
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * Threads + tid;
    if (k < entries) {
      r[step] = row[k] - first_row;
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
    std::int32_t before = __shfl_up_sync(0xffffffffu, r[step], 1);
    if (k >= entries) continue;
    products[exec::place_of(k)] = v[step];
    if (tid % exec::warp_size == 0) before = k > 0 ? row[k - 1] - first_row : -1;
    // Rows between two entries' rows are empty: they begin where the next one does.
    for (int i = before + 1; i <= r[step]; ++i) row_begin[i] = k;
  }
  for (int i = (entries > 0 ? row[entries - 1] - first_row + 1 : 0) + tid; i <= rows; i += Threads)
    row_begin[i] = entries;
  __syncthreads();
  const bool finish_empty = p.beta != sum_t<S>{1};
  exec::sum_rows<Threads>(
      products, rows, [&](int i) { return row_begin[i]; }, [] {},
      [&](int i, sum_t<S> sum) {
        if (finish_empty || row_begin[i + 1] > row_begin[i]) p.finish_row(first_row + i, sum);
      });
}

template <int Items, class S>
void launch_units(const coo_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                  cuda_stream stream) {
  coo_unit_per_block<device_tile::threads, Items>
      <<<static_cast<unsigned>(a.meta.units), device_tile::threads, 0, stream.handle()>>>(a, p, scratch);
}

}  // namespace

template <scalar_types S>
void coo::launch(const coo_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                 cuda_stream stream) {
  if (a.meta.accumulate == coo_accumulate::atomic) {
    // y is scaled first, since a row without entries has nobody to write it.
    exec::scale_on_device<S>(p.y, a.meta.rows, p.beta, stream);
    if (a.meta.nnz == 0) return;
    product<S> add = p;
    add.beta = sum_t<S>{1};
    constexpr int block = 256;
    coo_entry_per_thread_atomic<<<exec::blocks_for(a.meta.nnz, block), block, 0, stream.handle()>>>(a, add);
  } else if (a.meta.tile_items == device_tile::few) {
    launch_units<device_tile::few>(a, p, scratch, stream);
  } else {
    launch_units<device_tile::many>(a, p, scratch, stream);
  }
  exec::check_launch("coo");
  exec::combine_on_device(a.carries, scratch, p, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(coo, std::int64_t)

}  // namespace gossamer::inline v0::formats
