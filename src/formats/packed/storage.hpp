// SPDX-License-Identifier: BSD-3-Clause
// What packed stores: a header for each slice, and the encoded bytes of all of them.
#pragma once

#include <bit>
#include <cstdint>

#include "core/short_float.hpp"
#include "exec/reduction/carries.hpp"
#include "formats/common/frequent_values.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// Values of 2 bytes, f16 or bf16: one kind for a whole matrix, as numbers that kernels calculate with, so
/// that they have one code for both. Only finite ones are stored. Of the 16 bits, in the upper half of a word
/// and moved `right` with their sign, those of `mask` are the upper word of a V (or all of it) that is the
/// value over `scale`.
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

/// Whether two warps share a slice on diagonals by its rows, each with half of them, on a device.
enum class packed_rows_shared : std::int32_t {
  never,
  beyond_cache,  ///< where the encoded bytes are more than the device's second-level cache holds
  always
};

struct packed_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t slices = 0;
  std::int32_t log2_warps = 0;  ///< cuda: warps of a slice, which take its steps in turns
  packed_rows_shared rows_shared = packed_rows_shared::never;  ///< cuda; only where a slice has one warp
  std::int64_t longest_part = 0;                               ///< entries of a part of a row but the last
  std::int64_t of_entries =
      0;  ///< slices of those; on a device they come last, and others as launch_policy.hpp says
  std::uint32_t together = 1;      ///< packed_together_on_device, or 1 on a CPU
  bool bf16 = false;               ///< values of 2 bytes are bf16, not f16
  bool has_halves = false;         ///< some slice has such values
  bool has_elided_deltas = false;  ///< some slice has steps that repeat numbers
  std::int64_t units = 0;          ///< cpu
  exec::carry_counts carries;
  friend constexpr bool operator==(const packed_meta&, const packed_meta&) = default;
};

template <class V>
struct packed_pointers {
  packed_meta meta;
  std::int64_t table_size;
  const V* table;
  const packed_slice* slice;
  const std::uint8_t* data;
  std::int64_t data_bytes;
  const std::int32_t* unit_slice;
  packed_half<V> half;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct packed_storage {
  packed_meta meta;
  /// At most 256: the most frequent finite values, the most frequent first; none where no slice counts in it.
  Buffer<T> table;
  Buffer<packed_slice> slice;
  Buffer<std::uint8_t> data;        ///< of each slice what layout.hpp says, and behind the last some zeros
  Buffer<std::int32_t> unit_slice;  ///< cpu: units + 1
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("table", self.table);
    f("slice", self.slice);
    f("data", self.data);
    f("unit_slice", self.unit_slice);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] packed_pointers<T> view() const {
    return {.meta = meta,
            .table_size = static_cast<std::int64_t>(table.size()),
            .table = table.data(),
            .slice = slice.data(),
            .data = data.data(),
            .data_bytes = static_cast<std::int64_t>(data.size()),
            .unit_slice = unit_slice.data(),
            .half = packed_half<T>::of(meta.bf16),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
