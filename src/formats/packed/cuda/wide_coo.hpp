// SPDX-License-Identifier: BSD-3-Clause
// Products of COO slices by many columns on a CUDA device. wide_coo.cu has the kernel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"
#include "exec/product.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// How many of `packs` packs of 16 bytes packed_multiply_wide_coo_slices() multiplies by: 8, 16, 32 or none.
constexpr std::int64_t packed_wide_packs(std::int64_t packs) {
  constexpr std::uint64_t least = 8;
  constexpr std::uint64_t most = 32;
  const std::uint64_t some = std::min(most, std::bit_floor(static_cast<std::uint64_t>(packs)));
  return some < least ? 0 : static_cast<std::int64_t>(some);
}

/// Multiplies the COO slices of `a`, of which there is at least one. p has packed_wide_packs() packs, and
/// exec::is_adjacent(). is_second: the kernel before this one in the stream belongs to the same product, has
/// waited for all before it, and writes other rows. Then this one does not wait for it before it begins.
template <scalar_types S>
void packed_multiply_wide_coo_slices(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                     bool is_second, cuda_stream stream);

}  // namespace gossamer::inline v0::formats
