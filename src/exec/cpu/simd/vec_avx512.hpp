// SPDX-License-Identifier: BSD-3-Clause
// The same vector with AVX-512, in its own target region (see foreach_isa.inl); what takes half of one is
// AVX2's.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "exec/cpu/simd/vec_avx2.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")
#endif

namespace gossamer::inline v0::simd::avx512 {

/// Whether there is an instruction that loads from several addresses.
inline constexpr bool has_gathers = true;

inline constexpr bool sums_halves = false;
inline constexpr int register_bytes = 64;
using avx2::fused;
inline __m512 fused(__m512 a, __m512 b, __m512 c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline __m512d fused(__m512d a, __m512d b, __m512d c) {
  return _mm512_fmadd_pd(a, b, c);
}

template <class V>
struct vec;

template <>
struct vec<double> {
  using few = vec;
  static constexpr int lanes = 8;
  __m512d v;

  static vec zero() { return {_mm512_setzero_pd()}; }
  static vec all(double value) { return {_mm512_set1_pd(value)}; }
  static vec load(const double* p) { return {_mm512_loadu_pd(p)}; }
  static __m256i load_index(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static __m256i load_index(const std::uint8_t* p) { return _mm256_cvtepu8_epi32(_mm_loadu_si64(p)); }
  static __m256i load_index(const std::uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static vec halves(__m256d low, __m256d high, __mmask8 wanted = 0xff) {
    return {_mm512_maskz_insertf64x4(wanted, _mm512_maskz_broadcast_f64x4(0xff, low), high, 1)};
  }
  template <class Narrow>
  static vec gather(const double* x, const Narrow* index) {
    return halves(avx2::load_each(x, index[0], index[1], index[2], index[3]),
                  avx2::load_each(x, index[4], index[5], index[6], index[7]));
  }
  static vec gather_each(const double* x, const std::int32_t* index) {
    return halves(avx2::vec<double>::gather_each(x, index).v, avx2::vec<double>::gather_each(x, index + 4).v);
  }
  static vec gather(const double* x, const std::int32_t* index) {
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, load_index(index), x, 8)};
  }
  static __mmask8 first(int n) { return static_cast<__mmask8>((1u << n) - 1u); }
  static vec load_first(const double* p, int n) { return {_mm512_maskz_loadu_pd(first(n), p)}; }
  static vec keep_first(vec a, int n) { return {_mm512_maskz_mov_pd(first(n), a.v)}; }
  static vec load_first_of_more(const double* p, int n) { return load_first(p, n); }
  static vec load_where(const double* p, unsigned bits) {
    return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(bits), p)};
  }
  static vec gather_first(const double* x, const std::int32_t* index, int n) {
    const __m256i idx = _mm256_maskz_loadu_epi32(first(n), index);
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), first(n), idx, x, 8)};
  }
  // Not the instruction of that name: with it a masked diagonal of bccoo took 1.7 ns instead of 1.0 on a
  // Zen 5.
  static vec expand(vec a, unsigned bits) {
    const __m512i lane =
        _mm512_maskz_cvtepu8_epi64(0xff, _mm_loadu_si64(avx2::expand_eight.of[bits & 0xffu]));
    return {_mm512_maskz_permutexvar_pd(static_cast<__mmask8>(bits), lane, a.v)};
  }
  static vec load_expanded(const double* p, unsigned bits) { return expand(load(p), bits); }
  /// What the lanes behind the first n load is x[0], and not used.
  static vec gather_first(const double* x, const std::uint8_t* index, int n) {
    const auto word = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_maskz_loadu_epi8(first(n), index)));
    return halves(avx2::load_each<8>(x, word), avx2::load_each<8>(x, word >> 32), first(n));
  }
  static vec gather_first(const double* x, const std::uint16_t* index, int n) {
    const __m128i words = _mm_maskz_loadu_epi16(first(n), index);
    return halves(avx2::load_each<16>(x, static_cast<std::uint64_t>(_mm_cvtsi128_si64(words))),
                  avx2::load_each<16>(x, static_cast<std::uint64_t>(_mm_extract_epi64(words, 1))), first(n));
  }
  static vec gather_at_once(const double* x, const std::uint8_t* index, int n) {
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), first(n), load_index(index), x, 8)};
  }
  static vec gather_first_each(const double* x, const std::int32_t* index, int n) {
    const __m256i idx = _mm256_maskz_loadu_epi32(first(n), index);
    const auto a = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(idx)));
    const auto b = static_cast<std::uint64_t>(_mm_extract_epi64(_mm256_castsi256_si128(idx), 1));
    const __m128i up = _mm256_extracti128_si256(idx, 1);
    const auto c = static_cast<std::uint64_t>(_mm_cvtsi128_si64(up));
    const auto d = static_cast<std::uint64_t>(_mm_extract_epi64(up, 1));
    return halves(avx2::load_each(x, avx2::low_number(a), a >> 32, avx2::low_number(b), b >> 32),
                  avx2::load_each(x, avx2::low_number(c), c >> 32, avx2::low_number(d), d >> 32), first(n));
  }
  static vec gather_if_valid(const double* x, const std::int32_t* index) {
    const __m256i idx = load_index(index);
    const __mmask8 valid = _mm256_cmpgt_epi32_mask(idx, _mm256_set1_epi32(-1));
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), valid, idx, x, 8)};
  }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
  static vec multiply(vec a, vec b) { return {_mm512_mul_pd(a.v, b.v)}; }
  static vec multiply_add(vec a, vec b, vec c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
  static vec add(vec a, vec b) { return {_mm512_add_pd(a.v, b.v)}; }
  [[nodiscard]] bool all_finite() const {
    const __m512d none = _mm512_sub_pd(v, v);
    return _mm512_cmp_pd_mask(none, none, _CMP_ORD_Q) == 0xff;
  }
  [[nodiscard]] double sum() const {
    // Not the cast: GCC 12 warns about the undefined vector that it starts from.
    const __m256d low = _mm512_maskz_extractf64x4_pd(0xff, v, 0);
    const __m256d high = _mm512_maskz_extractf64x4_pd(0xff, v, 1);
    const __m256d four = _mm256_add_pd(low, high);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
  // The maskz_ forms, because GCC 12 warns about the undefined vector that the plain ones start from.
  static __m512d pairs(__m512d a, __m512d b) {
    return _mm512_add_pd(_mm512_maskz_unpacklo_pd(0xff, a, b), _mm512_maskz_unpackhi_pd(0xff, a, b));
  }
  static __m512d quarters(__m512d a, __m512d b) {
    return _mm512_add_pd(_mm512_maskz_shuffle_f64x2(0xff, a, b, 0x88),
                         _mm512_maskz_shuffle_f64x2(0xff, a, b, 0xdd));
  }
  [[nodiscard]] vec folded() const { return *this; }
  static vec sums(const vec (&row)[lanes]) {
    return {quarters(quarters(pairs(row[0].v, row[1].v), pairs(row[2].v, row[3].v)),
                     quarters(pairs(row[4].v, row[5].v), pairs(row[6].v, row[7].v)))};
  }
  [[nodiscard]] avx2::vec<double> halved() const {
    return {
        _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xff, v, 0), _mm512_maskz_extractf64x4_pd(0xff, v, 1))};
  }
  [[gnu::always_inline]] static void four_sums(const vec (&row)[4], double* to) {
    const avx2::vec<double> half[4] = {row[0].halved(), row[1].halved(), row[2].halved(), row[3].halved()};
    avx2::vec<double>::four_sums(half, to);
  }
};

