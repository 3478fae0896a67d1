// SPDX-License-Identifier: BSD-3-Clause
// Coding slices on a device, a warp for each: first its header, as packed_header(), then, when it is known where its arrays begin, these, as
// write_packed(), to the byte. What no entry has is zero beforehand.
#pragma once

#include "exec/warp_numbers.cuh"
#include "formats/packed/device_cut.hpp"
#include "formats/packed/device_table.cuh"

namespace gossamer::inline v0::formats {

/// Which kinds of codes some slice has.
inline constexpr unsigned packed_has_table_codes = 1;
inline constexpr unsigned packed_has_halves = 2;
inline constexpr int packed_coding_threads = 128;
/// Steps whose columns and values are asked for at once.
inline constexpr int packed_steps_at_once = 4;

/// What the host has to know before it takes memory for the arrays.
struct packed_found {
  std::uint64_t pieces;  ///< of all slices
  unsigned kinds;
  std::int32_t table_size;
};

template <value V, offset O>
struct packed_to_code {
  packed_to_cut<V, O> a;
  const packed_cut_slice* slice;
  std::int64_t slices;
  const std::int32_t* order;
  const std::int32_t* diagonal;
  short_float half;
};

/// What the lanes of a slice, 0 to 31, have: as packed_code::lanes.
struct packed_lane_entries {
  std::int64_t first = 0;
  std::int32_t count = 0;
  std::int32_t row = 0;  ///< counted from the header's
  std::int32_t header_row = 0;
  std::int32_t steps = 0;
  std::int32_t shortest = 0;

  template <value V, offset O>
  __device__ packed_lane_entries(const packed_to_code<V, O>& all, const packed_cut_slice& s, int lane) {
    const auto row_number = [&](int i) {
      return s.kind == packed_kind::listed ? all.order[s.first + i] : s.first + i;
    };
    header_row = row_number(0);
    if (s.kind == packed_kind::listed)
      header_row =
          header_row / static_cast<std::int32_t>(packed_window) * static_cast<std::int32_t>(packed_window);
    const int which = lane >> s.sharing;
    if (which < s.count) {
      const std::int32_t r = row_number(which);
      row = r - header_row;
      std::int64_t begin = static_cast<std::int64_t>(all.a.row_ptr[r]);
      std::int64_t length = static_cast<std::int64_t>(all.a.row_ptr[r + 1]) - begin;
      if (s.is_part != 0) {
        begin += s.detail * all.a.longest_part;
        length = min(static_cast<long long>(length - s.detail * all.a.longest_part),
                     static_cast<long long>(all.a.longest_part));
      }
      const std::int64_t of_row = lane & ((1 << s.sharing) - 1);
      if (of_row < length) {
        first = begin + of_row;
        count =
            static_cast<std::int32_t>((length - of_row + (std::int64_t{1} << s.sharing) - 1) >> s.sharing);
      }
    }
    steps = exec::greatest_of_warp(count);
    shortest = exec::least_of_warp(count);
  }
};

/// f(step, whether this lane has it, its column, its value) for each step of a slice; columns and values of some steps are asked for at once.
template <value V, offset O, class F>
__device__ __forceinline__ void for_each_step(const packed_to_cut<V, O>& a, const packed_lane_entries& mine,
                                              int sharing, std::int32_t steps, F&& f) {
  for (std::int32_t first = 0; first < steps; first += packed_steps_at_once) {
    std::int32_t column[packed_steps_at_once];
    V v[packed_steps_at_once];
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i) {
      const bool has = first + i < mine.count;
      const std::int64_t k = mine.first + (static_cast<std::int64_t>(first + i) << sharing);
      column[i] = has ? a.col[k] : 0;
      v[i] = has ? a.val[k] : V{0};
    }
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i)
      if (first + i < steps) f(first + i, first + i < mine.count, column[i], v[i]);
  }
}

