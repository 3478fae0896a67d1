// SPDX-License-Identifier: BSD-3-Clause
// Sparse matrices: views of arrays of the caller, matrices that own their arrays, and the check of both.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "gossamer/export.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// rows x cols; row i holds the entries row_ptr[i] ... row_ptr[i + 1] - 1 of col and val. Indices start at 0.
/// Columns may be unsorted; an entry that stands twice counts twice; a stored zero is an entry.
/// A view is trusted only after validate() (inspect calls it).
template <class V, offset O = std::int64_t, class Space = host_space>
struct csr_view {
  using value_type = V;
  using offset_type = O;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  span_in<const O, Space> row_ptr;         ///< rows + 1 offsets, the first is 0
  span_in<const std::int32_t, Space> col;  ///< nnz columns, 0 <= col < cols
  span_in<const V, Space> val;             ///< nnz values

  [[nodiscard]] constexpr std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
};

/// rows x cols; entry k is val[k] at (row[k], col[k]), indices from 0, in any order. Duplicates add up.
template <class V, class Space = host_space>
struct coo_view {
  using value_type = V;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  span_in<const std::int32_t, Space> row;
  span_in<const std::int32_t, Space> col;
  span_in<const V, Space> val;

  [[nodiscard]] constexpr std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
};

/// How a dense matrix lies in memory: column after column, or row after row.
enum class layout : std::int32_t { column_major, row_major };

/// A dense matrix of the caller's. Element (i, j) is data[i + j * leading] in column-major and
/// data[i * leading + j] in row-major order. What lies between rows or columns is never read or written.
template <class T, class Space = host_space>
struct dense_view {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t leading = 0;  ///< leading dimension: at least rows in column-major, cols in row-major order
  layout order = layout::column_major;
  span_in<T, Space> data;  ///< up to the last element at least

  /// A template, since nvcc warns of a conversion of a type to itself.
  template <std::same_as<const T> Constant>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator dense_view<Constant, Space>() const noexcept requires(!std::is_const_v<T>) {
    return {.rows = rows, .cols = cols, .leading = leading, .order = order, .data = data};
  }
};

/// Owns what a csr_view shows. An aggregate: fill the members and call view().
template <class V, offset O = std::int64_t>
struct csr_matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  host_buffer<O> row_ptr;  ///< rows + 1
  host_buffer<std::int32_t> col;
  host_buffer<V> val;

  [[nodiscard]] std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
  [[nodiscard]] csr_view<V, O> view() const noexcept {
    return {.rows = rows, .cols = cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  }
};

/// A matrix whose offsets are as narrow as its number of nonzeros allows.
template <value V>
using any_csr = std::variant<csr_matrix<V, std::int32_t>, csr_matrix<V, std::int64_t>>;

/// Sorts the entries by row, keeping their order within a row (so duplicates stay, and stay in order). O(nnz
/// + rows). Throws invalid_matrix for an index outside the shape. Throws unsupported for a dimension over
/// 2^31 - 1, or for more than 2^31 - 1 entries if O is int32.
template <value V, offset O = std::int64_t>
GOSSAMER_API csr_matrix<V, O> csr_from_coo(const coo_view<V>& coo);

/// A copy with its own arrays and offsets of type To. Throws unsupported where nnz does not fit in To.
template <value V, offset To, offset From>
GOSSAMER_API csr_matrix<V, To> copy(const csr_view<V, From>& a);

/// int32 offsets where nnz < 2^31, else int64; columns and values move, only the offsets are rewritten.
template <value V>
GOSSAMER_API any_csr<V> narrow_offsets(csr_matrix<V, std::int64_t>&& a);

/// The transpose, in arrays of its own. Each row has its columns in ascending order; duplicates stay, in
/// their order. Deterministic on any number of threads. O(nnz + rows + cols). `a` must be valid, see
/// validate(). Throws out_of_memory.
template <value V, offset O>
GOSSAMER_API csr_matrix<V, O> transpose(const csr_view<V, O>& a);

/// Checks sizes, offsets (first 0, never falling, last = nnz) and columns (0 <= col < cols); O(rows + nnz),
/// on all threads. Throws invalid_matrix that names the first bad position, size_mismatch where arrays
/// disagree in length, or unsupported for a dimension over 2^31 - 1. Values are not looked at: Inf and NaN
/// are values.
template <class V, offset O>
GOSSAMER_API void validate(const csr_view<V, O>& a);

/// Checks that the three arrays have one length and that every index lies inside the shape. Errors as above.
template <class V>
GOSSAMER_API void validate(const coo_view<V>& a);

}  // namespace gossamer::inline v0
