// SPDX-License-Identifier: BSD-3-Clause
// What BRC stores: blocks one after another, each with as many slots a row as its longest segment has
// entries.
#pragma once

#include <cstdint>

#include "exec/reduction/carries.hpp"

namespace gossamer::inline v0::formats {

enum class brc_accumulate : std::int32_t { ordered, atomic };

struct brc_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t blocks = 0;
  std::int64_t filled_blocks = 0;  ///< the others, which stand last, are of empty rows
  std::int64_t slots = 0;          ///< of all blocks
  std::int64_t units = 0;          ///< cpu
  std::int32_t block_rows = 1;
  std::int32_t coarsening = 1;       ///< cuda
  std::int32_t threads_per_row = 1;  ///< cuda
  brc_accumulate accumulate = brc_accumulate::ordered;
  exec::carry_counts carries;
};

template <class V>
struct brc_pointers {
  brc_meta meta;
  const std::int32_t* row_perm;
  const std::int32_t* nnz_per_block;
  const std::int64_t* block_offset;
  const std::int32_t* col;
  const V* val;
  const std::int64_t* unit_block;
  exec::carry_view carries;
};

/// What row_perm says of an item whose sum goes to a slot, and of the last block's dummies.
constexpr std::int32_t brc_to_slot(std::int64_t slot) noexcept {
  return static_cast<std::int32_t>(-2 - slot);
}
GOSSAMER_HOST_DEVICE constexpr std::int64_t brc_slot_of(std::int32_t target) noexcept {
  return -2 - static_cast<std::int64_t>(target);
}
inline constexpr std::int32_t brc_dummy = -1;

template <class T, template <class> class Buffer>
struct brc_storage {
  brc_meta meta;
  Buffer<std::int32_t> row_perm;  ///< blocks * block_rows: each item's row, or brc_to_slot(), or brc_dummy
  Buffer<std::int32_t> nnz_per_block;  ///< blocks: the entries of each one's longest segment
  Buffer<std::int64_t> block_offset;   ///< blocks + 1: the first slot of each
  Buffer<std::int32_t>
      col;  ///< entry j of lane r of a block: at its offset + j * block_rows + r; ~c in padding
  Buffer<T> val;
  Buffer<std::int64_t> unit_block;  ///< cpu: units + 1
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row_perm", self.row_perm);
    f("nnz_per_block", self.nnz_per_block);
    f("block_offset", self.block_offset);
    f("col", self.col);
    f("val", self.val);
    f("unit_block", self.unit_block);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] brc_pointers<T> view() const {
    return {.meta = meta,
            .row_perm = row_perm.data(),
            .nnz_per_block = nnz_per_block.data(),
            .block_offset = block_offset.data(),
            .col = col.data(),
            .val = val.data(),
            .unit_block = unit_block.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