/// f(entry counted from the first, column, value) for a lane's share of consecutive entries.
template <value V, offset O, class F>
__device__ __forceinline__ void for_each_of_entries(const packed_to_cut<V, O>& a, std::int64_t begin,
                                                    std::int32_t size, int lane, F&& f) {
  for (std::int32_t first = lane; first < size; first += packed_steps_at_once * packed_lanes) {
    std::int32_t column[packed_steps_at_once];
    V v[packed_steps_at_once];
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i) {
      const std::int32_t k = first + i * packed_lanes;
      column[i] = k < size ? a.col[begin + k] : 0;
      v[i] = k < size ? a.val[begin + k] : V{0};
    }
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i)
      if (first + i * packed_lanes < size) f(first + i * packed_lanes, column[i], v[i]);
  }
}

/// value_choice for the values of a warp. All lanes call every function.
template <value V>
class packed_warp_values {
 public:
  __device__ packed_warp_values(const packed_device_table<V>& table, const short_float& half)
      : table_(table), half_(half) {}

  /// The lanes' values of one step.
  __device__ void add_step(bool has, V v) {
    if (full_) return;
    const unsigned lanes = __ballot_sync(0xffffffffu, has);
    if (lanes == 0) return;
    const bits_of_value<V> bits = packed_bits(v);
    const bits_of_value<V> first = __shfl_sync(0xffffffffu, bits, __ffs(static_cast<int>(lanes)) - 1);
    if (!any_) one_ = first;
    any_ = true;
    look_at(has, v, bits, first);
    full_ = __all_sync(0xffffffffu, is_full()) != 0;
  }
  /// A value of a step whose first one had the bits `first`; the first of all has the bits `one`. Needs no other lane.
  __device__ void add(V v, bits_of_value<V> first, bits_of_value<V> one) {
    one_ = one;
    look_at(true, v, packed_bits(v), first);
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
    if (!has || is_full()) return;
    mine_.finite = mine_.finite && isfinite(v);
    mine_.constant = mine_.constant && bits == one_;
    mine_.of_step = mine_.of_step && bits == first;
    mine_.half = mine_.half && is_exactly(v, half_);
    mine_.narrow = mine_.narrow && packed_code::is_narrow(v);
    if (mine_.furthest >= 0) {
      const int place = packed_find(table_, v);
      mine_.furthest = place < 0 ? -1 : max(mine_.furthest, place);
    }
  }
  /// Of this lane's values: whatever else is added, here or elsewhere, they are stored as they are.
  [[nodiscard]] __device__ bool is_full() const {
    return mine_.furthest < 0 && !mine_.constant && !mine_.of_step && !mine_.half && !mine_.narrow;
  }

  const packed_device_table<V>& table_;
  const short_float& half_;
  packed_code::value_facts mine_;
  bits_of_value<V> one_{};
  bool any_ = false;
  bool full_ = false;
};

/// How far apart numbers of one step are, over all steps: as packed_code::column_range, of a warp's lanes.
struct packed_warp_range {
  std::int64_t widest = 0;

  /// All lanes call it.
  __device__ void add_step(bool has, std::int32_t number) {
    const int least = exec::least_of_warp(has ? number : 0x7fffffff);
    const int greatest = exec::greatest_of_warp(has ? number : static_cast<int>(0x80000000u));
    const std::int64_t width = static_cast<std::int64_t>(greatest) - least;
    if (width > widest) widest = width;
  }
};

