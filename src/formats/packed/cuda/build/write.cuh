// SPDX-License-Identifier: BSD-3-Clause
// Writes the arrays of a slice on a device, one warp a slice. They equal those of write_packed(), byte for
// byte. All bytes must be zero before.
#pragma once

#include "formats/packed/cuda/build/slices.cuh"

namespace gossamer::inline v0::formats {

/// Collects the 4-bit table indices of a lane until a word of four is full.
struct packed_nibbles {
  std::uint32_t word = 0;

  __device__ void add(std::uint32_t slot, int code) {
    word |= static_cast<std::uint32_t>(code) << (slot % 4 * 4);
  }
  /// After a fourth slot, or the last one.
  __device__ void put(std::uint8_t* values, std::uint32_t slot, int lane) {
    reinterpret_cast<std::uint16_t*>(values)[slot / 4 * packed_lanes + lane] =
        static_cast<std::uint16_t>(word);
    word = 0;
  }
};

/// Writes an encoded value at `place`, or an uncompressed one at `place_in_full`. table4 is written
/// elsewhere.
template <value V, offset O>
__device__ __forceinline__ void packed_put_value(const packed_to_encode<V, O>& all, packed_values how,
                                                 std::uint8_t* values, std::uint32_t place,
                                                 std::uint32_t place_in_full, std::uint32_t step, V v) {
  switch (how) {
    case packed_values::constant:
      reinterpret_cast<V*>(values)[0] = v;  // all lanes write the same value
      return;
    case packed_values::of_step:
      reinterpret_cast<V*>(values)[step] = v;
      return;
    case packed_values::table4:
      return;
    case packed_values::table8:
      values[place] = static_cast<std::uint8_t>(find_in_table(*all.a.table, v));
      return;
    case packed_values::half:
      reinterpret_cast<std::uint16_t*>(values)[place] = to_16_bits(v, all.half);
      return;
    case packed_values::narrow:
      reinterpret_cast<float*>(values)[place] = static_cast<float>(v);
      return;
    case packed_values::full:
      reinterpret_cast<V*>(values)[place_in_full] = v;
  }
}
/// The same at the position of a slot.
template <value V, offset O>
__device__ __forceinline__ void packed_put_slot(const packed_to_encode<V, O>& all, const packed_slice& s,
                                                std::uint8_t* values, std::uint32_t slot, std::uint32_t step,
                                                int lane, V v) {
  const auto place = [&](std::uint32_t together) {
    return packed_place(slot, static_cast<std::uint32_t>(lane), packed_slots(s), together);
  };
  packed_put_value(all, s.values(), values, place(packed_together_on_device),
                   place(packed_values_together(packed_together_on_device, sizeof(V))), step, v);
}
/// Writes a delta, or with packed_columns::four a column, at its position.
__device__ __forceinline__ void packed_put_delta(packed_columns how, std::uint8_t* columns,
                                                 std::uint32_t place, std::uint32_t delta) {
  if (how == packed_columns::one) columns[place] = static_cast<std::uint8_t>(delta);
  if (how == packed_columns::two)
    reinterpret_cast<std::uint16_t*>(columns)[place] = static_cast<std::uint16_t>(delta);
  if (how == packed_columns::four) reinterpret_cast<std::uint32_t*>(columns)[place] = delta;
}

template <value V, offset O>
__device__ void packed_write_diagonal_slice(const packed_to_encode<V, O>& all, const packed_cut_slice& c,
                                            const packed_slice& s, int lane, std::uint8_t* to) {
  packed_diagonal_rows<V, O> rows(all, c, lane);
  std::uint32_t mask = 0;
  for (std::uint32_t d = 0; d < s.steps; ++d) {
    const std::int32_t diagonal = all.diagonal[c.detail + d];
    if (lane == 0) reinterpret_cast<std::int32_t*>(to + s.bases)[d] = diagonal + s.row;
    packed_nibbles nibbles;
    rows.for_each_on(diagonal, [&](int r, V v) {
      const std::uint32_t slot = d * packed_rows_of_lane + static_cast<std::uint32_t>(r);
      mask |= 1u << slot % (2 * packed_rows_of_lane);
      if (s.values() == packed_values::table4) nibbles.add(slot, find_in_table(*all.a.table, v));
      packed_put_slot(all, s, to + s.values_at, slot, d, lane, v);
    });
    if (s.values() == packed_values::table4) nibbles.put(to + s.values_at, d * packed_rows_of_lane, lane);
    if (d % 2 == 1 || d + 1u == s.steps) {
      if (!s.is_full())
        to[s.masks + packed_mask_byte(d, static_cast<std::uint32_t>(lane))] = static_cast<std::uint8_t>(mask);
      mask = 0;
    }
  }
}

template <value V, offset O>
__device__ void packed_write_coo_slice(const packed_to_encode<V, O>& all, const packed_cut_slice& c,
                                       const packed_slice& s, int lane, std::uint8_t* to) {
  const auto first = static_cast<std::int64_t>(all.a.row_ptr[c.first]);
  for (int r = lane; r < c.count; r += packed_lanes)
    to[r] = static_cast<std::uint8_t>(static_cast<std::int64_t>(all.a.row_ptr[c.first + r]) - first);
  std::uint8_t* const columns = to + s.columns_at;
  std::uint8_t* const values = to + s.values_at;
  for_each_consecutive_entry(all.a, first, s.steps, lane, [&](std::int32_t k, std::int32_t column, V v) {
    const auto place = static_cast<std::uint32_t>(k);
    packed_put_delta(s.columns(), columns, place, static_cast<std::uint32_t>(column) - s.bases);
    packed_put_value(all, s.values(), values, place, place, 0, v);
  });
  if (s.values() != packed_values::table4) return;
  for (std::uint32_t pair = static_cast<std::uint32_t>(lane); 2 * pair < s.steps; pair += packed_lanes) {
    int codes = find_in_table(*all.a.table, all.a.val[first + 2 * pair]);
    if (2 * pair + 1 < s.steps) codes |= find_in_table(*all.a.table, all.a.val[first + 2 * pair + 1]) << 4;
    values[pair] = static_cast<std::uint8_t>(codes);
  }
}

/// The state of a warp between two steps of a slice with elided deltas, like that of
/// packed_code::write_elided_deltas().
struct packed_delta_cursor {
  std::uint32_t base = 0;
  std::uint32_t stored_steps = 0;  ///< steps up to this one that store their deltas
  std::int32_t column = 0;         ///< this lane's

