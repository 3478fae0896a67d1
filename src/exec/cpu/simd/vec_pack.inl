// SPDX-License-Identifier: BSD-3-Clause
// vec and short_vec whose lanes hold a pack each, instead of a number (included by kernels on one core, for
// each instruction set). Each column has the additions and roundings of the vector of numbers.
namespace gossamer::inline v0::simd::GOSSAMER_ISA {

/// A pack in registers.
template <class T, int K>
struct columns {
  static constexpr int bytes = std::min(register_bytes, K* static_cast<int>(sizeof(T)));
  static constexpr int width = bytes / static_cast<int>(sizeof(T));
  static constexpr int parts = K / width;
  using part [[gnu::vector_size(bytes)]] = T;
  /// A part in memory. Not memcpy, for which GCC 12 loads halves.
  using stored_part [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
  part v[parts];

  [[gnu::always_inline]] static columns zero() { return {}; }
  [[gnu::always_inline]] static columns all(T value) {
    columns r;
    for (part& each : r.v) each = value - part{};
    return r;
  }
  [[gnu::always_inline]] static columns load(const pack<T, K>* p) {
    columns r;
    for (int j = 0; j < parts; ++j) r.v[j] = reinterpret_cast<const stored_part*>(p)[j];
    return r;
  }
  [[gnu::always_inline]] void store(pack<T, K>* p) const {
    for (int j = 0; j < parts; ++j) reinterpret_cast<stored_part*>(p)[j] = v[j];
  }
  [[gnu::always_inline]] friend columns operator+(columns a, const columns& b) {
    for (int j = 0; j < parts; ++j) a.v[j] = a.v[j] + b.v[j];
    return a;
  }
  [[gnu::always_inline]] friend columns operator*(columns a, const columns& b) {
    for (int j = 0; j < parts; ++j) a.v[j] = a.v[j] * b.v[j];
    return a;
  }
  /// a b + c, rounded as multiply_add of the vector of numbers is.
  [[gnu::always_inline]] static columns multiply_add(const columns& a, const columns& b, columns c) {
    for (int j = 0; j < parts; ++j) c.v[j] = fused(a.v[j], b.v[j], c.v[j]);
    return c;
  }
};

template <class T, int K>
struct one_pack;

/// Self: the vector, of L lanes.
template <class Self, class T, int K, int L>
struct pack_lanes {
  static constexpr int lanes = L;
  using lane = columns<T, K>;
  using one = one_pack<T, K>;
  using x_rows = pack_rows<const T, K>;
  using index = const std::int32_t*;
  lane v[L];

  /// Where multiply_add() reads its factors from. Of first_...: only the first n lanes have an entry.
  struct values {
    const T* val;
  };
  struct first_values {
    const T* val;
  };
  struct gathered {
    x_rows x;
    index col;
  };
  struct first_gathered {
    x_rows x;
    index col;
    int n;
  };

  [[gnu::always_inline]] static Self zero() { return {}; }
  [[gnu::always_inline]] static Self all(T value) {
    Self r;
    for (lane& each : r.v) each = lane::all(value);
    return r;
  }
  static values load(const T* val) { return {val}; }
  static first_values load_first(const T* val, int) { return {val}; }

