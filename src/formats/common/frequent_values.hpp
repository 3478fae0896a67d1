// SPDX-License-Identifier: BSD-3-Clause
// Which values a matrix has most often, and finding a value among those.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0::formats {

template <value V>
using bits_of_value = std::conditional_t<sizeof(V) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

/// Spreads patterns that differ in a few bits over all 64: those of small whole numbers differ in the highest
/// ones alone.
constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;  // of 2^64 (Fibonacci hashing)
  bits = (bits ^ bits >> 32) * golden_ratio;
  return bits ^ bits >> 32;
}

/// A number as good as drawn by chance: unlike those of mixed(), which follow each other at one distance, and
/// meet any period of a matrix. (The finaliser of SplitMix64: Steele, Lea and Flood, OOPSLA 2014.)
constexpr std::uint64_t avalanched(std::uint64_t n) noexcept {
  n += 0x9E3779B97F4A7C15;
  n = (n ^ n >> 30) * 0xBF58476D1CE4E5B9;
  n = (n ^ n >> 27) * 0x94D049BB133111EB;
  return n ^ n >> 31;
}

/// The `most` values that occur most often, the most frequent first; of values that occur equally often the
/// one whose bit pattern is the smaller number stands first. Fewer where there are no more. Values are told
/// apart by their bits: -0.0 and 0.0 are two, and so are NaNs with different payloads. On all cores, in time
/// proportional to their number; exact, whatever the number of threads. Takes up to sizeof(V) bytes a value
/// from the heap while it works, and nothing from the allocation hook.
template <value V>
std::vector<V> frequent_values(std::span<const V> values, std::size_t most);

/// A table of values, as far as a sample tells which are worth a place.
template <value V>
struct value_table {
  std::vector<V> values;   ///< finite ones
  bool holds_all = false;  ///< of the finite values
};

/// At most `most` values: those that occur most often in a sample, the most frequent first, of equally
/// frequent ones the one that is sampled first; where these are all that the sample has, then those that it
/// missed, by bit pattern, if there is room for all of them. Told apart as above; the same whatever the
/// number of threads. A value that the sample misses is one in ten thousand: a table gains little by it, and
/// to count them all took longer than to store them.
template <value V>
value_table<V> tabulate(std::span<const V> values, std::size_t most);

/// No table of `most` values holds a larger part of them, as far as a sample tells: 1 where it would hold
/// all.
template <value V>
double most_in_table(std::span<const V> values, std::size_t most);

/// How many different finite values a small sample has, counted no further than to most + 1.
template <value V>
std::uint64_t different_values(std::span<const V> values, std::size_t most);

/// Of so many values in all cases, of fewer all.
inline constexpr std::int64_t sampled_values = 1 << 15;

/// Which of `size` values is number k of the sample: evenly apart except for chance, since one distance alone
/// might meet the same diagonal of a grid each time. size is `samples` at least.
constexpr std::int64_t sampled_place(std::int64_t k, std::int64_t size,
                                     std::int64_t samples = sampled_values) noexcept {
  const core::range r = core::share(size, static_cast<int>(k), static_cast<int>(samples));
  const auto chance = static_cast<std::int64_t>(avalanched(static_cast<std::uint64_t>(k)) >> 32);
  return r.begin + chance % (r.end - r.begin);
}

/// Finds values by their bits in a table of at most `most`.
template <value V>
class value_index {
 public:
  static constexpr std::size_t most = 256;
  static constexpr std::size_t slots = 4 * most;
  explicit value_index(std::span<const V> table) {
    number_.fill(-1);
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto bits = std::bit_cast<bits_of_value<V>>(table[i]);
      const std::size_t at = slot_of(bits);
      bits_[at] = bits;
      number_[at] = static_cast<std::int16_t>(i);
    }
  }

  /// Where the value stands in the table, or -1.
  [[nodiscard]] int find(V value) const noexcept {
    return number_[slot_of(std::bit_cast<bits_of_value<V>>(value))];
  }

 private:
  /// The slot that holds the bits, or the free one where they would go.
  [[nodiscard]] std::size_t slot_of(bits_of_value<V> bits) const noexcept {
    std::size_t at = mixed(bits) % slots;
    while (number_[at] >= 0 && bits_[at] != bits) at = (at + 1) % slots;
    return at;
  }

  std::array<bits_of_value<V>, slots> bits_;
  std::array<std::int16_t, slots> number_;
};

}  // namespace gossamer::inline v0::formats
