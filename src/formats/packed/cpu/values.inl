// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a slice, and its values, one by one and 32 at a time (included by cpu_kernel.inl, for each
// instruction set).
namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA {

/// Typed pointers to the arrays of a slice. Those that the slice lacks are not read.
template <class V>
struct arrays {
  const std::uint16_t* rows;
  const std::int32_t* starts;
  const std::uint8_t* missing;
  const std::int32_t* bases;
  const std::uint32_t* masks;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* constants;

  arrays(const std::uint8_t* data, const packed_slice& s)
      : rows(reinterpret_cast<const std::uint16_t*>(data)),
        starts(reinterpret_cast<const std::int32_t*>(data + s.starts_at())),
        missing(data + s.missing_at()),
        bases(reinterpret_cast<const std::int32_t*>(data + s.bases)),
        masks(reinterpret_cast<const std::uint32_t*>(data + s.masks)),
        columns(data + s.columns_at),
        values(data + s.values_at),
        constants(reinterpret_cast<const V*>(values)) {}
};

/// Decodes a value of 2 bytes. For f16 it calculates with normal numbers only, so the result is independent
/// of the thread's flush-to-zero mode.
template <class V>
inline V half_value(const packed_half<V>& how, std::uint16_t stored) {
  using bits = bits_of_value<V>;
  constexpr int significand = sizeof(V) == sizeof(double) ? 52 : 23;
  constexpr bits one = bits{1} << significand;
  const bits magnitude = static_cast<bits>(stored & 0x7fffu) << how.left();
  const bits normal = magnitude + how.offset();
  const bits small =
      std::bit_cast<bits>(std::bit_cast<V>(normal + one) - std::bit_cast<V>(how.offset() + one));
  return std::bit_cast<V>((magnitude < one ? small : normal) | static_cast<bits>(stored & 0x8000u)
                                                                   << (8 * sizeof(V) - 16));
}

/// Values of 2 bytes as an array of V.
template <class V>
struct halves {
  const packed_half<V>& how;
  const std::uint8_t* stored;
  [[gnu::always_inline]] V operator[](std::int64_t i) const {
    return half_value(how, reinterpret_cast<const std::uint16_t*>(stored)[i]);
  }
};
/// Values of 4 bytes as an array of V.
template <class V>
struct narrow_values {
  const std::uint8_t* stored;
  [[gnu::always_inline]] V operator[](std::int64_t i) const {
    return static_cast<V>(reinterpret_cast<const float*>(stored)[i]);
  }
};
/// A vector of such values.
template <class Lanes, class Numbers>
inline Lanes load_widened(const Numbers& from, std::int64_t first) {
  decltype(from[first]) wide[Lanes::lanes];
  for (int l = 0; l < Lanes::lanes; ++l) wide[l] = from[first + l];
  return Lanes::load(wide);
}

/// The value at a position; if each step has one value, that of `step`.
template <class V>
inline V value_at(const packed_pointers<V>& a, packed_values how, const std::uint8_t* values, int place,
                  int step) {
  const V* const full = reinterpret_cast<const V*>(values);
  switch (how) {
    case packed_values::constant:
      return full[0];
    case packed_values::of_step:
      return full[step];
    case packed_values::table4:
    case packed_values::table8:
      return a.table[values[place]];
    case packed_values::half:
      return halves<V>{a.half, values}[place];
    case packed_values::narrow:
      return narrow_values<V>{values}[place];
    case packed_values::full:
      break;
  }
  return full[place];
}

/// The values of 32 lanes in one slot of a slice.
template <class V, class Lanes, int Vectors>
inline void load_values(const packed_pointers<V>& a, packed_values how, const arrays<V>& of,
                        std::int64_t slot, std::int64_t step, Lanes (&v)[Vectors]) {
  if (how == packed_values::constant || how == packed_values::of_step) {
    const V one = of.constants[how == packed_values::constant ? 0 : step];
    for (int i = 0; i < Vectors; ++i) v[i] = Lanes::all(one);
  } else if (how == packed_values::table8) {
    const std::uint8_t* const code = of.values + slot * packed_lanes;
    for (int i = 0; i < Vectors; ++i) v[i] = Lanes::gather(a.table, code + i * Lanes::lanes);
  } else if (how == packed_values::half) {
    V wide[packed_lanes];
    const auto* const from = reinterpret_cast<const std::uint16_t*>(of.values) + slot * packed_lanes;
    for (int l = 0; l < packed_lanes; ++l) wide[l] = half_value(a.half, from[l]);
    for (int i = 0; i < Vectors; ++i) v[i] = Lanes::load(wide + i * Lanes::lanes);
  } else if (how == packed_values::narrow) {
    V wide[packed_lanes];
    const float* const from = reinterpret_cast<const float*>(of.values) + slot * packed_lanes;
    for (int l = 0; l < packed_lanes; ++l) wide[l] = static_cast<V>(from[l]);
    for (int i = 0; i < Vectors; ++i) v[i] = Lanes::load(wide + i * Lanes::lanes);
  } else {
    const V* const from = reinterpret_cast<const V*>(of.values) + slot * packed_lanes;
    for (int i = 0; i < Vectors; ++i) v[i] = Lanes::load(from + i * Lanes::lanes);
  }
}

}  // namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA
