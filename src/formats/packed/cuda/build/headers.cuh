// SPDX-License-Identifier: BSD-3-Clause
// The header of a slice on a device, one warp a slice. It equals that of packed_header(), byte for byte.
#pragma once

#include "formats/packed/cuda/build/slices.cuh"

namespace gossamer::inline v0::formats {

/// Bits of packed_found::kinds: some slice uses the table, some slice has values of 2 bytes.
inline constexpr unsigned packed_has_table_codes = 1;
inline constexpr unsigned packed_has_halves = 2;

/// What the host needs before it allocates the arrays.
struct packed_found {
  std::uint64_t pieces;             ///< of all slices
  unsigned long long saved_pieces;  ///< like packed_code::amounts
  unsigned kinds;
  std::int32_t table_size;
};

/// value_choice for the values of a warp. All lanes must call each function.
template <value V>
class packed_warp_values {
 public:
  template <offset O>
  __device__ explicit packed_warp_values(const packed_to_encode<V, O>& all)
      : table_(*all.a.table), half_(all.half), full_(all.whole) {
    if (all.whole) mine_ = packed_code::value_facts::of_whole_values();
  }

  /// The lanes' values of one step.
  __device__ void add_step(bool has, V v) {
    if (full_) return;
    const unsigned lanes = __ballot_sync(0xffffffffu, has);
    if (lanes == 0) return;
    const bits_of_value<V> bits = bits_of_device_value(v);
    const bits_of_value<V> first = __shfl_sync(0xffffffffu, bits, __ffs(static_cast<int>(lanes)) - 1);
    if (!any_) one_ = first;
    any_ = true;
    look_at(has, v, bits, first);
    full_ = __all_sync(0xffffffffu, mine_.is_settled()) != 0;
  }
  /// A value of a step. `first`: the bits of the step's first value; `one`: those of the slice's first value.
  /// A lane may call it alone.
  __device__ void add(V v, bits_of_value<V> first, bits_of_value<V> one) {
    one_ = one;
    look_at(true, v, bits_of_device_value(v), first);
  }

  __device__ packed_code::value_facts all() const {
    packed_code::value_facts f;
    const auto every = [](bool mine) { return __all_sync(0xffffffffu, mine) != 0; };
    f.finite = every(mine_.finite);
    f.constant = every(mine_.constant);
    f.of_step = every(mine_.of_step);
    f.half = every(mine_.half);
    f.narrow = every(mine_.narrow);
    f.furthest = every(mine_.furthest >= 0) ? exec::greatest_of_warp(mine_.furthest) : -1;
    return f;
  }

 private:
  __device__ void look_at(bool has, V v, bits_of_value<V> bits, bits_of_value<V> first) {
    if (!has || mine_.is_settled()) return;
    mine_.finite = mine_.finite && isfinite(v);
    mine_.constant = mine_.constant && bits == one_;
    mine_.of_step = mine_.of_step && bits == first;
    mine_.half = mine_.half && is_exactly(v, half_);
    mine_.narrow = mine_.narrow && packed_code::is_narrow(v);
    if (mine_.furthest >= 0) {
      const int place = find_in_table(table_, v);
      mine_.furthest = place < 0 ? -1 : max(mine_.furthest, place);
    }
  }
  const device_value_table<V>& table_;
  const short_float& half_;
  packed_code::value_facts mine_;
  bits_of_value<V> one_{};
  bool any_ = false;
  bool full_;
};

/// The largest delta of the lanes of a warp, over all steps: like packed_code::step_ranges.
struct packed_warp_range {
  std::int64_t widest = 0;

