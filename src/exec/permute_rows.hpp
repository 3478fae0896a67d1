// SPDX-License-Identifier: BSD-3-Clause
// Gathers the rows of dense matrices by a permutation, for plans that reorder their matrix.
#pragma once

#include <cstdint>

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

/// A dense matrix that belongs to the caller. Element i of column j is data[i * step + j * next].
template <class V>
struct strided_matrix {
  V* data = nullptr;
  std::int64_t step = 1;
  std::int64_t next = 0;
};

/// Copies row index[i] of `from` to row i of `to`, for 0 <= i < rows. Both have `columns` columns and must
/// not overlap. `index` has `rows` elements, each of which is the number of a row of `from`. Synchronous, on
/// `threads` threads (0: all).
template <class V>
void permute_rows(const strided_matrix<V>& to, const strided_matrix<const V>& from, const std::int32_t* index,
                  std::int64_t rows, std::int64_t columns, int threads);
/// The same for arrays in memory of the current device. Asynchronous in `stream`: the arrays must stay valid
/// until the kernel has ended. CUDA graphs can capture it. Throws if the launch fails.
template <class V>
void permute_rows_on_device(const strided_matrix<V>& to, const strided_matrix<const V>& from,
                            const std::int32_t* index, std::int64_t rows, std::int64_t columns,
                            cuda_stream stream);

}  // namespace gossamer::inline v0::exec
