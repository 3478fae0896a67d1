// SPDX-License-Identifier: BSD-3-Clause
// Sparse and dense matrices: views of the caller's arrays, matrices that own their arrays, and validation.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "gossamer/export.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// A view of a sparse matrix in compressed sparse row (CSR) format. Indices start at 0. Row i has the entries
/// row_ptr[i] ... row_ptr[i + 1] - 1 of `col` and `val`.
///
/// The columns of a row may be in any order. Duplicate entries add up. A stored zero is an entry. The caller
/// owns the arrays. inspect() checks them by validate(). transpose() needs a valid matrix.
///
/// @par Memory
/// With Space = host_space, the arrays are std::span. With Space = device_space, they are device_span, made
/// of a device pointer and a length: `.col = {device_pointer, nnz}`.
///
/// @par CSC
/// There is no view for compressed sparse columns. The CSC arrays of A are the CSR arrays of its transpose.
/// For a CSC matrix C, make a csr_view of its arrays, with rows and columns exchanged. Call inspect()
/// for this view with operations = transposed. multiply_transposed() of this plan computes C x.
template <class V, offset O = std::int64_t, class Space = host_space>
struct csr_view {
  using value_type = V;   ///< float or double
  using offset_type = O;  ///< std::int32_t or std::int64_t

  std::int64_t rows = 0;                   ///< number of rows
  std::int64_t cols = 0;                   ///< number of columns
  span_in<const O, Space> row_ptr;         ///< rows + 1 offsets; the first is 0, the last nnz()
  span_in<const std::int32_t, Space> col;  ///< column index of each entry, 0 <= index < cols
  span_in<const V, Space> val;             ///< value of each entry

  /// The number of entries.
  [[nodiscard]] constexpr std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
};

/// A view of a sparse matrix in coordinate (COO) format: entry k has the value val[k] at (row[k], col[k]).
/// Indices start at 0. Entries may be in any order. Duplicate entries add up. The caller owns the arrays.
template <class V, class Space = host_space>
struct coo_view {
  using value_type = V;  ///< float or double

  std::int64_t rows = 0;                   ///< number of rows
  std::int64_t cols = 0;                   ///< number of columns
  span_in<const std::int32_t, Space> row;  ///< row index of each entry, 0 <= index < rows
  span_in<const std::int32_t, Space> col;  ///< column index of each entry, 0 <= index < cols
  span_in<const V, Space> val;             ///< value of each entry

  /// The number of entries.
  [[nodiscard]] constexpr std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
};

/// Order of a dense matrix in memory.
enum class layout : std::int32_t {
  column_major,  ///< the elements of a column are contiguous
  row_major      ///< the elements of a row are contiguous
};

/// A view of a dense matrix. The caller owns the memory. Element (i, j) is:
/// - column-major: data[i + j * leading],
/// - row-major: data[i * leading + j].
///
/// Products do not touch the gaps between columns or rows.
template <class T, class Space = host_space>
struct dense_view {
  std::int64_t rows = 0;     ///< number of rows
  std::int64_t cols = 0;     ///< number of columns
  std::int64_t leading = 0;  ///< leading dimension: at least rows (column-major) or cols (row-major)
  layout order = layout::column_major;  ///< column-major or row-major
  span_in<T, Space> data;               ///< memory from element (0, 0) to the last element, or longer

  /// Converts to a view of const elements.
  template <std::same_as<const T> Constant>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator dense_view<Constant, Space>() const noexcept requires(!std::is_const_v<T>) {
    // nvcc warns about a conversion function to the same type, if it is not a template.
    return {.rows = rows, .cols = cols, .leading = leading, .order = order, .data = data};
  }
};

/// A CSR matrix that owns its arrays; csr_view explains the members. Fill the members, then pass view() to a
/// function.
template <class V, offset O = std::int64_t>
struct csr_matrix {
  std::int64_t rows = 0;          ///< number of rows
  std::int64_t cols = 0;          ///< number of columns
  host_buffer<O> row_ptr;         ///< rows + 1 offsets
  host_buffer<std::int32_t> col;  ///< column index of each entry
  host_buffer<V> val;             ///< value of each entry

  /// The number of entries.
  [[nodiscard]] std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
  /// A view of the arrays. It is valid as long as this matrix owns them.
  [[nodiscard]] csr_view<V, O> view() const noexcept {
    return {.rows = rows, .cols = cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  }
};

/// A CSR matrix with int32 or int64 offsets.
template <value V>
using any_csr = std::variant<csr_matrix<V, std::int32_t>, csr_matrix<V, std::int64_t>>;

/// Converts COO to CSR by a stable sort by row, in O(nnz + rows). Entries of a row, including duplicates,
/// keep their order. Throws invalid_matrix for an index outside the matrix. Throws unsupported for more than
/// max_dimension (2^31 - 1) rows or columns, or if O cannot represent nnz.
template <value V, offset O = std::int64_t>
GOSSAMER_API csr_matrix<V, O> csr_from_coo(const coo_view<V>& coo);

/// Copies a matrix and converts its offsets to the type To. Throws unsupported if To cannot represent nnz.
template <value V, offset To, offset From>
GOSSAMER_API csr_matrix<V, To> copy(const csr_view<V, From>& a);

/// Converts the offsets to int32 if nnz < 2^31. Otherwise, the result has int64 offsets. Columns and values
/// are moved, not copied.
template <value V>
GOSSAMER_API any_csr<V> narrow_offsets(csr_matrix<V, std::int64_t>&& a);

/// Returns the transpose in new arrays, in O(nnz + rows + cols). The columns of each row ascend.
/// Duplicates keep their order. The result is the same for any number of threads. `a` must be valid (see
/// validate()). Throws out_of_memory.
template <value V, offset O>
GOSSAMER_API csr_matrix<V, O> transpose(const csr_view<V, O>& a);

/// Checks a matrix, in O(rows + nnz) on all threads. Values are not checked: Inf and NaN are allowed. Throws:
/// - invalid_matrix if rows or cols is negative, the first offset is not 0, the offsets decrease, or a column
///   is outside the matrix. The message names the first wrong position.
/// - size_mismatch if row_ptr does not have rows + 1 elements, or if nnz differs between the last offset,
///   `col` and `val`.
/// - unsupported for more than max_dimension (2^31 - 1) rows or columns.
template <class V, offset O>
GOSSAMER_API void validate(const csr_view<V, O>& a);

/// Checks that the three arrays have the same length and that all indices are inside the matrix. Throws
/// size_mismatch, invalid_matrix and unsupported, as validate() of a csr_view does.
template <class V>
GOSSAMER_API void validate(const coo_view<V>& a);

}  // namespace gossamer::inline v0