  /// All lanes call it.
  __device__ void add_step(bool has, std::int32_t offset) {
    const int least = exec::least_of_warp(has ? offset : 0x7fffffff);
    const int greatest = exec::greatest_of_warp(has ? offset : static_cast<int>(0x80000000u));
    const std::int64_t width = static_cast<std::int64_t>(greatest) - least;
    if (width > widest) widest = width;
  }
};

/// Which steps store their deltas, like packed_code::delta_mask_of_lanes(). All lanes must call each
/// function.
class packed_warp_delta_mask {
 public:
  /// The columns of all lanes in one step. Steps come in order, at most packed_max_masked_steps.
  __device__ void add_step(std::int32_t step, bool has, std::int32_t column, int lane) {
    const std::int32_t distance = column - before_;
    before_ = column;
    const unsigned lanes = __ballot_sync(0xffffffffu, has);
    const std::int32_t one = __shfl_sync(0xffffffffu, distance, __ffs(static_cast<int>(lanes)) - 1);
    const bool is_stored = step == 0 || __any_sync(0xffffffffu, has && distance != one) != 0;
    if (is_stored && lane == step / 32) word_ |= 1u << step % 32;
  }
  [[nodiscard]] __device__ packed_delta_mask all() const {
    packed_delta_mask own;
#pragma unroll
    for (int w = 0; w < packed_max_masked_steps / 32; ++w) own.word[w] = __shfl_sync(0xffffffffu, word_, w);
    return own;
  }

 private:
  std::uint32_t word_ = 0;  ///< in the first lanes one each
  std::int32_t before_ = 0;
};

template <value V, offset O>
__device__ packed_slice packed_header_of_diagonal_slice(const packed_to_encode<V, O>& all,
                                                        const packed_cut_slice& c, int lane,
                                                        std::uint32_t& bytes) {
  packed_diagonal_rows<V, O> rows(all, c, lane);
  packed_warp_values<V> values(all);
  bits_of_value<V> one{};
  int entries = 0;
  for (std::int32_t d = 0; d < c.steps; ++d) {
    V found[packed_rows_of_lane];
    bool has[packed_rows_of_lane] = {};
    rows.for_each_on(all.diagonal[c.detail + d], [&](int r, V v) {
      found[r] = v;
      has[r] = true;
    });
    // The other entries of the diagonal are compared with this lane's first entry, or that of another lane.
    bits_of_value<V> mine{};
    bool any = false;
#pragma unroll
    for (int r = packed_rows_of_lane - 1; r >= 0; --r) {
      if (!has[r]) continue;
      mine = bits_of_device_value(found[r]);
      any = true;
      ++entries;
    }
    const unsigned lanes = __ballot_sync(0xffffffffu, any);
    const bits_of_value<V> first = __shfl_sync(0xffffffffu, mine, __ffs(static_cast<int>(lanes)) - 1);
    if (d == 0) one = first;
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r)
      if (has[r]) values.add(found[r], first, one);
  }
  return packed_code::header_of_diagonal_slice(c.first, c.count, static_cast<std::size_t>(c.steps),
                                               exec::sum_of_warp(entries), values.all().best(true), sizeof(V),
                                               bytes);
}

template <value V, offset O>
__device__ packed_slice packed_header_of_coo_slice(const packed_to_encode<V, O>& all,
                                                   const packed_cut_slice& c, int lane,
                                                   std::uint32_t& bytes) {
  const auto first = static_cast<std::int64_t>(all.a.row_ptr[c.first]);
  const auto last = static_cast<std::int64_t>(all.a.row_ptr[c.first + c.count]);
  packed_warp_values<V> values(all);
  std::int32_t smallest = 0x7fffffff;
  std::int32_t largest = 0;
  const bits_of_value<V> one = first < last ? bits_of_device_value(all.a.val[first]) : bits_of_value<V>{};
  for_each_consecutive_entry(all.a, first, static_cast<std::int32_t>(last - first), lane,
                             [&](std::int32_t, std::int32_t column, V v) {
                               smallest = min(smallest, column);
                               largest = max(largest, column);
                               values.add(v, one, one);
                             });
  return packed_code::header_of_coo_slice(c.first, c.count, last - first, exec::least_of_warp(smallest),
                                          exec::greatest_of_warp(largest), values.all().best(true), sizeof(V),
                                          bytes);
}

