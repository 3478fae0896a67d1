// SPDX-License-Identifier: BSD-3-Clause
// A slice of entries on a CUDA device, by one warp: all columns and values are asked for at once, then all x, whatever their rows; the products
// go through shared memory to the lanes that add them row by row.
#pragma once

#include "formats/packed/steps.cuh"

namespace gossamer::inline v0::formats {

/// How the entries of a slice lie in its lanes: in groups of as many neighbours as values fill 16 bytes, so that every load and store is whole.
template <class V>
struct packed_entry_lanes {
  static constexpr int together = packed_piece / sizeof(V);
  static constexpr int stride = packed_lanes * together;
  static constexpr int groups = packed_most_entries / stride;
  /// Where product k lies. One group of every 32 places stays empty, so that rows which begin a multiple of 128 bytes apart are not all read
  /// from the same banks.
  static __device__ __forceinline__ int place(int k) { return k + (k >> 5) * together; }
  static constexpr int places = packed_most_entries + packed_most_entries / 32 * together;
};

/// What a warp has of shared memory for a slice of entries.
template <class V>
struct alignas(packed_piece) packed_entry_room {
  V product[packed_entry_lanes<V>::places];
  std::uint8_t start[packed_most_entries];
};

__device__ __forceinline__ void store_piece(double* to, const double (&v)[2]) {
  *reinterpret_cast<double2*>(to) = make_double2(v[0], v[1]);
}
__device__ __forceinline__ void store_piece(float* to, const float (&v)[4]) {
  *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
}

template <class V>
struct packed_entries {
  const std::uint8_t* starts;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* x;  ///< of the smallest column
  const V* table;
  int rows;
  int count;
  int lane;
  bool waits_late;  ///< takes its turn behind columns and values, not before
  exec::l2_policy policy;
  packed_half<V> half;
};

/// Of a lane's neighbours from `first` on; what is behind the last entry is something.
template <packed_values W, class V, int Together>
struct packed_entry_values {
  exec::packed<Together> codes;
  float narrow[Together];
  V full[Together];

