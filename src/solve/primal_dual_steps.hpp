// SPDX-License-Identifier: BSD-3-Clause
// The steps for linear programs besides the two products: the next iterate from T(z), and copies at restarts.
#pragma once

#include <cstdint>

#include "solve/step.hpp"

namespace gossamer::inline v0::solve {

/// The scalars that pdhg and linear_program_loop share; each has further ones from `own` on.
struct primal_dual_scalar {
  enum : int {
    reflection = scalar::own,
    halpern,        ///< 1 for Halpern's iteration
    average,        ///< 1 if the mean of all T(z) since the restart is updated
    since_restart,  ///< number of steps
    moved_x,        ///< squared norm of T(z) - z in the last measured step, the part of x
    moved_y,
    own
  };
};

/// The nearest number within bounds. A NaN stays.
template <class V>
GOSSAMER_HOST_DEVICE inline V clamped(V v, V lower, V upper) {
  if (v < lower) return lower;
  return v > upper ? upper : v;
}

/// The step sizes, as factors of the epilogues that read them from memory.
template <class V>
struct step_sizes {
  V* at;  ///< tau, -tau and -sigma
  static constexpr std::int64_t count = 3;
  GOSSAMER_HOST_DEVICE void set(double tau, double sigma) const {
    at[0] = static_cast<V>(tau);
    at[1] = -static_cast<V>(tau);
    at[2] = -static_cast<V>(sigma);
  }
};

/// Computes the next iterate from T(z), and updates the mean of all T(z). The next iterate is
/// (1 - w) (T(z) + reflection (T(z) - z)) + w anchor, where w is the weight of the anchor.
///
/// With Measures, it also computes the squared norms of T(z) - z, and copies T(z) - z and T(z) unless their
/// pointers are null.
template <class V, bool Measures>
struct next_iterate {
  static constexpr int sums = Measures ? 2 : 0;
  static constexpr bool ends = Measures;
  static constexpr bool opens = false;
  const V* stepped;      ///< T(z)
  const V* start;        ///< the anchor, which is the iterate at the restart; read if its weight is not 0
  V* average = nullptr;  ///< the mean of all T(z); updated if its weight is not 0
  V* z;
  V* moved = nullptr;        ///< T(z) - z
  V* kept = nullptr;         ///< T(z)
  std::int64_t y_begin = 0;  ///< elements before it belong to x
  int number = 0;            ///< steps since since_restart was last updated
  int counted = 0;           ///< added to since_restart
  double reflection = 0;
  double anchor = 0;  ///< weight of the anchor
  double mean = 0;    ///< weight of this T(z) in the mean; 0: the mean is not updated

  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    const double k = s[primal_dual_scalar::since_restart] + number;
    reflection = s[primal_dual_scalar::reflection];
    anchor = s[primal_dual_scalar::halpern] != 0 ? 1 / (k + 2) : 0;
    mean = s[primal_dual_scalar::average] != 0 ? 1 / (k + 1) : 0;
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[Measures ? 2 : 1]) const {
    const V to = stepped[i];
    const double change = static_cast<double>(to) - z[i];
    double next = to + reflection * change;
    if (anchor != 0) next += anchor * (start[i] - next);
    z[i] = static_cast<V>(next);
    if (mean != 0) average[i] = static_cast<V>(average[i] + mean * (static_cast<double>(to) - average[i]));
    if constexpr (Measures) {
      if (moved != nullptr) moved[i] = static_cast<V>(change);
      if (kept != nullptr) kept[i] = to;
      const double square = change * change;
      dots[0] += i < y_begin ? square : 0;
      dots[1] += i < y_begin ? 0 : square;
    }
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[Measures ? 2 : 1]) const {
    if constexpr (Measures) {
      s[primal_dual_scalar::moved_x] = dots[0];
      s[primal_dual_scalar::moved_y] = dots[1];
      s[primal_dual_scalar::since_restart] += counted;
    }
  }
};

/// Copies an iterate to others.
template <class V>
struct copy_iterate {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* from;             ///< null: the elements are 0
  V* to[3];                  ///< null: no copy. May be `from`
  int only_if = -1;          ///< a scalar that must not be 0; -1: none
  std::int64_t bounded = 0;  ///< the first `bounded` elements are projected onto their bounds
  const V* lower = nullptr;
  const V* upper = nullptr;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) { return only_if < 0 || s[only_if] != 0; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    V v = from == nullptr ? V{0} : from[i];
    if (i < bounded) v = clamped(v, lower[i], upper[i]);
    for (V* const each : to)
      if (each != nullptr) each[i] = v;
  }
};

}  // namespace gossamer::inline v0::solve
