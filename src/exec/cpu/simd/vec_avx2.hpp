// SPDX-License-Identifier: BSD-3-Clause
// The same vector with AVX2 and FMA, in its own target region (see foreach_isa.inl).
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace gossamer::inline v0::simd::avx2 {

/// Whether there is an instruction that loads from several addresses.
inline constexpr bool has_gathers = true;
inline constexpr bool sums_halves = false;
inline constexpr int register_bytes = 32;
inline __m128 fused(__m128 a, __m128 b, __m128 c) {
  return _mm_fmadd_ps(a, b, c);
}
inline __m256 fused(__m256 a, __m256 b, __m256 c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline __m256d fused(__m256d a, __m256d b, __m256d c) {
  return _mm256_fmadd_pd(a, b, c);
}

/// For each mask of `Lanes` bits the lane that each of its lanes takes when the first ones are spread out.
template <int Lanes>
struct expand_lanes {
  std::uint8_t of[1 << Lanes][Lanes] = {};
  constexpr expand_lanes() {
    for (int bits = 0; bits < 1 << Lanes; ++bits)
      for (int k = 0, from = 0; k < Lanes; ++k)
        if ((bits >> k & 1) != 0) of[bits][k] = static_cast<std::uint8_t>(from++);
  }
};
inline constexpr expand_lanes<4> expand_four;
inline constexpr expand_lanes<8> expand_eight;

/// Four numbers loaded one by one. On a Zen 5 eight of them took 1.5 ns where the gather took 3.8.
inline __m256d load_each(const double* x, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                         std::uint64_t d) {
  const __m128d low = _mm_loadh_pd(_mm_load_sd(x + a), x + b);
  const __m128d high = _mm_loadh_pd(_mm_load_sd(x + c), x + d);
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}
/// x[index[k]] of the first four numbers of 1 or 2 bytes in a word.
template <int Bits>
inline __m256d load_each(const double* x, std::uint64_t word) {
  constexpr std::uint64_t one = (std::uint64_t{1} << Bits) - 1;
  return load_each(x, word & one, word >> Bits & one, word >> 2 * Bits & one, word >> 3 * Bits & one);
}
/// The first n of the numbers of so many bits in a word, and zeros behind them.
inline std::uint64_t first_numbers(std::uint64_t word, int n, int bits) {
  return n * bits >= 64 ? word : word & ((std::uint64_t{1} << n * bits) - 1);
}

/// Two numbers that are not negative, in one load: with a load for each, eight products of double took a
/// tenth longer on a Zen 5.
inline std::uint64_t two_numbers(const std::int32_t* p) {
  std::uint64_t two;
  std::memcpy(&two, p, sizeof(two));
  return two;
}
inline std::uint64_t low_number(std::uint64_t two) {
  return two & 0xffffffffu;
}

template <class V>
struct vec;

template <>
struct vec<double> {
  static constexpr int lanes = 4;
  __m256d v;

  static vec zero() { return {_mm256_setzero_pd()}; }
  static vec all(double value) { return {_mm256_set1_pd(value)}; }
  static vec load(const double* p) { return {_mm256_loadu_pd(p)}; }
  static __m128i load_index(const std::int32_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static __m128i load_index(const std::uint8_t* p) {
    std::int32_t four;  // not _mm_loadu_si32, which puts them into the wrong element in GCC 11.1 and 11.2
    std::memcpy(&four, p, sizeof(four));
    return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
  }
  static __m128i load_index(const std::uint16_t* p) { return _mm_cvtepu16_epi32(_mm_loadu_si64(p)); }
  template <class Narrow>
  static vec gather(const double* x, const Narrow* index) {
    return {load_each(x, index[0], index[1], index[2], index[3])};
  }
  static vec gather_each(const double* x, const std::int32_t* index) {
    const std::uint64_t a = two_numbers(index);
    const std::uint64_t b = two_numbers(index + 2);
    return {load_each(x, low_number(a), a >> 32, low_number(b), b >> 32)};
  }
  static vec gather(const double* x, const std::int32_t* index) {
    // Not the unmasked intrinsic: GCC warns about the undefined vector it starts from.
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, load_index(index),
                                     _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), 8)};
  }
  static __m256i first(int n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static vec load_first(const double* p, int n) { return {_mm256_maskload_pd(p, first(n))}; }
  static vec keep_first(vec a, int n) { return {_mm256_and_pd(a.v, _mm256_castsi256_pd(first(n)))}; }
  static vec load_first_of_more(const double* p, int n) { return load_first(p, n); }
  static vec load_where(const double* p, unsigned bits) {
    // Of a mask the highest bit counts.
    const __m256i up = _mm256_setr_epi64x(63, 62, 61, 60);
    return {_mm256_maskload_pd(p, _mm256_sllv_epi64(_mm256_set1_epi64x(bits), up))};
  }
  static vec expand(vec a, unsigned bits) {
    std::int32_t four;
    std::memcpy(&four, expand_four.of[bits & 0xfu], sizeof(four));
    const __m256i lane = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
    // Each half of a lane alone.
    const __m256i low = _mm256_add_epi64(lane, lane);
    const __m256i halves =
        _mm256_or_si256(low, _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32));
    const __m256 spread = _mm256_permutevar8x32_ps(_mm256_castpd_ps(a.v), halves);
    const __m256i wanted = _mm256_sllv_epi64(_mm256_set1_epi64x(bits), _mm256_setr_epi64x(63, 62, 61, 60));
    return {_mm256_blendv_pd(_mm256_setzero_pd(), _mm256_castps_pd(spread), _mm256_castsi256_pd(wanted))};
  }
  static vec load_expanded(const double* p, unsigned bits) { return expand(load(p), bits); }
  static vec gather_first(const double* x, const std::int32_t* index, int n) {
    const __m128i lanes32 = _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
    const __m128i idx = _mm_maskload_epi32(index, lanes32);
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, idx, _mm256_castsi256_pd(first(n)), 8)};
  }
  template <class Narrow>
  static vec gather_first(const double* x, const Narrow* index, int n) {
    constexpr int bits = 8 * static_cast<int>(sizeof(Narrow));
    std::conditional_t<sizeof(Narrow) == 1, std::uint32_t, std::uint64_t> word;
    std::memcpy(&word, index, sizeof(word));
    const __m256d each = load_each<bits>(x, first_numbers(word, n, bits));
    return {_mm256_and_pd(each, _mm256_castsi256_pd(first(n)))};
  }
  static vec gather_at_once(const double* x, const std::uint8_t* index, int n) {
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, load_index(index), _mm256_castsi256_pd(first(n)),
                                     8)};
  }
  static vec gather_first_each(const double* x, const std::int32_t* index, int n) {
    return gather_first(x, index, n);
  }
  static vec gather_if_valid(const double* x, const std::int32_t* index) {
    const __m128i idx = load_index(index);
    const __m256i valid = _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(idx, _mm_set1_epi32(-1)));
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, idx, _mm256_castsi256_pd(valid), 8)};
  }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
  static vec multiply(vec a, vec b) { return {_mm256_mul_pd(a.v, b.v)}; }
  static vec multiply_add(vec a, vec b, vec c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  static vec add(vec a, vec b) { return {_mm256_add_pd(a.v, b.v)}; }
  [[nodiscard]] bool all_finite() const {
    const __m256d none = _mm256_sub_pd(v, v);
    return _mm256_movemask_pd(_mm256_cmp_pd(none, none, _CMP_ORD_Q)) == 0xf;
  }
  [[nodiscard]] double sum() const {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
  }
  [[nodiscard]] vec folded() const { return *this; }
  static vec sums(const vec (&row)[lanes]) {
    const __m256d a = _mm256_hadd_pd(row[0].v, row[1].v);
    const __m256d b = _mm256_hadd_pd(row[2].v, row[3].v);
    return {_mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31))};
  }
  [[gnu::always_inline]] static void four_sums(const vec (&row)[4], double* to) { sums(row).store(to); }
};

