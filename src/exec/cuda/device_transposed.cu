// SPDX-License-Identifier: BSD-3-Clause
// A stable radix sort of the entries' numbers by column. So entries of one column keep their order, whatever
// the device.
#include "exec/cuda/device_transposed.hpp"

#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "core/instantiate.hpp"
#include "exec/cuda/kernel/rows_of_entries.cuh"

namespace gossamer::inline v0::exec {
namespace {

constexpr int transpose_threads = 256;

/// The row of each entry, and its index.
template <class O>
__global__ void number_entry_per_thread(const O* row_ptr, std::int64_t rows, std::int64_t nnz,
                                        std::int32_t* row, O* number) {
  const std::int32_t mine = row_of_thread<transpose_threads>(row_ptr, rows, nnz);
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * transpose_threads + threadIdx.x;
  if (k >= nnz) return;
  row[k] = mine;
  number[k] = static_cast<O>(k);
}

/// Where each column begins among the sorted ones.
template <class O>
__global__ void find_column_per_thread(const std::int32_t* sorted, std::int64_t nnz, std::int64_t cols,
                                       O* row_ptr) {
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * transpose_threads + threadIdx.x;
  if (j > cols) return;
  std::int64_t low = 0;
  std::int64_t high = nnz;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (sorted[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  row_ptr[j] = static_cast<O>(low);
}

template <class V, class O>
__global__ void move_entry_per_thread(const O* entries, std::int64_t nnz, const std::int32_t* row,
                                      const V* val, std::int32_t* to_col, V* to_val) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * transpose_threads + threadIdx.x;
  if (k >= nnz) return;
  const O from = entries[k];
  to_col[k] = row[from];
  to_val[k] = val[from];
}

__global__ void compare_word_per_thread(const std::uint32_t* a, const std::uint32_t* b, std::int64_t words,
                                        int* differ) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * transpose_threads + threadIdx.x;
  if (i < words && a[i] != b[i]) *differ = 1;
}

template <class T>
void compare_arrays(device_span<const T> a, device_span<const T> b, int* differ) {
  if (a.empty()) return;
  const auto words = static_cast<std::int64_t>(a.size() * (sizeof(T) / sizeof(std::uint32_t)));
  compare_word_per_thread<<<blocks_for(words, transpose_threads), transpose_threads>>>(
      reinterpret_cast<const std::uint32_t*>(a.data()), reinterpret_cast<const std::uint32_t*>(b.data()),
      words, differ);
  check_launch("compare_word_per_thread");
}

/// Sorts the indices of entries by column. Stable.
template <class O>
void sort_by_column(const std::int32_t* key, std::int32_t* sorted, const O* number, O* to, std::int64_t nnz,
                    std::int64_t cols, int device) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(cols - 1))));
  const auto sort = [&](void* room, std::size_t& bytes) {
    check_cuda(
        static_cast<int>(cub::DeviceRadixSort::SortPairs(room, bytes, key, sorted, number, to, nnz, 0, bits)),
        "transpose: sort by column");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const temporary_array<std::byte> room(bytes, device);
  sort(room.data(), bytes);
}

}  // namespace

template <value V, offset O>
device_transposed<V, O>::device_transposed(const csr_view<V, O, device_space>& a, int device)
    : rows_(a.cols),
      cols_(a.rows),
      row_ptr_(static_cast<std::size_t>(a.cols) + 1, device),
      col_(a.col.size(), device),
      val_(a.val.size(), device),
      permutation_(a.col.size(), device) {
  const std::int64_t nnz = a.nnz();
  const temporary_array<std::int32_t> row(a.col.size(), device);
  {
    const temporary_array<std::int32_t> sorted(a.col.size(), device);
    const temporary_array<O> number(a.col.size(), device);
    number_entry_per_thread<<<blocks_for(nnz, transpose_threads), transpose_threads>>>(
        a.row_ptr.data(), a.rows, nnz, row.data(), number.data());
    check_launch("number_entry_per_thread");
    sort_by_column(a.col.data(), sorted.data(), std::as_const(number).data(), permutation_.data(), nnz,
                   a.cols, device);
    find_column_per_thread<<<blocks_for(a.cols + 1, transpose_threads), transpose_threads>>>(
        sorted.data(), nnz, a.cols, row_ptr_.data());
    check_launch("find_column_per_thread");
  }
  move_entry_per_thread<<<blocks_for(nnz, transpose_threads), transpose_threads>>>(
      permutation_.data(), nnz, row.data(), a.val.data(), col_.data(), val_.data());
  check_launch("move_entry_per_thread");
}

template <value V, offset O>
bool same_arrays_on_device(const csr_view<V, O, device_space>& a, const csr_view<V, O, device_space>& b,
                           int device) {
  if (a.rows != b.rows || a.cols != b.cols || a.nnz() != b.nnz()) return false;
  const temporary_array<int> differ(1, device);
  check_cuda(static_cast<int>(cudaMemsetAsync(differ.data(), 0, sizeof(int))), "cudaMemsetAsync");
  compare_arrays(a.row_ptr, b.row_ptr, differ.data());
  compare_arrays(a.col, b.col, differ.data());
  compare_arrays(a.val, b.val, differ.data());
  int found = 0;
  copy_async(&found, differ.data(), sizeof(int), copy_kind::device_to_host, {});
  synchronize({});
  return found == 0;
}

#define GOSSAMER_INSTANCE(V, O)                                            \
  template class device_transposed<V, O>;                                  \
  template bool same_arrays_on_device(const csr_view<V, O, device_space>&, \
                                      const csr_view<V, O, device_space>&, int);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