  __device__ __forceinline__ void load(const packed_entries<V>& of, int first) {
    const bool there = first < of.count;
    if constexpr (W == packed_values::table4) {
      constexpr int width = Together == 2 ? 0 : 1;
      codes.word[0] = exec::load_number_if<width>(there, of.values + first / 2);
    } else if constexpr (W == packed_values::table8) {
      codes = exec::load_packed_if<0, Together>(there, of.values + first, of.policy);
    } else if constexpr (W == packed_values::half) {
      codes = exec::load_packed_if<1, Together>(there, of.values + first * 2, of.policy);
    } else if constexpr (W == packed_values::narrow) {
      exec::load_piece(there, reinterpret_cast<const float*>(of.values) + first, narrow, of.policy);
    } else if constexpr (W == packed_values::full) {
      exec::load_piece(there, reinterpret_cast<const V*>(of.values) + first, full, of.policy);
    }
  }
  /// constant: for all.
  __device__ __forceinline__ V value(const packed_entries<V>& of, int i, V constant) const {
    if constexpr (W == packed_values::table4) return of.table[codes.word[0] >> 4 * i & 0xfu];
    if constexpr (W == packed_values::table8) return of.table[__byte_perm(codes.word[0], 0, 0x4440u + i)];
    if constexpr (W == packed_values::half) return half_value(of.half, codes, i);
    if constexpr (W == packed_values::narrow) return static_cast<V>(narrow[i]);
    if constexpr (W == packed_values::full) return full[i];
    return constant;
  }
};

/// Leaves the products, and where rows start, in the warp's room. Between what is asked for and what is waited for stands nothing else.
template <packed_columns C, packed_values W, class V>
__device__ __forceinline__ void multiply_entries(const packed_entries<V>& of, packed_entry_room<V>& room) {
  using lanes = packed_entry_lanes<V>;
  constexpr int width = C == packed_columns::one ? 0 : C == packed_columns::two ? 1 : 2;
  exec::packed<lanes::together> raw[lanes::groups];
  packed_entry_values<W, V, lanes::together> values[lanes::groups];
  V constant{0};
#pragma unroll
  for (int g = 0; g < lanes::groups; ++g) {
    const int first = g * lanes::stride + of.lane * lanes::together;
    raw[g] = exec::load_packed_if<width, lanes::together>(first < of.count, of.columns + (first << width),
                                                          of.policy);
    values[g].load(of, first);
  }
  if constexpr (W == packed_values::constant)
    constant = exec::load_if(true, reinterpret_cast<const V*>(of.values), V{0});
  if (of.waits_late) exec::take_turn();
  const V* from = of.x;
  asm volatile("" : "+l"(from));  // else the smallest column is added to each
  V x[lanes::groups][lanes::together];
#pragma unroll
  for (int g = 0; g < lanes::groups; ++g) {
    const int first = g * lanes::stride + of.lane * lanes::together;
    std::uint32_t column[lanes::together];
    exec::unpack(raw[g], width, column);
#pragma unroll
    for (int i = 0; i < lanes::together; ++i)
      x[g][i] = exec::load_vector_if(first + i < of.count, from + column[i], V{0});
  }
  // With x, when the columns have left their registers: earlier ptxas found none for it and waited.
  constexpr int starts = 8;
  const int first_start = of.lane * starts;
  const exec::packed<starts> start =
      exec::load_packed_if<0, starts>(first_start < of.rows, of.starts + first_start, of.policy);
#pragma unroll
  for (int g = 0; g < lanes::groups; ++g) {
    V product[lanes::together];
#pragma unroll
    for (int i = 0; i < lanes::together; ++i) product[i] = values[g].value(of, i, constant) * x[g][i];
    store_piece(room.product + lanes::place(g * lanes::stride + of.lane * lanes::together), product);
  }
  *reinterpret_cast<uint2*>(room.start + first_start) = make_uint2(start.word[0], start.word[1]);
}

template <bool Halves, packed_columns C, class V>
__device__ __forceinline__ void multiply_entries(packed_values values, const packed_entries<V>& of,
                                                 packed_entry_room<V>& room) {
  switch (values) {
    case packed_values::constant:
    case packed_values::of_step:
      return multiply_entries<C, packed_values::constant>(of, room);
    case packed_values::table4:
      return multiply_entries<C, packed_values::table4>(of, room);
    case packed_values::table8:
      return multiply_entries<C, packed_values::table8>(of, room);
    case packed_values::half:
      if constexpr (Halves) return multiply_entries<C, packed_values::half>(of, room);
      break;
    case packed_values::narrow:
      if constexpr (sizeof(V) > sizeof(float)) return multiply_entries<C, packed_values::narrow>(of, room);
      break;
    case packed_values::full:
      break;
  }
  multiply_entries<C, packed_values::full>(of, room);
}

/// finish(r, sum) once for each row, by one lane. As many lanes share a row as get every row its own at once; the whole warp adds a row that is
/// far longer than that is good for. The order follows from the bounds alone.
template <class V, class Finish>
__device__ __forceinline__ void sum_entry_rows(const packed_entry_room<V>& room, int rows, int entries,
                                               int lane, Finish&& finish) {
  using lanes = packed_entry_lanes<V>;
  constexpr unsigned everyone = 0xffffffffu;
  constexpr int at_once = 4;
  constexpr int most_turns = 6;
  const int log2 = rows > packed_lanes / 2 ? 0 : __clz(rows - 1) - 27;
  const int sharing = 1 << log2;
  const int mine = lane & (sharing - 1);
#pragma unroll 1
  for (int base = 0; base < rows; base += packed_lanes >> log2) {
    const int r = base + (lane >> log2);
    int begin = 0;
    int end = 0;
    if (r < rows) {
      begin = room.start[r];
      end = entries;
    }
    if (r + 1 < rows) end = room.start[r + 1];
    const bool is_long = end - begin > most_turns * at_once << log2;
    V sum{0};
    if (!is_long) {
#pragma unroll 1
      for (int k = begin + mine; k < end; k += at_once << log2) {
        V product[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          const int at = k + (i << log2);
          product[i] = V{0};
          if (at < end) product[i] = room.product[lanes::place(at)];
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) sum += product[i];
      }
    }
    for (int distance = sharing / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(everyone, sum, distance);
    for (unsigned left = __ballot_sync(everyone, is_long && mine == 0); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const int from = __shfl_sync(everyone, begin, owner);
      const int to = __shfl_sync(everyone, end, owner);
      V part{0};
      for (int k = from + lane; k < to; k += packed_lanes) part += room.product[lanes::place(k)];
      part = exec::sum_lanes<packed_lanes>(part);
      if (lane == owner) sum = part;
    }
    if (mine == 0 && r < rows) finish(r, sum);
  }
}

/// A whole warp calls it.
template <bool Halves, class V>
__device__ __forceinline__ void multiply_slice_of_entries(const packed_slice& s, const packed_entries<V>& of,
                                                          packed_entry_room<V>& room, const product<V>& p) {
  if (s.columns() == packed_columns::one)
    multiply_entries<Halves, packed_columns::one>(s.values(), of, room);
  else if (s.columns() == packed_columns::two)
    multiply_entries<Halves, packed_columns::two>(s.values(), of, room);
  else
    multiply_entries<Halves, packed_columns::four>(s.values(), of, room);
  __syncwarp();
  sum_entry_rows(room, s.rows(), of.count, of.lane, [&](int r, V sum) { p.finish_row(s.row + r, sum); });
}

}  // namespace gossamer::inline v0::formats
