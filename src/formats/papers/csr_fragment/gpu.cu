// SPDX-License-Identifier: BSD-3-Clause
// CSR-B on a CUDA device: a block multiplies a fragment; a second kernel (exec::combine_on_device) adds what
// rows have in several.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/reduction/row_sums.cuh"
#include "formats/papers/csr_fragment/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int block_threads = 256;
constexpr int half_warp = 16;

/// Where the sums of a fragment's rows go: to y, or to the fragment's part of result_aid where another has
/// the row too.
template <class S, class O>
struct fragment_rows {
  const csr_fragment_pointers<matrix_t<S>, O>& a;
  const product<S>& p;
  sum_t<S>* slots;           ///< of this fragment, two
  std::int64_t first_entry;  ///< of the matrix
  int entries;
  std::int64_t first_row;
  std::int64_t rows;
  bool has_head;
  bool has_tail;

  __device__ fragment_rows(const csr_fragment_pointers<matrix_t<S>, O>& a_, const product<S>& p_,
                           sum_t<S>* scratch)
      : a(a_), p(p_), slots(scratch + exec::slots_per_unit * std::int64_t{blockIdx.x}) {
    const std::int64_t f = blockIdx.x;
    const fragment_bound bound = a.bound[f];
    first_entry = f * a.meta.fragment;
    entries = static_cast<int>(min(a.meta.fragment, a.meta.nnz - first_entry));
    first_row = bound.x;
    rows = bound.y - first_row + 1;
    has_head = a.row_ptr[first_row] < first_entry;
    has_tail = a.row_ptr[first_row + rows] > first_entry + entries;
  }

  /// Entries of this fragment before row r of it.
  [[nodiscard]] __device__ int entries_before(std::int64_t r) const {
    const std::int64_t k = static_cast<std::int64_t>(a.row_ptr[first_row + r]) - first_entry;
    return static_cast<int>(max(std::int64_t{0}, min(k, std::int64_t{entries})));
  }

  __device__ void finish(std::int64_t r, sum_t<S> sum) const {
    if (r == 0 && has_head) {
      slots[0] = sum;
      if (rows == 1 && has_tail) slots[1] = sum_t<S>{0};  // one sum, two slots
    } else if (r == rows - 1 && has_tail) {
      slots[1] = sum;
    } else {
      p.finish_row(first_row + r, sum);
    }
  }
};

template <class S, class O>
__device__ void finish_gap(const csr_fragment_pointers<matrix_t<S>, O>& a, const product<S>& p) {
  const fragment_gap gap = a.gap[blockIdx.x - a.meta.fragments];
  for (std::int64_t i = std::int64_t{gap.first} + threadIdx.x; i < gap.last; i += block_threads)
    p.finish_row(i, sum_t<S>{0});
}

/// Leaves the products of a fragment in shared memory, in the order of the entries. Contains no barrier.
template <int Items, class S, class O>
__device__ __forceinline__ void make_products(const fragment_rows<S, O>& rows, sum_t<S>* products) {
  const std::int32_t* col = rows.a.col + rows.first_entry;
  const matrix_t<S>* val = rows.a.val + rows.first_entry;
  const int tid = static_cast<int>(threadIdx.x);
  std::int32_t c[Items];
  sum_t<S> v[Items];
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * block_threads + tid;
    if (k < rows.entries) {
      c[step] = col[k];
      v[step] = val[k];
    }
  }
#pragma unroll
  for (int step = 0; step < Items; ++step)
    if (step * block_threads + tid < rows.entries) v[step] *= rows.p.x[c[step]];
      // In a loop of its own: the compiler must take x for shared memory too, and would not load past a
      // store.
#pragma unroll
  for (int step = 0; step < Items; ++step) {
    const int k = step * block_threads + tid;
    if (k < rows.entries) products[exec::place_of(k)] = v[step];
  }
}