  /// The base of the next step. All lanes call it.
  __device__ std::uint32_t next(bool is_stored, bool has, std::int32_t next_column, std::int32_t offset) {
    if (is_stored) {
      base = static_cast<std::uint32_t>(exec::least_of_warp(has ? offset : 0x7fffffff));
      ++stored_steps;
    } else {
      const unsigned lanes = __ballot_sync(0xffffffffu, has);
      base += static_cast<std::uint32_t>(
          __shfl_sync(0xffffffffu, next_column - column, __ffs(static_cast<int>(lanes)) - 1));
    }
    column = next_column;
    return base;
  }
};

template <value V, offset O>
__device__ void packed_write_lane_slice(const packed_to_encode<V, O>& all, const packed_cut_slice& c,
                                        const packed_slice& header, int lane, std::uint8_t* to) {
  const packed_slice s = packed_opened(header);
  const packed_delta_mask mask = header.delta_mask();
  const std::uint32_t stored_deltas = s.elides_deltas() ? packed_stored_deltas(mask) : 0;
  packed_delta_cursor cursor;
  const packed_lane_entries mine(all, c, lane);
  const auto at = static_cast<std::uint32_t>(lane);
  std::int32_t start = 0;
  if (s.starts() == packed_starts::row) start = mine.row;
  if (s.starts() == packed_starts::given) {
    if (mine.count > 0) start = all.a.col[mine.first];
    reinterpret_cast<std::int32_t*>(to + s.starts_at())[at] = start;
  }
  if (s.lists_rows() && lane < c.count)
    reinterpret_cast<std::uint16_t*>(to)[at] =
        static_cast<std::uint16_t>(all.order[c.first + lane] - mine.header_row);
  if (!s.is_full()) {
    const std::int32_t missing = mine.steps - mine.count;
    if (s.misses_many())
      reinterpret_cast<std::uint16_t*>(to + s.missing_at())[at] = static_cast<std::uint16_t>(missing);
    else
      to[s.missing_at() + at] = static_cast<std::uint8_t>(missing);
  }
  packed_nibbles nibbles;
  std::uint8_t* const columns = to + s.columns_at;
  for_each_step(all.a, mine, c.sharing, s.steps, [&](std::int32_t step, bool has, std::int32_t column, V v) {
    const auto j = static_cast<std::uint32_t>(step);
    const std::int32_t offset = column - start;
    std::int32_t base = 0;
    bool has_delta = has;
    std::uint32_t place = 0;
    if (s.elides_deltas()) {
      const bool is_stored = mask.has(step);
      base = static_cast<std::int32_t>(cursor.next(is_stored, has, column, offset));
      has_delta = has && is_stored;
      place = packed_place(cursor.stored_steps - 1, at, stored_deltas, packed_together_on_device);
    } else {
      place = packed_place(j, at, s.steps, packed_together_on_device);
      if (s.columns() != packed_columns::four) base = exec::least_of_warp(has ? offset : 0x7fffffff);
    }
    if (s.columns() != packed_columns::four && lane == 0)
      reinterpret_cast<std::int32_t*>(to + s.bases)[j] = base;
    if (has_delta) packed_put_delta(s.columns(), columns, place, static_cast<std::uint32_t>(offset - base));
    if (has) {
      if (s.values() == packed_values::table4) nibbles.add(j, find_in_table(*all.a.table, v));
      packed_put_slot(all, s, to + s.values_at, j, j, lane, v);
    }
    if (s.values() == packed_values::table4 && (j % 4 == 3 || j + 1u == s.steps))
      nibbles.put(to + s.values_at, j, lane);
  });
}

/// before[i]: the pieces of the slices before slice i. Writes the headers of `planned` to `header`, with
/// `at`.
template <value V, offset O>
__global__ void __launch_bounds__(packed_encoding_threads)
    packed_write_slice_per_warp(const __grid_constant__ packed_to_encode<V, O> all,
                                const std::uint64_t* before, const packed_slice* planned,
                                packed_slice* header, std::uint8_t* data) {
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t number = packed_slice_of_warp();
  if (number >= all.slices) return;
  const packed_cut_slice c = all.slice[number];
  packed_slice s = planned[c.place];
  const std::uint64_t at = before[number];
  s.at = static_cast<std::uint32_t>(at);
  if (lane == 0) header[c.place] = s;
  std::uint8_t* const to = data + at * packed_piece;
  if (s.is_coo_slice())
    packed_write_coo_slice(all, c, s, lane, to);
  else if (s.is_diagonal_slice()) {
    packed_write_diagonal_slice(all, c, s, lane, to);
  } else {
    packed_write_lane_slice(all, c, s, lane, to);
  }
}

}  // namespace gossamer::inline v0::formats