template <>
struct vec<float> {
  static constexpr int lanes = 8;
  __m256 v;

  static vec zero() { return {_mm256_setzero_ps()}; }
  static vec all(float value) { return {_mm256_set1_ps(value)}; }
  static vec load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static __m256i load_index(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static __m256i load_index(const std::uint8_t* p) { return _mm256_cvtepu8_epi32(_mm_loadu_si64(p)); }
  static __m256i load_index(const std::uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  template <class Index>
  static vec gather(const float* x, const Index* index) {
    return {_mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, load_index(index),
                                     _mm256_castsi256_ps(_mm256_set1_epi32(-1)), 4)};
  }
  static vec gather_each(const float* x, const std::int32_t* index) {
    return {_mm256_insertf128_ps(_mm256_castps128_ps256(load_four(x, index)), load_four(x, index + 4), 1)};
  }
  static __m128 load_four(const float* x, const std::int32_t* index) {
    const std::uint64_t a = two_numbers(index);
    const std::uint64_t b = two_numbers(index + 2);
    const __m128 low = _mm_unpacklo_ps(_mm_load_ss(x + low_number(a)), _mm_load_ss(x + (a >> 32)));
    const __m128 high = _mm_unpacklo_ps(_mm_load_ss(x + low_number(b)), _mm_load_ss(x + (b >> 32)));
    return _mm_movelh_ps(low, high);
  }
  static __m256i first(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static vec load_first(const float* p, int n) { return {_mm256_maskload_ps(p, first(n))}; }
  static vec keep_first(vec a, int n) { return {_mm256_and_ps(a.v, _mm256_castsi256_ps(first(n)))}; }
  static vec load_first_of_more(const float* p, int n) { return load_first(p, n); }
  static vec load_where(const float* p, unsigned bits) {
    const __m256i up = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
    return {_mm256_maskload_ps(p, _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(bits)), up))};
  }
  static vec expand(vec a, unsigned bits) {
    const __m256i lane = _mm256_cvtepu8_epi32(_mm_loadu_si64(expand_eight.of[bits & 0xffu]));
    const __m256i up = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
    const __m256i wanted = _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(bits)), up);
    return {_mm256_blendv_ps(_mm256_setzero_ps(), _mm256_permutevar8x32_ps(a.v, lane),
                             _mm256_castsi256_ps(wanted))};
  }
  static vec load_expanded(const float* p, unsigned bits) { return expand(load(p), bits); }
  static vec gather_first(const float* x, const std::int32_t* index, int n) {
    const __m256i mask = first(n);
    return {_mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, _mm256_maskload_epi32(index, mask),
                                     _mm256_castsi256_ps(mask), 4)};
  }
  template <class Narrow>
  static vec gather_first(const float* x, const Narrow* index, int n) {
    return {_mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, load_index(index), _mm256_castsi256_ps(first(n)),
                                     4)};
  }
  static vec gather_at_once(const float* x, const std::uint8_t* index, int n) {
    return gather_first(x, index, n);
  }
  static vec gather_first_each(const float* x, const std::int32_t* index, int n) {
    return gather_first(x, index, n);
  }
  static vec gather_if_valid(const float* x, const std::int32_t* index) {
    const __m256i idx = load_index(index);
    const __m256i valid = _mm256_cmpgt_epi32(idx, _mm256_set1_epi32(-1));
    return {_mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, idx, _mm256_castsi256_ps(valid), 4)};
  }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  static vec multiply(vec a, vec b) { return {_mm256_mul_ps(a.v, b.v)}; }
  static vec multiply_add(vec a, vec b, vec c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  static vec add(vec a, vec b) { return {_mm256_add_ps(a.v, b.v)}; }
  [[nodiscard]] bool all_finite() const {
    const __m256 none = _mm256_sub_ps(v, v);
    return _mm256_movemask_ps(_mm256_cmp_ps(none, none, _CMP_ORD_Q)) == 0xff;
  }
  [[nodiscard]] float sum() const {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
  }
  [[nodiscard]] vec folded() const { return *this; }
  static vec sums(const vec (&row)[lanes]) {
    const __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(row[0].v, row[1].v), _mm256_hadd_ps(row[2].v, row[3].v));
    const __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(row[4].v, row[5].v), _mm256_hadd_ps(row[6].v, row[7].v));
    return {_mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31))};
  }
  [[gnu::always_inline]] static void four_sums(const vec (&row)[4], float* to) {
    const __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(row[0].v, row[1].v), _mm256_hadd_ps(row[2].v, row[3].v));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
  }
};

