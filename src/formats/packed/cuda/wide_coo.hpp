// SPDX-License-Identifier: BSD-3-Clause
// Wide products of COO slices on a CUDA device, by 8, 16 or 32 packs of 16 bytes of columns.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"
#include "exec/product.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// How many of p's first columns a wide product multiplies, or 0: 32, 16 or 8 packs that satisfy
/// exec::is_adjacent(). Only a matrix with COO slices has wide products.
template <scalar_types S>
std::int64_t packed_wide_columns(const packed_meta& meta, const columns_product<S>& p);

/// Multiplies the COO slices of `a`. p has packed_wide_columns() columns. follows: the previous kernel in the
/// stream is that of the lane slices of the same product. It waits for its predecessors before it triggers,
/// and writes other rows of Y. Then both kernels overlap.
template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool follows, cuda_stream stream);

}  // namespace gossamer::inline v0::formats
