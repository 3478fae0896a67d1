// SPDX-License-Identifier: BSD-3-Clause
// Gathers the rows of dense matrices by a permutation, for plans that reorder their matrix.
#pragma once

#include <cstdint>

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

/// Element i of column j is data[i * step + j * next].
template <class V>
struct strided_matrix {
  V* data = nullptr;
  std::int64_t step = 1;
  std::int64_t next = 0;
};

/// Row i of `to` becomes row index[i] of `from`, for 0 <= i < rows. They share no memory.
template <class V>
void permute_rows(const strided_matrix<V>& to, const strided_matrix<const V>& from, const std::int32_t* index,
                  std::int64_t rows, std::int64_t columns, int threads);
/// The same in device memory, on the current device. Asynchronous in `stream`.
template <class V>
void permute_rows_on_device(const strided_matrix<V>& to, const strided_matrix<const V>& from,
                            const std::int32_t* index, std::int64_t rows, std::int64_t columns,
                            cuda_stream stream);

}  // namespace gossamer::inline v0::exec
