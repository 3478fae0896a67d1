// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for a matrix's values: the number of the entry, which tells where each value went.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::inline v0 {

/// A format built over entry numbers instead of values holds, slot by slot, the map that refreshes its
/// values. A default-made one is padding. V is the type of the values: the map must be laid out as they are.
template <class V>
struct entry_number {
  std::int64_t index = -1;
  friend constexpr bool operator==(entry_number, entry_number) = default;
};

template <class T>
inline constexpr bool is_entry_number = false;
template <class V>
inline constexpr bool is_entry_number<entry_number<V>> = true;

/// Bytes of a value: what a layout that depends on them asks for instead of sizeof.
template <class T>
inline constexpr std::size_t value_bytes = sizeof(T);
template <class V>
inline constexpr std::size_t value_bytes<entry_number<V>> = sizeof(V);

}  // namespace gossamer::inline v0
