// SPDX-License-Identifier: BSD-3-Clause
// The values of a generated matrix: functions of the seed and of the entry's number.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "bench_support/generate/random.hpp"
#include "gossamer/types.hpp"

namespace gossamer::bench_support::generation {

class arguments;

/// Magnitudes lie in [0.5, 2) with either sign, so a sum neither overflows nor loses all its digits.
class value_source {
 public:
  explicit value_source(const arguments& given);
  /// The same from the text of `values`. Throws invalid_argument: PREFIX: values = "TEXT" ...
  value_source(std::string_view text, std::uint64_t seed, std::string_view prefix);

  /// out[k] becomes the value of entry first + k.
  template <value V>
  void fill(std::int64_t first, std::span<V> out) const {
    const auto each = [&](auto&& value_of) {
      std::int64_t entry = first;
      for (V& v : out) v = value_of(entry++);
    };
    switch (kind_) {
      case kind::distinct:
        each([&](std::int64_t e) { return distinct(e, V{}); });
        break;
      case kind::f32_exact:
        each([&](std::int64_t e) { return static_cast<V>(distinct(e, float{})); });
        break;
      case kind::few:
        each([&](std::int64_t e) { return static_cast<V>(distinct(chosen(e), float{})); });
        break;
      case kind::constant:
        each([](std::int64_t) { return V{1}; });
        break;
    }
  }

 private:
  enum class kind { distinct, few, constant, f32_exact };

  /// 2^54 doubles are in reach (sign, one bit of the exponent, mantissa), so all entries differ.
  [[nodiscard]] double distinct(std::int64_t entry, double) const noexcept {
    const std::uint64_t u = doubles_(static_cast<std::uint64_t>(entry));
    const std::uint64_t sign = u >> 53;
    const std::uint64_t exponent = 1022 + ((u >> 52) & 1);
    return std::bit_cast<double>(sign << 63 | exponent << 52 | (u & 0xf'ffff'ffff'ffff));
  }
  /// 2^25 floats are in reach: any 2^25 entries from a multiple of 2^25 on differ.
  [[nodiscard]] float distinct(std::int64_t entry, float) const noexcept {
    const auto e = static_cast<std::uint64_t>(entry);
    constexpr std::uint64_t mask = (1 << 25) - 1;
    const auto u = static_cast<std::uint32_t>(floats_((e ^ mix(e >> 25)) & mask));
    const std::uint32_t sign = u >> 24;
    const std::uint32_t exponent = 126 + ((u >> 23) & 1);
    return std::bit_cast<float>(sign << 31 | exponent << 23 | (u & 0x7f'ffff));
  }
  /// The first `few_` entries take each of the values, so that all of them occur.
  [[nodiscard]] std::int64_t chosen(std::int64_t entry) const noexcept {
    return entry < few_ ? entry : below(draw(key_, entry), few_);
  }

  kind kind_ = kind::distinct;
  std::int64_t few_ = 0;
  std::uint64_t key_;
  bijection doubles_;
  bijection floats_;
};

}  // namespace gossamer::bench_support::generation