template <value V, offset O>
__device__ packed_slice packed_header_of_lane_slice(const packed_to_encode<V, O>& all,
                                                    const packed_cut_slice& c, int lane,
                                                    std::uint32_t& bytes) {
  const packed_lane_entries mine(all, c, lane);
  const packed_slice s =
      packed_code::header_of_lane_rows(mine.header_row, mine.steps, mine.shortest, c.count, c.sharing,
                                       c.kind == packed_kind::listed, c.is_row_part());
  packed_warp_range plain;
  packed_warp_range from_row;
  packed_warp_range from_first;
  packed_warp_delta_mask mask;
  const bool may_elide = all.may_elide && packed_code::may_elide(s);
  packed_warp_values<V> values(all);
  const std::int32_t first_column = mine.count > 0 ? all.a.col[mine.first] : 0;
  for_each_step(all.a, mine, c.sharing, mine.steps,
                [&](std::int32_t step, bool has, std::int32_t column, V v) {
                  if (may_elide) mask.add_step(step, has, column, lane);
                  plain.add_step(has, column);
                  from_row.add_step(has, column - mine.row);
                  if (from_first.widest == 0) from_first.add_step(has, column - first_column);
                  values.add_step(has, v);
                });
  return packed_code::header_of_lane_slice(s,
                                           {.plain = plain.widest,
                                            .from_row = from_row.widest,
                                            .any_from_first = from_first.widest != 0,
                                            .mask = mask.all(),
                                            .may_elide = may_elide},
                                           values.all().best(true), sizeof(V), bytes);
}

template <value V, offset O>
__global__ void __launch_bounds__(packed_encoding_threads)
    packed_header_per_warp(const __grid_constant__ packed_to_encode<V, O> all, packed_slice* header,
                           std::uint64_t* pieces, packed_found* found) {
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t number = packed_slice_of_warp();
  if (number >= all.slices) return;
  const packed_cut_slice c = all.slice[number];
  std::uint32_t bytes = 0;
  packed_slice s;
  if (c.kind == packed_kind::coo_slice) {
    s = packed_header_of_coo_slice(all, c, lane, bytes);
  } else if (c.kind == packed_kind::diagonal_slice) {
    s = packed_header_of_diagonal_slice(all, c, lane, bytes);
  } else {
    s = packed_header_of_lane_slice(all, c, lane, bytes);
  }
  if (lane != 0) return;
  if (s.is_row_part()) {
    s.row = c.slot;
    s.masks = static_cast<std::uint32_t>(c.cut_row);
  }
  header[c.place] = s;
  pieces[number] = bytes / packed_piece;
  if (number == 0) pieces[all.slices] = 0;  // the scan has an element more
  if (s.elides_deltas()) {
    std::uint32_t without = 0;
    packed_code::without_elision(s, sizeof(V), without);
    atomicAdd(&found->saved_pieces, (without - bytes) / packed_piece);
  }
  const unsigned kinds = (s.uses_table() ? packed_has_table_codes : 0) |
                         (s.values() == packed_values::half ? packed_has_halves : 0);
  if ((kinds & ~*static_cast<const volatile unsigned*>(&found->kinds)) != 0) atomicOr(&found->kinds, kinds);
}

/// Headers that store all deltas, and their pieces. It runs if elided deltas save too little.
template <value V>
__global__ void packed_store_all_deltas_per_thread(std::int64_t slices, packed_slice* header,
                                                   const packed_cut_slice* cut, std::uint64_t* pieces) {
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (number >= slices) return;
  packed_slice& s = header[cut[number].place];
  if (!s.elides_deltas()) return;
  std::uint32_t bytes = 0;
  s = packed_code::without_elision(s, sizeof(V), bytes);
  pieces[number] = bytes / packed_piece;
}

/// Adds the pieces of all slices, and the size of the table, to `found`.
template <value V>
__global__ void packed_gather_found_per_thread(packed_found* found, const std::uint64_t* pieces,
                                               const device_value_table<V>* table) {
  found->pieces = *pieces;
  found->table_size = table->size;
}

}  // namespace gossamer::inline v0::formats