/// Rows on diagonals: a lane goes along four rows at once, diagonal by diagonal, and asks for each row's next entry before it is needed.
template <value V, offset O>
class packed_diagonal_rows {
 public:
  __device__ packed_diagonal_rows(const packed_to_code<V, O>& all, const packed_cut_slice& s, int lane)
      : a_(all.a) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      const int of_slice = r * packed_lanes + lane;
      const bool is_row = of_slice < s.count;
      row_[r] = s.first + of_slice;
      next_[r] = is_row ? static_cast<std::int64_t>(a_.row_ptr[row_[r]]) : 0;
      end_[r] = is_row ? static_cast<std::int64_t>(a_.row_ptr[row_[r] + 1]) : 0;
      ask(r);
    }
  }
  /// f(number of the row in its lane, value) for the lane's entries on the diagonal; diagonals are asked for in ascending order.
  template <class F>
  __device__ void for_each_on(std::int32_t diagonal, F&& f) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      if (next_[r] >= end_[r] || column_[r] - row_[r] != diagonal) continue;
      const V v = value_[r];
      ++next_[r];
      ask(r);
      f(r, v);
    }
  }

 private:
  __device__ void ask(int r) {
    if (next_[r] >= end_[r]) return;
    column_[r] = a_.col[next_[r]];
    value_[r] = a_.val[next_[r]];
  }

  const packed_to_cut<V, O>& a_;
  std::int64_t next_[packed_rows_of_lane];
  std::int64_t end_[packed_rows_of_lane];
  std::int32_t row_[packed_rows_of_lane];
  std::int32_t column_[packed_rows_of_lane] = {};
  V value_[packed_rows_of_lane] = {};
};

