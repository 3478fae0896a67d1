// SPDX-License-Identifier: BSD-3-Clause
// Wide products of COO slices on a CUDA device, by 8, 16 or 32 packs of 16 bytes of columns.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"
#include "exec/product.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// The number of leading columns of p for a wide product, or 0. They form 32, 16 or 8 packs, and satisfy
/// exec::is_adjacent(). 16 columns in f64: only if all thread blocks can be resident at once. 0 if there are
/// no COO slices.
template <scalar_types S>
std::int64_t packed_wide_columns(const packed_meta& meta, const columns_product<S>& p);

/// Multiplies the COO slices of `a`. p has packed_wide_columns() columns. follows: the previous kernel in the
/// stream multiplies the lane slices of the same product. That kernel waits for earlier kernels before it
/// lets this one start, and the two write different rows of Y. So they may overlap.
template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool follows, cuda_stream stream);

}  // namespace gossamer::inline v0::formats