template <class V>
using short_vec = vec<V>;

template <class V>
struct register_table {
  static constexpr int most = 0;
};
template <>
struct register_table<float> {
  static constexpr int most = 8;
  __m256 value;

  register_table(const float* table, int size) : value(vec<float>::load_first(table, size).v) {}
  /// The values with the numbers that stand at `code`, for as many lanes.
  template <class Lanes>
  [[nodiscard]] Lanes look_up(const std::uint8_t* code) const {
    return {_mm256_permutevar8x32_ps(value, Lanes::load_index(code))};
  }
  /// The same for the first n lanes; the others are 0.
  template <class Lanes>
  [[nodiscard]] Lanes look_up_first(const std::uint8_t* code, int n) const {
    return {_mm256_and_ps(look_up<Lanes>(code).v, _mm256_castsi256_ps(Lanes::first(n)))};
  }
};

inline __m256i load_bytes(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
inline std::uint64_t changes(const std::uint8_t* p) {
  const auto equal = [](const std::uint8_t* q) {
    return static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(load_bytes(q), load_bytes(q + 1))));
  };
  return ~(std::uint64_t{equal(p)} | std::uint64_t{equal(p + 32)} << 32);
}
inline std::uint64_t changes(const std::uint16_t* p) {
  const auto equal = [](const std::uint16_t* q) {
    const __m256i low = _mm256_cmpeq_epi16(load_bytes(q), load_bytes(q + 1));
    const __m256i high = _mm256_cmpeq_epi16(load_bytes(q + 16), load_bytes(q + 17));
    const __m256i in_order = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(in_order));
  };
  return ~(std::uint64_t{equal(p)} | std::uint64_t{equal(p + 32)} << 32);
}
inline std::uint64_t changes(const std::uint32_t* p) {
  std::uint64_t equal = 0;
  for (int k = 0; k < 64; k += 8) {
    const __m256i eight = _mm256_cmpeq_epi32(load_bytes(p + k), load_bytes(p + k + 1));
    equal |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(eight)))} << k;
  }
  return ~equal;
}

