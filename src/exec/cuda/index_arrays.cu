// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/index_arrays.hpp"

#include <limits>

#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/temporary_array.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int index_threads = 256;

template <class From>
__global__ void narrow_index_per_thread(const From* from, std::int64_t size, std::int32_t base,
                                        std::int64_t limit, std::int32_t* to,
                                        unsigned long long* first_outside) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x;
  if (k >= size) return;
  const std::int64_t index = from[k];
  if (index >= base && index < base + limit)
    to[k] = static_cast<std::int32_t>(index - base);
  else
    atomicMin(first_outside, static_cast<unsigned long long>(k));
}

template <class O>
__global__ void subtract_one_per_thread(const O* from, std::int64_t size, O* to) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x;
  // The smallest number stays as it is: validation then refuses it.
  if (i < size) to[i] = from[i] == std::numeric_limits<O>::min() ? from[i] : from[i] - 1;
}

__global__ void number_per_thread(std::int32_t* to, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x;
  if (i < size) to[i] = static_cast<std::int32_t>(i);
}

__global__ void gather_column_per_thread(const std::int32_t* entry, const std::int32_t* col,
                                         std::int64_t size, std::int32_t* to) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x;
  if (k < size) to[k] = col[entry[k]];
}

/// The rows of the entries as a matrix: row k has value k in column row[k]. Its transpose has the entries of
/// each row in their order.
template <class V>
device_transposed<V, std::int32_t> by_row(std::int64_t rows, device_span<const std::int32_t> row,
                                          device_span<const V> val, int device) {
  const auto entries = static_cast<std::int64_t>(row.size());
  const temporary_array<std::int32_t> one_each(row.size() + 1, device);
  number_per_thread<<<blocks_for(entries + 1, index_threads), index_threads>>>(one_each.data(), entries + 1);
  check_launch("number_per_thread");
  return device_transposed<V, std::int32_t>(
      {.rows = entries, .cols = rows, .row_ptr = one_each.span(), .col = row, .val = val}, device);
}

}  // namespace

template <offset From>
std::int64_t narrow_on_device(const From* from, std::int64_t size, std::int32_t base, std::int64_t limit,
                              std::int32_t* to, int device) {
  if (size == 0) return 0;
  const temporary_array<unsigned long long> first_outside(1, device);
  const auto none = static_cast<unsigned long long>(size);
  copy_async(first_outside.data(), &none, sizeof none, copy_kind::host_to_device, {});
  narrow_index_per_thread<<<blocks_for(size, index_threads), index_threads>>>(from, size, base, limit, to,
                                                                              first_outside.data());
  check_launch("narrow_index_per_thread");
  unsigned long long found = 0;
  copy_async(&found, first_outside.data(), sizeof found, copy_kind::device_to_host, {});
  synchronize({});
  return static_cast<std::int64_t>(found);
}

template <offset O>
void subtract_one_on_device(const O* from, std::int64_t size, O* to) {
  subtract_one_per_thread<<<blocks_for(size, index_threads), index_threads>>>(from, size, to);
  check_launch("subtract_one_per_thread");
}

template <value V>
sorted_on_device<V>::sorted_on_device(std::int64_t rows, std::int64_t cols,
                                      device_span<const std::int32_t> row,
                                      device_span<const std::int32_t> col, device_span<const V> val,
                                      int device)
    : rows_(rows), cols_(cols), by_row_(by_row(rows, row, val, device)), col_(col.size(), device) {
  const auto entries = static_cast<std::int64_t>(col.size());
  gather_column_per_thread<<<blocks_for(entries, index_threads), index_threads>>>(
      by_row_.view().col.data(), col.data(), entries, col_.data());
  check_launch("gather_column_per_thread");
}

#define GOSSAMER_INDEX_INSTANCE(O)                                                                          \
  template std::int64_t narrow_on_device(const O*, std::int64_t, std::int32_t, std::int64_t, std::int32_t*, \
                                         int);                                                              \
  template void subtract_one_on_device(const O*, std::int64_t, O*);
GOSSAMER_INDEX_INSTANCE(std::int32_t)
GOSSAMER_INDEX_INSTANCE(std::int64_t)
#undef GOSSAMER_INDEX_INSTANCE
template class sorted_on_device<float>;
template class sorted_on_device<double>;

}  // namespace gossamer::inline v0::exec
