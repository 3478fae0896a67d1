// SPDX-License-Identifier: BSD-3-Clause
// Values of 2 bytes, f16 or bf16: one kind for a whole matrix, so that kernels have one code for both. Only
// finite ones are stored.
#pragma once

#include <bit>
#include <cstdint>

#include "core/short_float.hpp"
#include "exec/product.hpp"
#include "formats/common/frequent_values.hpp"

namespace gossamer::inline v0::formats {

/// Which kind, as numbers that kernels calculate with: of the 16 bits, in the upper half of a word and moved
/// `right` with their sign, those of `mask` are the upper word of a V (or all of it) that is the value over
/// `scale`.
template <class V>
struct packed_half {
  std::uint32_t right;
  std::uint32_t mask;
  V scale;

  static constexpr packed_half of(bool bf16) {
    packed_half made{};
    if constexpr (sizeof(V) == sizeof(double)) {
      made.right = bf16 ? 3 : 6;
      made.scale = bf16 ? 0x1p896 : 0x1p1008;
    } else {
      made.right = bf16 ? 0 : 3;
      made.scale = bf16 ? 1.0f : 0x1p112f;
    }
    made.mask = 0x80000000u | 0x7fff0000u >> made.right;
    return made;
  }
  /// How far the 15 bits behind the sign are moved left to be those of a V.
  [[nodiscard]] constexpr int left() const {
    return static_cast<int>(8 * sizeof(V)) - 16 - static_cast<int>(right);
  }
  /// What is added to those of a normal number.
  [[nodiscard]] constexpr bits_of_value<V> offset() const {
    return std::bit_cast<bits_of_value<V>>(scale) - std::bit_cast<bits_of_value<V>>(V{1});
  }
};

constexpr const short_float& packed_half_kind(bool bf16) {
  return bf16 ? float_bf16 : float_f16;
}

}  // namespace gossamer::inline v0::formats
