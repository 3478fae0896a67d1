// SPDX-License-Identifier: BSD-3-Clause
// Binary search over numbers.
#pragma once

namespace gossamer::inline v0 {

/// The least i in [low, high) for which holds(i), else high. If it holds for one, it holds for all that
/// follow.
template <class Number, class Holds>
constexpr Number first_where(Number low, Number high, Holds&& holds) {
  while (low < high) {
    const Number middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace gossamer::inline v0
