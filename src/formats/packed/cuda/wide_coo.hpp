// SPDX-License-Identifier: BSD-3-Clause
// Wide products of COO slices on a CUDA device, by 8, 16 or 32 packs of 16 bytes of columns.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"
#include "exec/product.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// The packs of a wide product, if there are `packs` in all: the largest of 8, 16 and 32 that is not greater,
/// or 0.
constexpr std::int64_t packed_wide_packs(std::int64_t packs) {
  constexpr std::uint64_t least = 8;
  constexpr std::uint64_t most = 32;
  const std::uint64_t some = std::min(most, std::bit_floor(static_cast<std::uint64_t>(packs)));
  return some < least ? 0 : static_cast<std::int64_t>(some);
}

/// Multiplies the COO slices of `a`, of which there is at least one. p has 8, 16 or 32 packs, and satisfies
/// exec::is_adjacent(). follows: the previous kernel in the stream is that of the lane slices of the
/// same product. It waits for its predecessors before it triggers, and writes other rows of Y. Then both
/// kernels overlap.
template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool follows, cuda_stream stream);

}  // namespace gossamer::inline v0::formats