template <value V, offset O>
__device__ packed_slice packed_header_on_diagonals(const packed_to_code<V, O>& all, const packed_cut_slice& c,
                                                   int lane) {
  packed_diagonal_rows<V, O> rows(all, c, lane);
  packed_warp_values<V> values(*all.a.table, all.half);
  bits_of_value<V> one{};
  int entries = 0;
  for (std::int32_t d = 0; d < c.steps; ++d) {
    V found[packed_rows_of_lane];
    bool has[packed_rows_of_lane] = {};
    rows.for_each_on(all.diagonal[c.detail + d], [&](int r, V v) {
      found[r] = v;
      has[r] = true;
    });
    // Any entry of the diagonal may be the one that the others are compared with.
    bits_of_value<V> mine{};
    bool any = false;
#pragma unroll
    for (int r = packed_rows_of_lane - 1; r >= 0; --r) {
      if (!has[r]) continue;
      mine = packed_bits(found[r]);
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
  packed_slice s;
  s.row = c.first;
  s.steps = static_cast<std::uint16_t>(c.steps);
  s.shortest = exec::sum_of_warp(entries) == c.steps * packed_rows_on_diagonals ? s.steps : std::uint16_t{0};
  s.set_rows(c.count, 0, false, false, false, true);
  s.set(packed_columns::none, packed_starts::zero, values.all().best(true));
  return s;
}

template <value V, offset O>
__device__ packed_slice packed_header_of_entries(const packed_to_code<V, O>& all, const packed_cut_slice& c,
                                                 int lane, std::uint32_t& bytes) {
  const auto first = static_cast<std::int64_t>(all.a.row_ptr[c.first]);
  const auto last = static_cast<std::int64_t>(all.a.row_ptr[c.first + c.count]);
  packed_warp_values<V> values(*all.a.table, all.half);
  std::int32_t smallest = 0x7fffffff;
  std::int32_t largest = 0;
  const bits_of_value<V> one = first < last ? packed_bits(all.a.val[first]) : bits_of_value<V>{};
  for_each_of_entries(all.a, first, static_cast<std::int32_t>(last - first), lane,
                      [&](std::int32_t, std::int32_t column, V v) {
                        smallest = min(smallest, column);
                        largest = max(largest, column);
                        values.add(v, one, one);
                      });
  smallest = exec::least_of_warp(smallest);
  largest = exec::greatest_of_warp(largest);
  if (first == last) smallest = 0;
  packed_slice s;
  s.row = c.first;
  s.steps = s.shortest = static_cast<std::uint16_t>(last - first);
  s.set_rows_of_entries(c.count);
  s.set(packed_code::columns_of_entries(std::int64_t{largest} - smallest), packed_starts::zero,
        values.all().best(true));
  s.bases = static_cast<std::uint32_t>(smallest);
  bytes = packed_code::place_entries(s, sizeof(V));
  return s;
}

template <value V, offset O>
__device__ packed_slice packed_header_in_lanes(const packed_to_code<V, O>& all, const packed_cut_slice& c,
                                               int lane, std::uint32_t& bytes) {
  const packed_lane_entries mine(all, c, lane);
  packed_slice s;
  s.row = mine.header_row;
  s.steps = static_cast<std::uint16_t>(mine.steps);
  s.shortest = static_cast<std::uint16_t>(mine.shortest);
  s.set_rows(c.count, c.sharing, c.kind == packed_kind::listed, c.is_part != 0,
             mine.steps - mine.shortest > 0xff, false);
  packed_warp_range plain;
  packed_warp_range from_row;
  packed_warp_range from_first;
  packed_warp_values<V> values(*all.a.table, all.half);
  const std::int32_t first_column = mine.count > 0 ? all.a.col[mine.first] : 0;
  for_each_step(all.a, mine, c.sharing, mine.steps, [&](std::int32_t, bool has, std::int32_t column, V v) {
    plain.add_step(has, column);
    from_row.add_step(has, column - mine.row);
    if (from_first.widest == 0) from_first.add_step(has, column - first_column);
    values.add_step(has, v);
  });
  return packed_code::header_in_lanes(
      s, {.plain = plain.widest, .from_row = from_row.widest, .from_first = from_first.widest},
      values.all().best(true), sizeof(V), bytes);
}

template <value V, offset O>
__global__ void __launch_bounds__(packed_coding_threads)
    packed_header_per_warp(const __grid_constant__ packed_to_code<V, O> all, packed_slice* header,
                           std::uint64_t* pieces, packed_found* found) {
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t number =
      (static_cast<std::int64_t>(blockIdx.x) * packed_coding_threads + threadIdx.x) / exec::warp_size;
  if (number >= all.slices) return;
  const packed_cut_slice c = all.slice[number];
  std::uint32_t bytes = 0;
  packed_slice s;
  if (c.kind == packed_kind::entries) {
    s = packed_header_of_entries(all, c, lane, bytes);
  } else if (c.kind == packed_kind::diagonals) {
    s = packed_header_on_diagonals(all, c, lane);
    bytes = place_arrays(s, sizeof(V));
  } else {
    s = packed_header_in_lanes(all, c, lane, bytes);
  }
  if (lane != 0) return;
  if (s.is_part()) s.row = c.slot;
  header[c.place] = s;
  pieces[number] = bytes / packed_piece;
  if (number == 0) pieces[all.slices] = 0;  // what is added up has one more
  const unsigned kinds = (s.counts_in_table() ? packed_has_table_codes : 0) |
                         (s.values() == packed_values::half ? packed_has_halves : 0);
  if ((kinds & ~*static_cast<const volatile unsigned*>(&found->kinds)) != 0) atomicOr(&found->kinds, kinds);
}

/// Numbers of a lane's values that stand together until a word is full.
struct packed_nibbles {
  std::uint32_t word = 0;

  __device__ void add(std::uint32_t slot, int code) {
    word |= static_cast<std::uint32_t>(code) << (slot % 4 * 4);
  }
  /// Behind the last slot, or a fourth one.
  __device__ void put(std::uint8_t* values, std::uint32_t slot, int lane) {
    reinterpret_cast<std::uint16_t*>(values)[slot / 4 * packed_lanes + lane] =
        static_cast<std::uint16_t>(word);
    word = 0;
  }
};

/// A value that is not one of the first 16 of the table, where its slot stands.
template <value V, offset O>
__device__ __forceinline__ void packed_put_value(const packed_to_code<V, O>& all, const packed_slice& s,
                                                 std::uint8_t* values, std::uint32_t slot, std::uint32_t step,
                                                 int lane, V v) {
  const std::uint32_t slots = packed_slots(s);
  const auto of_lane = static_cast<std::uint32_t>(lane);
  const std::uint32_t place = packed_place(slot, of_lane, slots, packed_together_on_device);
  switch (s.values()) {
    case packed_values::constant:
      reinterpret_cast<V*>(values)[0] = v;  // whoever comes last: they are all alike
      return;
    case packed_values::of_step:
      reinterpret_cast<V*>(values)[step] = v;
      return;
    case packed_values::table4:
      return;
    case packed_values::table8:
      values[place] = static_cast<std::uint8_t>(packed_find(*all.a.table, v));
      return;
    case packed_values::half:
      reinterpret_cast<std::uint16_t*>(values)[place] = to_16_bits(v, all.half);
      return;
    case packed_values::narrow:
      reinterpret_cast<float*>(values)[place] = static_cast<float>(v);
      return;
    case packed_values::full:
      reinterpret_cast<V*>(values)[packed_place(
          slot, of_lane, slots, packed_values_together(packed_together_on_device, sizeof(V)))] = v;
  }
}

template <value V, offset O>
__device__ void packed_write_on_diagonals(const packed_to_code<V, O>& all, const packed_cut_slice& c,
                                          const packed_slice& s, int lane, std::uint8_t* to) {
  packed_diagonal_rows<V, O> rows(all, c, lane);
  std::uint32_t mask = 0;
  for (std::uint32_t d = 0; d < s.steps; ++d) {
    const std::int32_t diagonal = all.diagonal[c.detail + d];
    if (lane == 0) reinterpret_cast<std::int32_t*>(to + s.bases)[d] = diagonal + s.row;
    packed_nibbles nibbles;
    rows.for_each_on(diagonal, [&](int r, V v) {
      const std::uint32_t slot = d * packed_rows_of_lane + static_cast<std::uint32_t>(r);
      mask |= 1u << (d % 2 * packed_rows_of_lane + static_cast<std::uint32_t>(r));
      if (s.values() == packed_values::table4) nibbles.add(slot, packed_find(*all.a.table, v));
      packed_put_value(all, s, to + s.values_at, slot, d, lane, v);
    });
    if (s.values() == packed_values::table4) nibbles.put(to + s.values_at, d * packed_rows_of_lane, lane);
    if (d % 2 == 1 || d + 1u == s.steps) {
      if (!s.is_full())
        to[s.masks + d / 2 * packed_lanes + static_cast<std::uint32_t>(lane)] =
            static_cast<std::uint8_t>(mask);
      mask = 0;
    }
  }
}

template <value V, offset O>
__device__ void packed_write_entries(const packed_to_code<V, O>& all, const packed_cut_slice& c,
                                     const packed_slice& s, int lane, std::uint8_t* to) {
  const auto first = static_cast<std::int64_t>(all.a.row_ptr[c.first]);
  for (int r = lane; r < c.count; r += packed_lanes)
    to[r] = static_cast<std::uint8_t>(static_cast<std::int64_t>(all.a.row_ptr[c.first + r]) - first);
  std::uint8_t* const columns = to + s.columns_at;
  std::uint8_t* const values = to + s.values_at;
  for_each_of_entries(all.a, first, s.steps, lane, [&](std::int32_t k, std::int32_t number, V v) {
    const std::uint32_t column = static_cast<std::uint32_t>(number) - s.bases;
    if (s.columns() == packed_columns::one) columns[k] = static_cast<std::uint8_t>(column);
    if (s.columns() == packed_columns::two)
      reinterpret_cast<std::uint16_t*>(columns)[k] = static_cast<std::uint16_t>(column);
    if (s.columns() == packed_columns::four) reinterpret_cast<std::uint32_t*>(columns)[k] = column;
    switch (s.values()) {
      case packed_values::constant:
      case packed_values::of_step:
        reinterpret_cast<V*>(values)[0] = v;
        break;
      case packed_values::table4:
        break;
      case packed_values::table8:
        values[k] = static_cast<std::uint8_t>(packed_find(*all.a.table, v));
        break;
      case packed_values::half:
        reinterpret_cast<std::uint16_t*>(values)[k] = to_16_bits(v, all.half);
        break;
      case packed_values::narrow:
        reinterpret_cast<float*>(values)[k] = static_cast<float>(v);
        break;
      case packed_values::full:
        reinterpret_cast<V*>(values)[k] = v;
    }
  });
  if (s.values() != packed_values::table4) return;
  for (std::uint32_t pair = static_cast<std::uint32_t>(lane); 2 * pair < s.steps; pair += packed_lanes) {
    int codes = packed_find(*all.a.table, all.a.val[first + 2 * pair]);
    if (2 * pair + 1 < s.steps) codes |= packed_find(*all.a.table, all.a.val[first + 2 * pair + 1]) << 4;
    values[pair] = static_cast<std::uint8_t>(codes);
  }
}

template <value V, offset O>
__device__ void packed_write_in_lanes(const packed_to_code<V, O>& all, const packed_cut_slice& c,
                                      const packed_slice& s, int lane, std::uint8_t* to) {
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
    const std::int32_t number = column - start;
    std::int32_t base = 0;
    if (s.columns() != packed_columns::four) {
      base = exec::least_of_warp(has ? number : 0x7fffffff);
      if (lane == 0) reinterpret_cast<std::int32_t*>(to + s.bases)[j] = base;
    }
    if (has) {
      const std::uint32_t place = packed_place(j, at, s.steps, packed_together_on_device);
      if (s.columns() == packed_columns::one) columns[place] = static_cast<std::uint8_t>(number - base);
      if (s.columns() == packed_columns::two)
        reinterpret_cast<std::uint16_t*>(columns)[place] = static_cast<std::uint16_t>(number - base);
      if (s.columns() == packed_columns::four) reinterpret_cast<std::int32_t*>(columns)[place] = number;
      if (s.values() == packed_values::table4) nibbles.add(j, packed_find(*all.a.table, v));
      packed_put_value(all, s, to + s.values_at, j, j, lane, v);
    }
    if (s.values() == packed_values::table4 && (j % 4 == 3 || j + 1u == s.steps))
      nibbles.put(to + s.values_at, j, lane);
  });
}

