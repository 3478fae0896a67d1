// SPDX-License-Identifier: BSD-3-Clause
// How much one thread block of a CUDA device takes through shared memory; one setting serves every compute
// capability that was measured.
#pragma once

#include <cstdint>

#include "formats/common/whole_row_cuts.hpp"

namespace gossamer::inline v0::formats {

struct device_tile {
  static constexpr int threads = 256;
  static constexpr int few = 4;   ///< entries of a thread, where the matrix has few units
  static constexpr int many = 6;  ///< entries of a thread, else
  /// Entries of a long row that a block takes at most; a block that arrives at a shared row stays a little
  /// longer, which large matrices have to pay less often.
  static constexpr std::int64_t piece(int items) { return items == few ? 2048 : 4096; }
  /// Blocks that one multiprocessor must have room for, so 32 registers a thread: with fewer, waits show.
  static constexpr int least_blocks = 8;
};

/// More entries a thread keep more loads in flight; fewer make more blocks, which a small matrix is short of.
constexpr int device_tile_items(std::int64_t weight) {
  return weight < (std::int64_t{2} << 20) ? device_tile::few : device_tile::many;
}

constexpr block_tile device_block_tile(std::int64_t rows, std::int64_t nnz, std::int64_t longest_row) {
  const int items = device_tile_items(rows + nnz);
  return block_tile_for(std::int64_t{device_tile::threads} * items, device_tile::piece(items), longest_row);
}

}  // namespace gossamer::inline v0::formats
