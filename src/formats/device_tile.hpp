// SPDX-License-Identifier: BSD-3-Clause
// What one thread block of a CUDA device multiplies, where units of equal weight go through shared memory.
#pragma once

#include <cstdint>

#include "formats/equal_cuts.hpp"

namespace gossamer::inline v0::formats {

/// Work of one thread block; one setting serves every compute capability that was measured.
struct device_tile {
  static constexpr int threads = 256;
  static constexpr int few = 4;   ///< entries of a thread, where the matrix has few units
  static constexpr int many = 8;  ///< entries of a thread, else
  /// Row ends and entries of a unit; the rest of the tile is room for a row that is made whole.
  static constexpr std::int64_t weight(int items) { return std::int64_t{threads} * items * 7 / 8; }
  static constexpr bool holds_a_unit(int items) {
    return weight(items) + longest_whole_row(weight(items)) <= std::int64_t{threads} * items;
  }
};
static_assert(device_tile::holds_a_unit(device_tile::few) && device_tile::holds_a_unit(device_tile::many));

/// More entries a thread keep more loads in flight; fewer make more blocks, which a small matrix is short of.
constexpr int device_tile_items(std::int64_t weight) {
  return weight < (std::int64_t{2} << 20) ? device_tile::few : device_tile::many;
}

}  // namespace gossamer::inline v0::formats