/// `pieces` of all slices, and the table's size, beside what the headers said.
template <value V>
__global__ void packed_gather_found_per_thread(packed_found* found, const std::uint64_t* pieces,
                                               const packed_device_table<V>* table) {
  found->pieces = *pieces;
  found->table_size = table->size;
}

/// before[i]: pieces of the slices before slice i. Headers go to `header`, those of `coded` with where their arrays begin.
template <value V, offset O>
__global__ void __launch_bounds__(packed_coding_threads)
    packed_write_slice_per_warp(const __grid_constant__ packed_to_code<V, O> all, const std::uint64_t* before,
                                const packed_slice* coded, packed_slice* header, std::uint8_t* data) {
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t number =
      (static_cast<std::int64_t>(blockIdx.x) * packed_coding_threads + threadIdx.x) / exec::warp_size;
  if (number >= all.slices) return;
  const packed_cut_slice c = all.slice[number];
  packed_slice s = coded[c.place];
  const std::uint64_t at = before[number];
  s.at = static_cast<std::uint32_t>(at);
  if (lane == 0) header[c.place] = s;
  std::uint8_t* const to = data + at * packed_piece;
  if (s.of_entries())
    packed_write_entries(all, c, s, lane, to);
  else if (s.on_diagonals()) {
    packed_write_on_diagonals(all, c, s, lane, to);
  } else {
    packed_write_in_lanes(all, c, s, lane, to);
  }
}

}  // namespace gossamer::inline v0::formats