/// Eight at a time, so that a branch is mispredicted for few of them; what is written too much is not
/// counted.
inline int positions(std::uint64_t bits, std::int32_t base, std::int32_t* to) {
  constexpr std::uint64_t stop = std::uint64_t{1} << 63;
  const int count = __builtin_popcountll(bits);
  for (int done = 0; done < count; done += 8) {
    for (int k = 0; k < 8; ++k) {
      to[done + k] = base + __builtin_ctzll(bits | stop);
      bits &= bits - 1;
    }
  }
  return count;
}

template <class V>
struct tile;

template <>
struct tile<double> {
  using lanes = vec<double>;
  static constexpr int rows = lanes::lanes;
  static constexpr int depth = 2;
  static constexpr int at_once = 1;  // two took 27 % longer on rows of 5: too few registers for the addresses
  /// Two entries each of two rows. A half that is inserted from memory needs no shuffle.
  static __m256d halves(const double* low, const double* high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
  }
  static void load(const double* p, const std::int64_t (&offset)[rows], lanes (&out)[depth]) {
    const __m256d even = halves(p + offset[0], p + offset[2]);
    const __m256d odd = halves(p + offset[1], p + offset[3]);
    out[0] = {_mm256_unpacklo_pd(even, odd)};
    out[1] = {_mm256_unpackhi_pd(even, odd)};
  }
  static lanes load_column(const double* p, const std::int64_t (&offset)[rows]) {
    return {_mm256_setr_pd(p[offset[0]], p[offset[1]], p[offset[2]], p[offset[3]])};
  }
};

template <>
struct tile<float> {
  using lanes = vec<float>;
  static constexpr int rows = lanes::lanes;
  static constexpr int depth = 4;
  static constexpr int at_once = 2;  // 13 to 26 % shorter than one
  static __m256 halves(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
  }
  static void load(const float* p, const std::int64_t (&offset)[rows], lanes (&out)[depth]) {
    const __m256 a = halves(p + offset[0], p + offset[4]);
    const __m256 b = halves(p + offset[1], p + offset[5]);
    const __m256 c = halves(p + offset[2], p + offset[6]);
    const __m256 d = halves(p + offset[3], p + offset[7]);
    const __m256d ab_low = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    const __m256d ab_high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    const __m256d cd_low = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    const __m256d cd_high = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    out[0] = {_mm256_castpd_ps(_mm256_unpacklo_pd(ab_low, cd_low))};
    out[1] = {_mm256_castpd_ps(_mm256_unpackhi_pd(ab_low, cd_low))};
    out[2] = {_mm256_castpd_ps(_mm256_unpacklo_pd(ab_high, cd_high))};
    out[3] = {_mm256_castpd_ps(_mm256_unpackhi_pd(ab_high, cd_high))};
  }
  static lanes load_column(const float* p, const std::int64_t (&offset)[rows]) {
    return {_mm256_setr_ps(p[offset[0]], p[offset[1]], p[offset[2]], p[offset[3]], p[offset[4]], p[offset[5]],
                           p[offset[6]], p[offset[7]])};
  }
};

}  // namespace gossamer::inline v0::simd::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