  /// The products of n <= L entries, rounded; the other lanes are 0.
  [[gnu::always_inline]] static Self first_products(const T* val, index col, x_rows x, int n) {
    Self r{};
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l)
      if (l < n) r.v[l] = lane::all(val[l]) * lane::load(x + col[l]);
    return r;
  }
  /// a plus the products of n entries, each rounded.
  [[gnu::always_inline]] static Self add_products(Self a, const T* val, index col, x_rows x, int n) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l)
      if (l < n) a.v[l] = a.v[l] + lane::all(val[l]) * lane::load(x + col[l]);
    return a;
  }

  [[gnu::always_inline]] static Self multiply_add(const Self& a, const Self& b, Self c) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) c.v[l] = lane::multiply_add(a.v[l], b.v[l], c.v[l]);
    return c;
  }
  [[gnu::always_inline]] static Self multiply_add(values a, gathered b, Self c) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l)
      c.v[l] = lane::multiply_add(lane::all(a.val[l]), lane::load(b.x + b.col[l]), c.v[l]);
    return c;
  }
  [[gnu::always_inline]] static Self multiply_add(first_values a, first_gathered b, Self c) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) {
      if (l < b.n)
        c.v[l] = lane::multiply_add(lane::all(a.val[l]), lane::load(b.x + b.col[l]), c.v[l]);
      else
        c.v[l] = c.v[l] + lane::zero();  // turns -0.0 into 0.0, as the vector of numbers does
    }
    return c;
  }
  [[gnu::always_inline]] static Self add(Self a, const Self& b) {
#pragma GCC unroll 16
    for (int l = 0; l < L; ++l) a.v[l] = a.v[l] + b.v[l];
    return a;
  }

  /// The sum of L lanes, halves first.
  template <int Count = L>
  [[gnu::always_inline]] static lane sum_of_halves(const lane* v) {
    lane half[Count / 2];
    for (int l = 0; l < Count / 2; ++l) half[l] = v[l] + v[l + Count / 2];
    if constexpr (Count == 2)
      return half[0];
    else
      return sum_of_halves<Count / 2>(half);
  }
  /// The same, neighbours first.
  template <int Count = L>
  [[gnu::always_inline]] static lane sum_of_pairs(const lane* v) {
    if constexpr (Count == 1)
      return v[0];
    else
      return sum_of_pairs<Count / 2>(v) + sum_of_pairs<Count / 2>(v + Count / 2);
  }
  /// The sum of the lanes, in the order of four_sums() of the vector of numbers.
  [[nodiscard, gnu::always_inline]] lane one_of_four_sums() const {
    if constexpr (sums_halves) {
      return sum_of_halves(v);
    } else if constexpr (L * sizeof(T) > 32) {  // it folds a vector of AVX-512 first
      lane half[L / 2];
      for (int l = 0; l < L / 2; ++l) half[l] = v[l] + v[l + L / 2];
      return sum_of_pairs<L / 2>(half);
    } else {
      return sum_of_pairs(v);
    }
  }
  [[nodiscard, gnu::always_inline]] pack<T, K> sum() const {
    pack<T, K> r;
    sum_of_halves(v).store(&r);
    return r;
  }
  /// The sum of the lanes, in the order of sums() of the vector of numbers.
  [[nodiscard, gnu::always_inline]] one_pack<T, K> sum_of_row() const {
    one_pack<T, K> r;
    r.v[0] = sums_halves ? sum_of_halves(v) : sum_of_pairs(v);
    return r;
  }
};

template <class T, int K>
struct one_pack : pack_lanes<one_pack<T, K>, T, K, 1> {
  [[gnu::always_inline]] static one_pack load(const pack<T, K>* p) {
    one_pack r;
    r.v[0] = columns<T, K>::load(p);
    return r;
  }
  [[gnu::always_inline]] void store(pack<T, K>* p) const { this->v[0].store(p); }
};

/// short_vec where it has fewer lanes than vec.
template <class T, int K>
struct short_packs : pack_lanes<short_packs<T, K>, T, K, short_vec<T>::lanes> {};

template <class T, int K>
struct vec<pack<T, K>> : pack_lanes<vec<pack<T, K>>, T, K, vec<T>::lanes> {
  static constexpr bool is_short = short_vec<T>::lanes == vec<T>::lanes;
  using few = std::conditional_t<is_short, vec, short_packs<T, K>>;

  [[nodiscard, gnu::always_inline]] few folded() const {
    if constexpr (is_short) {
      return *this;
    } else {
      few r;
      for (int l = 0; l < few::lanes; ++l) r.v[l] = this->v[l] + this->v[l + few::lanes];
      return r;
    }
  }
};

}  // namespace gossamer::inline v0::simd::GOSSAMER_ISA
