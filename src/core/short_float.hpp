// SPDX-License-Identifier: BSD-3-Clause
// Floating-point numbers of fewer bits than a double: rounding to them, and those of 2 bytes as bits and
// back. By integer arithmetic, so that neither the rounding mode nor the flushing of denormals of the calling
// thread counts.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace gossamer::inline v0 {

/// An IEEE-like binary format: a sign, an exponent and a significand whose first bit is not stored;
/// subnormals, infinities and NaNs.
struct short_float {
  std::string_view name;
  int exponent_bits;
  int mantissa_bits;

  [[nodiscard]] constexpr int largest_exponent() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr int smallest_exponent() const {
    return 1 - largest_exponent();
  }  ///< of normal ones
};

inline constexpr short_float float_f32{"f32", 8, 23};
inline constexpr short_float float_f16{"f16", 5, 10};
inline constexpr short_float float_bf16{"bf16", 8, 7};

namespace short_floats {

inline constexpr int mantissa = 52;
inline constexpr int bias = 1023;
inline constexpr std::uint64_t sign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t infinity = std::uint64_t{2 * bias + 1} << mantissa;

/// n / 2^shift, to nearest, of two that are equally near the even one.
constexpr std::uint64_t divided(std::uint64_t n, int shift) {
  const std::uint64_t floor = n >> shift;
  const std::uint64_t rest = n & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return floor + (rest > half || (rest == half && (floor & 1) != 0) ? 1 : 0);
}

/// 2^exponent, of a normal double.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + bias) << mantissa);
}

}  // namespace short_floats

/// The nearest number that `to` has, ties to even: infinity from halfway between the largest and the next
/// power of two on. Subnormals of `to` are kept; what is at most half the smallest is a zero of its sign. A
/// NaN is quiet, with its sign and the upper bits of its payload.
constexpr double rounded(double v, const short_float& to) {
  using short_floats::bias, short_floats::divided, short_floats::infinity, short_floats::mantissa,
      short_floats::power_of_two, short_floats::sign;
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t negative = bits & sign;
  const std::uint64_t magnitude = bits & ~sign;
  const int dropped = mantissa - to.mantissa_bits;
  if (magnitude > infinity) {
    const std::uint64_t quiet = std::uint64_t{1} << (mantissa - 1);
    return std::bit_cast<double>((bits | quiet) >> dropped << dropped);
  }
  if (magnitude == infinity) return v;
  const int exponent = static_cast<int>(magnitude >> mantissa) - bias;
  if (exponent < to.smallest_exponent()) {
    // As a multiple of the smallest subnormal.
    const int shift = dropped + to.smallest_exponent() - exponent;
    if (shift > mantissa + 1 || exponent == -bias) return std::bit_cast<double>(negative);
    const std::uint64_t one = std::uint64_t{1} << mantissa;
    const std::uint64_t multiple = divided(one | (magnitude & (one - 1)), shift);
    const double value =
        static_cast<double>(multiple) * power_of_two(to.smallest_exponent() - to.mantissa_bits);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | negative);
  }
  const std::uint64_t kept = divided(magnitude, dropped) << dropped;  // may carry into the exponent
  const bool too_large = static_cast<int>(kept >> mantissa) - bias > to.largest_exponent();
  return std::bit_cast<double>((too_large ? infinity : kept) | negative);
}
/// `to` has no more bits than a float, to which the result is then exact. What is denormal as a float stays
/// one: as a double it might be zero.
constexpr float rounded(float v, const short_float& to) {
  constexpr int float_mantissa = 23;
  const auto bits = std::bit_cast<std::uint32_t>(v);
  if ((bits >> float_mantissa & 0xffu) == 0) {
    const int dropped = float_mantissa - to.mantissa_bits;
    if (dropped <= 0) return v;
    const bool same_exponents = to.exponent_bits == float_f32.exponent_bits;
    const std::uint64_t kept =
        same_exponents ? short_floats::divided(bits & 0x7fffffffu, dropped) << dropped : 0;
    return std::bit_cast<float>(static_cast<std::uint32_t>(kept) | (bits & 0x80000000u));
  }
  return static_cast<float>(rounded(static_cast<double>(v), to));
}

/// Whether v is finite and a number of `of`, bit for bit.
constexpr bool is_exactly(double v, const short_float& of) {
  using short_floats::bias, short_floats::infinity, short_floats::mantissa, short_floats::sign;
  const auto bits = std::bit_cast<std::uint64_t>(v);
  if ((bits & ((std::uint64_t{1} << (mantissa - of.mantissa_bits)) - 1)) != 0) return false;  // most are not
  if ((bits & ~sign) >= infinity) return false;
  const int exponent = static_cast<int>((bits & ~sign) >> mantissa) - bias;
  if (exponent >= of.smallest_exponent() && exponent <= of.largest_exponent()) return true;
  return std::bit_cast<std::uint64_t>(rounded(v, of)) == bits;
}

/// The same. What is denormal as a float may be zero as soon as it is converted; bf16 alone has such numbers,
/// and they are a float's upper half.
constexpr bool is_exactly(float v, const short_float& of) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const bool denormal = (bits >> 23 & 0xffu) == 0 && (bits << 1) != 0;
  if (denormal)
    return of.exponent_bits == float_bf16.exponent_bits && of.mantissa_bits <= 7 && (bits & 0xffffu) == 0;
  return is_exactly(static_cast<double>(v), of);
}

/// The 16 bits of a finite number that `of`, a format of 2 bytes, has.
constexpr std::uint16_t to_16_bits(double v, const short_float& of) {
  using short_floats::bias, short_floats::mantissa, short_floats::power_of_two, short_floats::sign;
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const auto negative = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const std::uint64_t magnitude = bits & ~sign;
  const int exponent = static_cast<int>(magnitude >> mantissa) - bias;
  if (exponent >= of.smallest_exponent()) {
    const auto offset = static_cast<std::uint64_t>(bias + of.smallest_exponent() - 1) << mantissa;
    return static_cast<std::uint16_t>(negative | (magnitude - offset) >> (mantissa - of.mantissa_bits));
  }
  const double unit = power_of_two(of.mantissa_bits - of.smallest_exponent());
  return static_cast<std::uint16_t>(negative |
                                    static_cast<std::uint16_t>(std::bit_cast<double>(magnitude) * unit));
}
constexpr std::uint16_t to_16_bits(float v, const short_float& of) {
  if (of.exponent_bits == float_bf16.exponent_bits)
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16);
  return to_16_bits(static_cast<double>(v), of);
}
constexpr double from_16_bits(std::uint16_t stored, const short_float& of) {
  using short_floats::bias, short_floats::mantissa, short_floats::power_of_two;
  const std::uint64_t negative = std::uint64_t{stored & 0x8000u} << 48;
  const std::uint64_t magnitude = stored & 0x7fffu;
  if (magnitude >> of.mantissa_bits == 0) {
    const double value =
        static_cast<double>(magnitude) * power_of_two(of.smallest_exponent() - of.mantissa_bits);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | negative);
  }
  const auto offset = static_cast<std::uint64_t>(bias + of.smallest_exponent() - 1) << mantissa;
  return std::bit_cast<double>(negative | ((magnitude << (mantissa - of.mantissa_bits)) + offset));
}

}  // namespace gossamer::inline v0
