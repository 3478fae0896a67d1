// SPDX-License-Identifier: BSD-3-Clause
#include "capi/arrays.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <tuple>

#include "capi/status.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0::capi {
namespace {

void require_dimension(std::int64_t n, std::string_view name) {
  if (n < 0) fail(errc::invalid_argument, "arrays->{} is {}", name, n);
  if (n > max_dimension) fail(errc::unsupported, "arrays->{} is {}; at most 2^31 - 1 are supported", name, n);
}

void require_one_of(std::int32_t value, std::initializer_list<std::int32_t> allowed, std::string_view name,
                    std::string_view words) {
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    fail(errc::invalid_argument, "arrays->{} is {}; it must be {}", name, value, words);
}

void check(const gossamer_arrays& a) {
  require_one_of(a.layout, {GOSSAMER_CSR, GOSSAMER_CSC, GOSSAMER_COO}, "layout",
                 "GOSSAMER_CSR, GOSSAMER_CSC or GOSSAMER_COO");
  require_one_of(a.memory, {GOSSAMER_HOST, GOSSAMER_DEVICE}, "memory", "GOSSAMER_HOST or GOSSAMER_DEVICE");
  require_one_of(a.value_type, {GOSSAMER_F32, GOSSAMER_F64}, "value_type", "GOSSAMER_F32 or GOSSAMER_F64");
  require_one_of(a.offset_type, {GOSSAMER_I32, GOSSAMER_I64}, "offset_type", "GOSSAMER_I32 or GOSSAMER_I64");
  require_one_of(a.index_type, {GOSSAMER_I32, GOSSAMER_I64}, "index_type", "GOSSAMER_I32 or GOSSAMER_I64");
  require_one_of(a.base, {0, 1}, "base", "0 or 1");
  require_dimension(a.rows, "rows");
  require_dimension(a.cols, "cols");
  constexpr std::int64_t most_entries = std::int64_t{1} << 60;  // more do not fit into an address space
  if (a.nnz < 0 || a.nnz > most_entries) fail(errc::invalid_argument, "arrays->nnz is {}", a.nnz);
  if (a.layout != GOSSAMER_COO || a.nnz > 0) require(a.offsets, "arrays->offsets");
  if (a.nnz > 0) {
    require(a.indices, "arrays->indices");
    require(a.values, "arrays->values");
  }
}

/// int32 indices with base 0. Refers to the caller's if they are that already.
template <class From>
host_buffer<std::int32_t> narrowed(const void* from, std::int64_t size, std::int32_t base, std::int64_t limit,
                                   std::string_view name) {
  const auto* const given = static_cast<const From*>(from);
  const auto count = static_cast<std::size_t>(size);
  if constexpr (std::is_same_v<From, std::int32_t>)
    if (base == 0) return host_buffer<std::int32_t>::borrow({given, count});
  host_buffer<std::int32_t> to(count);
  std::int32_t* const written = to.data();
  std::atomic<std::int64_t> first_outside{size};
  core::parallel_for(size, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t index = given[k];
      if (index >= base && index < base + limit) {
        written[k] = static_cast<std::int32_t>(index - base);
        continue;
      }
      std::int64_t before = first_outside.load();
      while (k < before && !first_outside.compare_exchange_weak(before, k)) {
      }
      return;
    }
  });
  const std::int64_t k = first_outside.load();
  if (k < size) fail_outside(name, k, std::int64_t{given[k]}, base, limit);
  return to;
}

host_buffer<std::int32_t> narrowed(gossamer_type type, const void* from, std::int64_t size, std::int32_t base,
                                   std::int64_t limit, std::string_view name) {
  return with_index_type(type,
                         [&]<class From>(From*) { return narrowed<From>(from, size, base, limit, name); });
}

/// Offsets with base 0.
template <class O>
host_buffer<O> offsets_of(const gossamer_arrays& a) {
  const auto* const given = static_cast<const O*>(a.offsets);
  const auto count = static_cast<std::size_t>(compressed_rows(a)) + 1;
  check_offsets(a, given[0], given[count - 1]);
  if (a.base == 0) return host_buffer<O>::borrow({given, count});
  host_buffer<O> to(count);
  O* const written = to.data();
  core::parallel_for(compressed_rows(a) + 1, core::default_grain, [=](std::int64_t begin, std::int64_t end) {
    // The smallest number stays as it is: validate() then refuses it.
    for (std::int64_t i = begin; i < end; ++i)
      written[i] = given[i] == std::numeric_limits<O>::min() ? given[i] : static_cast<O>(given[i] - 1);
  });
  return to;
}

template <class V>
host_buffer<V> values_of(const gossamer_arrays& a) {
  return host_buffer<V>::borrow({static_cast<const V*>(a.values), static_cast<std::size_t>(a.nnz)});
}

template <class V, class O>
any_matrix compressed(const gossamer_arrays& a) {
  csr_matrix<V, O> matrix{
      .rows = compressed_rows(a),
      .cols = compressed_cols(a),
      .row_ptr = offsets_of<O>(a),
      .col = narrowed(a.index_type, a.indices, a.nnz, a.base, compressed_cols(a), "arrays->indices"),
      .val = values_of<V>(a)};
  any_matrix result = owning(std::move(matrix));
  result.is_transposed = a.layout == GOSSAMER_CSC;
  return result;
}

template <class V>
any_matrix coordinates(const gossamer_arrays& a) {
  const auto row = narrowed(a.offset_type, a.offsets, a.nnz, a.base, a.rows, "arrays->offsets");
  const auto col = narrowed(a.index_type, a.indices, a.nnz, a.base, a.cols, "arrays->indices");
  const auto val = values_of<V>(a);
  const coo_view<V> entries{
      .rows = a.rows, .cols = a.cols, .row = row.span(), .col = col.span(), .val = val.span()};
  return std::visit([](auto&& sorted) { return owning(std::move(sorted)); },
                    narrow_offsets(csr_from_coo<V>(entries)));
}

}  // namespace

void check_offsets(const gossamer_arrays& a, std::int64_t first, std::int64_t last) {
  const auto require = [](std::int64_t k, std::int64_t offset, std::int64_t expected, std::string_view what) {
    if (offset != expected)
      fail(errc::invalid_matrix, "arrays->offsets[{}] is {}; it must be {}, {}", k, offset, expected, what);
  };
  require(0, first, a.base, "the base");
  require(compressed_rows(a), last, a.base + a.nnz, "the base plus nnz");
}

void fail_outside(std::string_view name, std::int64_t k, std::int64_t value, std::int32_t base,
                  std::int64_t limit) {
  fail(errc::invalid_matrix, "{}[{}] is {}; it must be from {} to {}", name, k, value, base,
       base + limit - 1);
}

any_matrix matrix_of(const gossamer_arrays& a) {
  check(a);
  if (a.memory == GOSSAMER_DEVICE) return matrix_on_device(a);
  return with_value_type(a.value_type, [&]<class V>(V*) {
    if (a.layout == GOSSAMER_COO) return coordinates<V>(a);
    return with_index_type(a.offset_type, [&]<class O>(O*) { return compressed<V, O>(a); });
  });
}

}  // namespace gossamer::inline v0::capi
