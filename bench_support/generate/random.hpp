// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are functions of (seed, purpose, row, counter): no state, so no order and no thread
// matters. The distributions of <random> are not used: they differ between standard libraries.
#pragma once

#include <bit>
#include <cstdint>

namespace gossamer::bench_support::generation {

__extension__ typedef unsigned __int128 uint128;

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

/// The finaliser of splitmix64: a bijection of 64 bits.
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Purposes of random numbers. One seed gives each purpose an independent sequence.
enum class purpose : std::uint64_t { row_choice = 1, row_order, columns, column_order, values };

constexpr std::uint64_t key_of(std::uint64_t seed, purpose p) noexcept {
  return mix(mix(seed + golden) + golden * static_cast<std::uint64_t>(p));
}

/// Number `counter` of the sequence that starts at `key`: splitmix64. (A number can be the key of a
/// sequence.)
constexpr std::uint64_t draw(std::uint64_t key, std::int64_t counter) noexcept {
  return mix(key + golden * (static_cast<std::uint64_t>(counter) + 1));
}

/// 64 random bits brought into [0, size); the bias is below size / 2^64.
constexpr std::int64_t below(std::uint64_t bits, std::int64_t size) noexcept {
  return static_cast<std::int64_t>((uint128{bits} * static_cast<std::uint64_t>(size)) >> 64);
}

/// A bijection of the numbers of `bits` bits, another for each key: multiplying by an odd number and folding
/// the upper half onto the lower can both be undone.
class bijection {
 public:
  constexpr bijection(int bits, std::uint64_t key) noexcept
      : mask_((std::uint64_t{1} << bits) - 1), key_(key), fold_((bits + 1) / 2) {}

  constexpr std::uint64_t operator()(std::uint64_t x) const noexcept {
    x = ((x ^ key_) * 0x9e3779b97f4a7c15) & mask_;
    x ^= x >> fold_;
    x = ((x ^ (key_ >> 32)) * 0xbf58476d1ce4e5b9) & mask_;
    x ^= x >> fold_;
    x = (x * 0x94d049bb133111eb) & mask_;
    return x ^ (x >> fold_);
  }

  [[nodiscard]] constexpr std::uint64_t inverse(std::uint64_t x) const noexcept {
    x ^= x >> fold_;
    x = (x * reciprocal(0x94d049bb133111eb)) & mask_;
    x ^= x >> fold_;
    x = ((x * reciprocal(0xbf58476d1ce4e5b9)) ^ (key_ >> 32)) & mask_;
    x ^= x >> fold_;
    return ((x * reciprocal(0x9e3779b97f4a7c15)) ^ key_) & mask_;
  }

 private:
  /// The inverse of an odd number modulo 2^64, by Newton's method. The first three bits of x = odd are right;
  /// each step doubles their number.
  static constexpr std::uint64_t reciprocal(std::uint64_t odd) noexcept {
    std::uint64_t x = odd;
    for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
    return x;
  }

  std::uint64_t mask_;
  std::uint64_t key_;
  int fold_;
};

/// A permutation of [0, size), in constant memory: numbers that land outside are sent round again.
class permutation {
 public:
  constexpr permutation(std::int64_t size, std::uint64_t key) noexcept
      : size_(static_cast<std::uint64_t>(size)),
        scramble_(size > 1 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1))) : 1,
                  key) {}

  constexpr std::int64_t operator()(std::int64_t i) const noexcept {
    auto x = static_cast<std::uint64_t>(i);
    do x = scramble_(x);
    while (x >= size_);
    return static_cast<std::int64_t>(x);
  }
  [[nodiscard]] constexpr std::int64_t inverse(std::int64_t i) const noexcept {
    auto x = static_cast<std::uint64_t>(i);
    do x = scramble_.inverse(x);
    while (x >= size_);
    return static_cast<std::int64_t>(x);
  }

 private:
  std::uint64_t size_;
  bijection scramble_;
};

}  // namespace gossamer::bench_support::generation