/// Table V of paper 002: each of the block's 16 half-warps sums every sixteenth row.
template <class S, class O>
__device__ __forceinline__ void sum_by_half_warps(const fragment_rows<S, O>& rows, const sum_t<S>* products) {
  constexpr int at_once = block_threads / half_warp;
  const int lane = static_cast<int>(threadIdx.x) % half_warp;
  for (std::int64_t base = 0; base < rows.rows; base += at_once) {
    const std::int64_t r = base + threadIdx.x / half_warp;
    sum_t<S> sum{0};
    if (r < rows.rows) {
      const int end = rows.entries_before(r + 1);
      for (int k = rows.entries_before(r) + lane; k < end; k += half_warp) sum += products[exec::place_of(k)];
    }
    sum = exec::sum_lanes<half_warp>(sum);
    if (lane == 0 && r < rows.rows) rows.finish(r, sum);
  }
}

template <int Items, class S, class O>
__global__ void __launch_bounds__(block_threads)
    csr_fragment_half_warp_per_row(csr_fragment_pointers<matrix_t<S>, O> a, product<S> p, sum_t<S>* scratch) {
  __shared__ sum_t<S> products[exec::places_for(block_threads * Items)];
  exec::trigger_dependents(exec::combines_apart(a.carries));
  if (blockIdx.x >= a.meta.fragments) return finish_gap(a, p);
  const fragment_rows<S, O> rows(a, p, scratch);
  make_products<Items>(rows, products);
  __syncthreads();
  sum_by_half_warps(rows, products);
}

/// As many threads a row as rows leave; of a fragment inside one row the products stay in registers.
template <int Items, class S, class O>
__global__ void __launch_bounds__(block_threads)
    csr_fragment_threads_by_rows(csr_fragment_pointers<matrix_t<S>, O> a, product<S> p, sum_t<S>* scratch) {
  __shared__ sum_t<S> products[exec::places_for(block_threads * Items)];
  exec::trigger_dependents(exec::combines_apart(a.carries));
  if (blockIdx.x >= a.meta.fragments) return finish_gap(a, p);
  const fragment_rows<S, O> rows(a, p, scratch);
  if (rows.rows == 1) {
    const sum_t<S> sum = exec::sum_block<block_threads>(exec::multiply_piece<block_threads, S>(
        a.val + rows.first_entry, a.col + rows.first_entry, rows.entries, p.x, [] {}));
    if (threadIdx.x == 0) rows.finish(0, sum);
    return;
  }
  make_products<Items>(rows, products);
  // sum_rows() counts rows in an int, a little past the last.
  if (rows.rows > std::int64_t{1} << 30) {
    __syncthreads();
    return sum_by_half_warps(rows, products);
  }
  exec::sum_rows<block_threads>(
      products, static_cast<int>(rows.rows), [&](int r) { return rows.entries_before(r); },
      [] { __syncthreads(); }, [&](int r, sum_t<S> sum) { rows.finish(r, sum); });
}

template <int Items, class S, class O>
void launch_fragments(const csr_fragment_pointers<matrix_t<S>, O>& a, const product<S>& p, sum_t<S>* scratch,
                      cuda_stream stream) {
  const unsigned blocks = exec::blocks_for(a.meta.fragments + a.meta.gaps, 1);
  if (a.meta.kernel == csr_fragment_kernel::paper)
    csr_fragment_half_warp_per_row<Items><<<blocks, block_threads, 0, stream.handle()>>>(a, p, scratch);
  else
    csr_fragment_threads_by_rows<Items><<<blocks, block_threads, 0, stream.handle()>>>(a, p, scratch);
}

}  // namespace

template <scalar_types S, offset O>
void csr_fragment::launch(const csr_fragment_pointers<matrix_t<S>, O>& a, const product<S>& p,
                          sum_t<S>* scratch, cuda_stream stream) {
  switch (a.meta.fragment / block_threads) {
    case 1:
      launch_fragments<1>(a, p, scratch, stream);
      break;
    case 2:
      launch_fragments<2>(a, p, scratch, stream);
      break;
    case 4:
      launch_fragments<4>(a, p, scratch, stream);
      break;
    case 8:
      launch_fragments<8>(a, p, scratch, stream);
      break;
    default:
      launch_fragments<16>(a, p, scratch, stream);
      break;
  }
  exec::check_launch("csr_fragment");
  exec::combine_on_device(a.carries, scratch, p, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(csr_fragment, std::int32_t)
GOSSAMER_INSTANTIATE_LAUNCH(csr_fragment, std::int64_t)

}  // namespace gossamer::inline v0::formats