template <>
struct vec<float> {
  /// A gather of 16 lanes takes twice as long as one of 8, however few are wanted.
  using few = avx2::vec<float>;
  static constexpr int lanes = 16;
  __m512 v;

  static vec zero() { return {_mm512_setzero_ps()}; }
  static vec all(float value) { return {_mm512_set1_ps(value)}; }
  static vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static __m512i load_index(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static __m512i load_index(const std::uint8_t* p) {
    return _mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static __m512i load_index(const std::uint16_t* p) {
    return _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  template <class Index>
  static vec gather(const float* x, const Index* index) {
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, load_index(index), x, 4)};
  }
  static vec gather_each(const float* x, const std::int32_t* index) {
    const __m256 low = avx2::vec<float>::gather_each(x, index).v;
    const __m256 high = avx2::vec<float>::gather_each(x, index + 8).v;
    return {_mm512_maskz_insertf32x8(0xffff, _mm512_maskz_broadcast_f32x8(0xffff, low), high, 1)};
  }
  static __mmask16 first(int n) { return static_cast<__mmask16>((1u << n) - 1u); }
  static vec load_first(const float* p, int n) { return {_mm512_maskz_loadu_ps(first(n), p)}; }
  static vec keep_first(vec a, int n) { return {_mm512_maskz_mov_ps(first(n), a.v)}; }
  static vec load_first_of_more(const float* p, int n) { return load_first(p, n); }
  static vec load_where(const float* p, unsigned bits) {
    return {_mm512_maskz_loadu_ps(static_cast<__mmask16>(bits), p)};
  }
  static vec gather_first(const float* x, const std::int32_t* index, int n) {
    const __m512i idx = _mm512_maskz_loadu_epi32(first(n), index);
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), first(n), idx, x, 4)};
  }
  template <class Narrow>
  static vec gather_first(const float* x, const Narrow* index, int n) {
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), first(n), load_index(index), x, 4)};
  }
  static vec gather_at_once(const float* x, const std::uint8_t* index, int n) {
    return gather_first(x, index, n);
  }
  static vec gather_first_each(const float* x, const std::int32_t* index, int n) {
    return gather_first(x, index, n);
  }
  static vec gather_if_valid(const float* x, const std::int32_t* index) {
    const __m512i idx = _mm512_loadu_si512(index);
    const __mmask16 valid = _mm512_cmpgt_epi32_mask(idx, _mm512_set1_epi32(-1));
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), valid, idx, x, 4)};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  static vec multiply(vec a, vec b) { return {_mm512_mul_ps(a.v, b.v)}; }
  static vec multiply_add(vec a, vec b, vec c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  static vec add(vec a, vec b) { return {_mm512_add_ps(a.v, b.v)}; }
  [[nodiscard]] bool all_finite() const {
    const __m512 none = _mm512_sub_ps(v, v);
    return _mm512_cmp_ps_mask(none, none, _CMP_ORD_Q) == 0xffff;
  }
  [[nodiscard]] avx2::vec<float> folded() const {
    return {
        _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, v, 0), _mm512_maskz_extractf32x8_ps(0xff, v, 1))};
  }
  [[nodiscard]] float sum() const { return folded().sum(); }
  [[gnu::always_inline]] static void four_sums(const vec (&row)[4], float* to) {
    const avx2::vec<float> half[4] = {row[0].folded(), row[1].folded(), row[2].folded(), row[3].folded()};
    avx2::vec<float>::four_sums(half, to);
  }
};

