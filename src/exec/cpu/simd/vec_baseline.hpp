// SPDX-License-Identifier: BSD-3-Clause
// Four lanes in plain C++: the vector of machines that we know nothing about. The operations are those of
// vec_avx2.hpp and vec_avx512.hpp.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::simd::baseline {

/// Whether there is an instruction that loads from several addresses.
inline constexpr bool has_gathers = false;

/// Whether vec::sums() adds halves of lanes first, as sum() does, and not neighbours.
inline constexpr bool sums_halves = true;
inline constexpr int register_bytes = 16;
/// a b + c as vec::multiply_add rounds it, of numbers that fill a register.
template <class Register>
inline Register fused(Register a, Register b, Register c) {
  return a * b + c;
}

template <class V>
struct vec {
  static constexpr int lanes = 4;
  V v[lanes];

  static vec zero() { return {}; }
  static vec load(const V* p) { return {{p[0], p[1], p[2], p[3]}}; }
  /// x[index[k]] in lane k; an index has 1, 2 or 4 bytes.
  template <class Index>
  static vec gather(const V* x, const Index* index) {
    return {{x[index[0]], x[index[1]], x[index[2]], x[index[3]]}};
  }
  /// The same, one lane at a time even where there is an instruction for all of them.
  static vec gather_each(const V* x, const std::int32_t* index) { return gather(x, index); }
  /// As load and gather, for the first n lanes (n <= lanes); the others are 0 and their memory is not
  /// touched, but an index of 1 or 2 bytes may be read, and is not used, and x[0] may be.
  static vec load_first(const V* p, int n) {
    vec r{};
    for (int k = 0; k < n; ++k) r.v[k] = p[k];
    return r;
  }
  /// The first n lanes; the others are 0.
  static vec keep_first(vec a, int n) {
    for (int k = n; k < lanes; ++k) a.v[k] = V{0};
    return a;
  }
  /// As load_first, of numbers behind which as many as a vector has may be read; n may be more.
  static vec load_first_of_more(const V* p, int n) {
    vec r;
    for (int k = 0; k < lanes; ++k) r.v[k] = k < n ? p[k] : V{0};
    return r;
  }
  template <class Index>
  static vec gather_first(const V* x, const Index* index, int n) {
    vec r{};
    for (int k = 0; k < n; ++k) r.v[k] = x[index[k]];
    return r;
  }
  /// As gather_first, one lane at a time; x[0] is read.
  static vec gather_first_each(const V* x, const std::int32_t* index, int n) {
    return gather_first(x, index, n);
  }
  /// As gather_first, by the instruction for all lanes at once where there is one; as many indices as a
  /// vector has lanes may be read.
  static vec gather_at_once(const V* x, const std::uint8_t* index, int n) {
    return gather_first(x, index, n);
  }
  /// As load, for the lanes k whose bit k is set; the others are 0 and their memory is not touched.
  static vec load_where(const V* p, unsigned bits) {
    vec r{};
    for (int k = 0; k < lanes; ++k)
      if ((bits >> k & 1u) != 0) r.v[k] = p[k];
    return r;
  }
  /// Its first lanes, in order, in the lanes k whose bit k is set; 0 in the others.
  static vec expand(vec a, unsigned bits) {
    vec r{};
    int from = 0;
    for (int k = 0; k < lanes; ++k)
      if ((bits >> k & 1u) != 0) r.v[k] = a.v[from++];
    return r;
  }
  /// The same of the numbers at p; those that no bit wants may be read, as far as a vector goes, and are not
  /// used.
  static vec load_expanded(const V* p, unsigned bits) { return expand(load(p), bits); }
  /// As gather, 0 where index[k] is negative.
  static vec gather_if_valid(const V* x, const std::int32_t* index) {
    vec r{};
    for (int k = 0; k < lanes; ++k) r.v[k] = index[k] < 0 ? V{0} : x[index[k]];
    return r;
  }
  void store(V* p) const {
    for (int k = 0; k < lanes; ++k) p[k] = v[k];
  }
  static vec all(V value) { return {{value, value, value, value}}; }
  static vec multiply(vec a, vec b) {
    for (int k = 0; k < lanes; ++k) a.v[k] *= b.v[k];
    return a;
  }
  /// a b + c.
  static vec multiply_add(vec a, vec b, vec c) {
    for (int k = 0; k < lanes; ++k) c.v[k] += a.v[k] * b.v[k];
    return c;
  }
  static vec add(vec a, vec b) {
    for (int k = 0; k < lanes; ++k) a.v[k] += b.v[k];
    return a;
  }
  /// Whether no lane is infinite or NaN.
  [[nodiscard]] bool all_finite() const {
    bool all = true;
    // As the others are. NOLINTNEXTLINE(modernize-loop-convert)
    for (int k = 0; k < lanes; ++k) all = all && v[k] - v[k] == V{0};
    return all;
  }
  /// The sum of the lanes, halves first.
  [[nodiscard]] V sum() const { return (v[0] + v[2]) + (v[1] + v[3]); }
  /// The same sum in the lanes of a short_vec.
  [[nodiscard]] vec folded() const { return *this; }
  /// In lane r the sum of the lanes of row[r].
  static vec sums(const vec (&row)[lanes]) {
    return {{row[0].sum(), row[1].sum(), row[2].sum(), row[3].sum()}};
  }
  /// The sums of four vectors' lanes, to[r] that of row[r]; in an order of additions that does not depend on
  /// r.
  static void four_sums(const vec (&row)[4], V* to) { sums(row).store(to); }
};

/// The vector for rows that have no more entries than it has lanes.
template <class V>
using short_vec = vec<V>;

/// A table of at most `most` values that stays in registers; most is 0 where a gather is as good.
template <class V>
struct register_table {
  static constexpr int most = 0;
};

/// Bit k is set where p[k] != p[k + 1], k < 64. Number: 1, 2 or 4 bytes.
template <class Number>
inline std::uint64_t changes(const Number* p) {
  std::uint8_t differs[64];  // compilers make vectors of this loop
  for (int k = 0; k < 64; ++k) differs[k] = p[k] != p[k + 1] ? 1 : 0;
  std::uint64_t bits = 0;
  for (int k = 0; k < 64; k += 8) {
    std::uint64_t eight = 0;
    for (int i = 0; i < 8; ++i) eight |= std::uint64_t{differs[k + i]} << 8 * i;
    // Byte i times 2^(56 - 7 i) is bit i of the highest byte.
    bits |= eight * 0x0102040810204080u >> 56 << k;
  }
  return bits;
}

/// Writes base + k for each bit k that is set, in order, and returns their number; up to 64 may be written.
inline int positions(std::uint64_t bits, std::int32_t base, std::int32_t* to) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) to[count++] = base + __builtin_ctzll(bits);
  return count;
}

/// Reads rows that lie one after another, a column of `rows` entries at a time.
template <class V>
struct tile {
  using lanes = vec<V>;
  static constexpr int rows = lanes::lanes;
  static constexpr int depth = 4;
  static constexpr int at_once = 1;  ///< tiles that a kernel should work on together
  /// p[offset[r] + k] in lane r of out[k], for each k < depth.
  static void load(const V* p, const std::int64_t (&offset)[rows], lanes (&out)[depth]) {
    for (int k = 0; k < depth; ++k) out[k] = load_column(p + k, offset);
  }
  /// p[offset[r]] in lane r.
  static lanes load_column(const V* p, const std::int64_t (&offset)[rows]) {
    return {{p[offset[0]], p[offset[1]], p[offset[2]], p[offset[3]]}};
  }
};

}  // namespace gossamer::inline v0::simd::baseline
