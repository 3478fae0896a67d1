// SPDX-License-Identifier: BSD-3-Clause
// The steps of a polynomial preconditioner. Its coefficients are known before the first iteration.
#pragma once

#include <cstdint>

#include "solve/step.hpp"

namespace gossamer::inline v0::solve {

/// direction = z = factor r.
template <class V>
struct polynomial_start {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* r;
  V* direction;
  V* z;
  double factor;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    const V v = static_cast<V>(factor * r[i]);
    direction[i] = v;
    z[i] = v;
  }
};

/// rest = r - A direction, direction = keep direction + add rest, z = z + direction.
template <class V>
struct polynomial_term {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* q;  ///< A direction
  const V* r;  ///< the rest before
  V* rest;
  V* direction;
  V* z;
  double keep;
  double add;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    const V left = r[i] - q[i];
    const V next = static_cast<V>(keep * direction[i] + add * left);
    rest[i] = left;
    direction[i] = next;
    z[i] += next;
  }
};

}  // namespace gossamer::inline v0::solve