template <class V>
using short_vec = typename vec<V>::few;

template <class V>
struct register_table;
template <>
struct register_table<double> {
  static constexpr int most = 16;
  __m512d low;
  __m512d high;

  register_table(const double* table, int size)
      : low(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << size) - 1u), table)),
        high(_mm512_maskz_loadu_pd(static_cast<__mmask8>(((1u << size) - 1u) >> 8), table + 8)) {}
  static __m512i numbers(const std::uint8_t* code) {
    return _mm512_maskz_cvtepu8_epi64(0xff, _mm_loadu_si64(code));
  }
  template <class Lanes>
  [[nodiscard]] Lanes look_up(const std::uint8_t* code) const {
    return {_mm512_permutex2var_pd(low, numbers(code), high)};
  }
  template <class Lanes>
  [[nodiscard]] Lanes look_up_first(const std::uint8_t* code, int n) const {
    return {_mm512_maskz_permutex2var_pd(Lanes::first(n), low, numbers(code), high)};
  }
};
template <>
struct register_table<float> {
  static constexpr int most = 16;
  __m512 value;

  register_table(const float* table, int size) : value(vec<float>::load_first(table, size).v) {}
  template <class Lanes>
  [[nodiscard]] Lanes look_up(const std::uint8_t* code) const {
    return look_up_first<Lanes>(code, Lanes::lanes);
  }
  template <class Lanes>
  [[nodiscard]] Lanes look_up_first(const std::uint8_t* code, int n) const {
    if constexpr (Lanes::lanes == 16) {
      return {_mm512_maskz_permutexvar_ps(Lanes::first(n), Lanes::load_index(code), value)};
    } else {
      const __m256 low = _mm512_maskz_extractf32x8_ps(0xff, value, 0);
      const __m256 high = _mm512_maskz_extractf32x8_ps(0xff, value, 1);
      const auto wanted = static_cast<__mmask8>((1u << n) - 1u);
      return {_mm256_maskz_permutex2var_ps(wanted, low, Lanes::load_index(code), high)};
    }
  }
};

inline std::uint64_t changes(const std::uint8_t* p) {
  return _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(p), _mm512_loadu_si512(p + 1));
}
inline std::uint64_t changes(const std::uint16_t* p) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 64; k += 32)
    bits |= std::uint64_t{_mm512_cmpneq_epi16_mask(_mm512_loadu_si512(p + k), _mm512_loadu_si512(p + k + 1))}
            << k;
  return bits;
}
inline std::uint64_t changes(const std::uint32_t* p) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 64; k += 16)
    bits |= std::uint64_t{_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(p + k), _mm512_loadu_si512(p + k + 1))}
            << k;
  return bits;
}

inline int positions(std::uint64_t bits, std::int32_t base, std::int32_t* to) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  int count = 0;
  for (int k = 0; k < 64; k += 16) {
    const auto here = static_cast<__mmask16>(bits >> k);
    _mm512_storeu_si512(
        to + count, _mm512_maskz_compress_epi32(here, _mm512_add_epi32(lane, _mm512_set1_epi32(base + k))));
    count += __builtin_popcount(here);
  }
  return count;
}

/// Wider ones need more shuffles an entry, and those have one port.
template <class V>
using tile = avx2::tile<V>;

}  // namespace gossamer::inline v0::simd::avx512

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
