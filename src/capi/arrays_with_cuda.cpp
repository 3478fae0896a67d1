// SPDX-License-Identifier: BSD-3-Clause
// Arrays in device memory. Copies with other widths, bases and orders are made there.
#include <utility>

#include "capi/arrays.hpp"
#include "core/fail.hpp"
#include "exec/cuda/index_arrays.hpp"

namespace gossamer::inline v0::capi {
namespace {

using exec::device_buffer;

template <class T>
device_span<const T> given_span(const void* data, std::int64_t size) {
  return {static_cast<const T*>(data), static_cast<std::size_t>(size)};
}

template <class T>
T element(const T* array, std::int64_t k) {
  T to{};
  exec::copy_async(&to, array + k, sizeof to, exec::copy_kind::device_to_host, {});
  exec::synchronize({});
  return to;
}

/// int32 indices with base 0. Refers to the caller's if they are that already, unless they are checked.
template <class From>
device_buffer<std::int32_t> narrowed(const void* from, std::int64_t size, const gossamer_arrays& a,
                                     std::int64_t limit, std::string_view name, bool checked) {
  if constexpr (std::is_same_v<From, std::int32_t>)
    if (a.base == 0 && !checked) return device_buffer<std::int32_t>::borrow(given_span<From>(from, size));
  device_buffer<std::int32_t> to(static_cast<std::size_t>(size), a.device);
  const auto* const given = static_cast<const From*>(from);
  const std::int64_t k = exec::narrow_on_device(given, size, a.base, limit, to.data(), a.device);
  if (k == size) return to;
  fail_outside(name, k, std::int64_t{element(given, k)}, a.base, limit);
}

device_buffer<std::int32_t> narrowed(gossamer_type type, const void* from, std::int64_t size,
                                     const gossamer_arrays& a, std::int64_t limit, std::string_view name,
                                     bool checked = false) {
  return with_index_type(
      type, [&]<class From>(From*) { return narrowed<From>(from, size, a, limit, name, checked); });
}

template <class O>
device_buffer<O> offsets_of(const gossamer_arrays& a) {
  const std::int64_t size = compressed_rows(a) + 1;
  const auto* const given = static_cast<const O*>(a.offsets);
  check_offsets(a, element(given, 0), element(given, size - 1));
  if (a.base == 0) return device_buffer<O>::borrow(given_span<O>(a.offsets, size));
  device_buffer<O> to(static_cast<std::size_t>(size), a.device);
  exec::subtract_one_on_device(given, size, to.data());
  return to;
}

template <class O>
struct owned_indices {
  device_buffer<O> offsets;
  device_buffer<std::int32_t> indices;
};

template <class V, class O>
any_matrix compressed(const gossamer_arrays& a) {
  auto kept = std::make_shared<owned_indices<O>>(owned_indices<O>{
      .offsets = offsets_of<O>(a),
      .indices = narrowed(a.index_type, a.indices, a.nnz, a, compressed_cols(a), "arrays->indices")});
  const csr_view<V, O, device_space> view{.rows = compressed_rows(a),
                                          .cols = compressed_cols(a),
                                          .row_ptr = kept->offsets.span(),
                                          .col = kept->indices.span(),
                                          .val = given_span<V>(a.values, a.nnz)};
  exec::synchronize({});
  return {
      .view = view, .is_transposed = a.layout == GOSSAMER_CSC, .device = a.device, .owned = std::move(kept)};
}

template <class V>
any_matrix without_entries(const gossamer_arrays& a) {
  const auto size = static_cast<std::size_t>(a.rows) + 1;
  auto kept = std::make_shared<device_buffer<std::int32_t>>(size, a.device);
  exec::fill_now(kept->data(), size * sizeof(std::int32_t), 0);
  const csr_view<V, std::int32_t, device_space> view{
      .rows = a.rows, .cols = a.cols, .row_ptr = kept->span(), .col = {}, .val = {}};
  return {.view = view, .is_transposed = false, .device = a.device, .owned = std::move(kept)};
}

template <class V>
any_matrix coordinates(const gossamer_arrays& a) {
  if (a.nnz > max_dimension)
    fail(errc::unsupported, "arrays->nnz is {}; of COO arrays in device memory at most 2^31 - 1", a.nnz);
  if (a.nnz == 0) return without_entries<V>(a);
  const auto row = narrowed(a.offset_type, a.offsets, a.nnz, a, a.rows, "arrays->offsets", true);
  const auto col = narrowed(a.index_type, a.indices, a.nnz, a, a.cols, "arrays->indices");
  auto kept = std::make_shared<exec::sorted_on_device<V>>(a.rows, a.cols, row.span(), col.span(),
                                                          given_span<V>(a.values, a.nnz), a.device);
  exec::synchronize({});
  return {.view = kept->view(), .is_transposed = false, .device = a.device, .owned = std::move(kept)};
}

}  // namespace

any_matrix matrix_on_device(const gossamer_arrays& a) {
  exec::require_device(a.device);
  const exec::device_guard guard(a.device);
  return with_value_type(a.value_type, [&]<class V>(V*) {
    if (a.layout == GOSSAMER_COO) return coordinates<V>(a);
    return with_index_type(a.offset_type, [&]<class O>(O*) { return compressed<V, O>(a); });
  });
}

}  // namespace gossamer::inline v0::capi
