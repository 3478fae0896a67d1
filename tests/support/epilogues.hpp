// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue, compared with sums in long double. The bound of each element follows from
// gamma(k) of the operations that make it (Higham 2002, section 3.1).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "gossamer/gossamer.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {

/// Which parts an epilogue has.
struct epilogue_parts {
  std::string_view name;
  double alpha = 1;
  double beta = 0;
  bool z = false;
  bool scale = false;
  bool u = false;
  bool u_is_y = false;
  bool lower = false;
  bool upper = false;
  bool outside = false;
  bool out = false;
  bool add_is_out = false;
  bool dot_with_y = false;
  bool dot_with_w = false;
  bool from_memory = false;        ///< all factors; the arguments are NaN
  bool alpha_from_memory = false;  ///< the argument is 0
  bool beta_from_memory = false;   ///< the argument is 0
};

/// Every part alone or with others; those of solvers have their names.
inline constexpr epilogue_parts epilogue_cases[] = {
    {.name = "residual and its norm", .alpha = -1, .beta = 1, .z = true, .dot_with_y = true},
    {.name = "y in place", .alpha = 2, .beta = -3, .dot_with_w = true},
    {.name = "Jacobi step", .alpha = -1, .beta = 1, .z = true, .scale = true, .u = true},
    {.name = "Chebyshev step",
     .alpha = -1,
     .beta = 1,
     .z = true,
     .scale = true,
     .u = true,
     .u_is_y = true,
     .out = true,
     .add_is_out = true},
    {.name = "primal step",
     .alpha = -1,
     .beta = 0.5,
     .z = true,
     .u = true,
     .lower = true,
     .upper = true,
     .out = true,
     .dot_with_y = true,
     .dot_with_w = true},
    {.name = "dual step",
     .alpha = 0.75,
     .u = true,
     .u_is_y = true,
     .lower = true,
     .upper = true,
     .outside = true},
    {.name = "lower bounds", .lower = true, .dot_with_w = true},
    {.name = "factors in memory",
     .alpha = -1,
     .beta = 2,
     .z = true,
     .u = true,
     .upper = true,
     .from_memory = true},
    {.name = "alpha is 0", .alpha = 0, .beta = 2, .z = true, .out = true, .dot_with_y = true},
    {.name = "dots alone", .dot_with_y = true, .dot_with_w = true},
    {.name = "dots of nothing", .alpha = 0, .dot_with_y = true, .dot_with_w = true},
    {.name = "dots and alpha in memory",
     .alpha = 2,
     .dot_with_y = true,
     .dot_with_w = true,
     .alpha_from_memory = true},
    {.name = "dots and beta in memory",
     .beta = -3,
     .z = true,
     .dot_with_y = true,
     .dot_with_w = true,
     .beta_from_memory = true},
};

/// The vectors of a case, before and after the product.
template <class V>
struct epilogue_vectors {
  std::vector<V> x, y, z, scale, u, lower, upper, add, out, w;
  std::vector<V> factors;  ///< alpha, beta, gamma and that of bounds
  std::vector<double> dots;
};

inline constexpr double gamma_of_cases = -1.25;
inline constexpr double bounds_factor_of_cases = 0.5;
inline constexpr double y_factor_of_cases = 2;
inline constexpr double add_factor_of_cases = -0.5;

template <class V>
epilogue_vectors<V> vectors_for(std::int64_t rows, std::int64_t cols, const epilogue_parts& parts) {
  epilogue_vectors<V> v;
  v.x = random_vector<V>(cols, 21);
  v.y = random_vector<V>(rows, 22);
  // What must not be read is NaN.
  if (!parts.u_is_y && (parts.beta == 0 || parts.z)) v.y = poisoned<V>(rows);
  v.z = random_vector<V>(rows, 23);
  v.scale = random_vector<V>(rows, 24);
  v.u = random_vector<V>(rows, 25);
  v.lower = random_vector<V>(rows, 26);
  v.upper = v.lower;
  for (std::size_t i = 0; i < v.upper.size(); ++i)
    v.upper[i] += i % 5 == 4 ? V{-0.25} : V{0.25};  // if the bounds cross, the upper one counts
  v.add = random_vector<V>(rows, 27);
  v.out = parts.add_is_out ? v.add : poisoned<V>(rows);
  v.w = random_vector<V>(rows, 28);
  v.factors = {static_cast<V>(parts.alpha), static_cast<V>(parts.beta), static_cast<V>(gamma_of_cases),
               static_cast<V>(bounds_factor_of_cases)};
  v.dots = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return v;
}

/// A span of one element.
template <class Span>
Span element(const Span& all, std::size_t i) {
  return {all.data() + i, 1};
}

/// What the product gets as a factor: NaN if the one in memory replaces it.
template <class V>
V given_factor(const epilogue_parts& parts, double factor) {
  return parts.from_memory ? std::numeric_limits<V>::quiet_NaN() : static_cast<V>(factor);
}

template <class V>
V given_alpha(const epilogue_parts& parts) {
  return parts.alpha_from_memory ? V{0} : given_factor<V>(parts, parts.alpha);
}
template <class V>
V given_beta(const epilogue_parts& parts) {
  return parts.beta_from_memory ? V{0} : given_factor<V>(parts, parts.beta);
}

/// The epilogue of the case. span(vector) is a span of it in the memory of the product.
template <class Space, class V, class Vectors, class Span>
epilogue<V, Space> epilogue_of(const epilogue_parts& parts, Vectors& v, Span&& span) {
  epilogue<V, Space> e;
  e.gamma = given_factor<V>(parts, gamma_of_cases);
  e.bounds.factor = given_factor<V>(parts, bounds_factor_of_cases);
  if (parts.z) e.z = span(v.z);
  if (parts.scale) e.scale = span(v.scale);
  if (parts.u) e.u = parts.u_is_y ? span(v.y) : span(v.u);
  if (parts.lower) e.bounds.lower = span(v.lower);
  if (parts.upper) e.bounds.upper = span(v.upper);
  e.bounds.outside = parts.outside;
  if (parts.out) {
    e.second.out = span(v.out);
    e.second.add = parts.add_is_out ? span(v.out) : span(v.add);
    e.second.y_factor = static_cast<V>(y_factor_of_cases);
    e.second.add_factor = static_cast<V>(add_factor_of_cases);
  }
  if (parts.dot_with_y) e.dots[0] = {.with = span(v.y), .result = element(span(v.dots), 0)};
  if (parts.dot_with_w) e.dots[1] = {.with = span(v.w), .result = element(span(v.dots), 1)};
  if (parts.from_memory)
    e.from_memory = {.alpha = element(span(v.factors), 0),
                     .beta = element(span(v.factors), 1),
                     .gamma = element(span(v.factors), 2),
                     .bounds = element(span(v.factors), 3)};
  if (parts.alpha_from_memory) e.from_memory.alpha = element(span(v.factors), 0);
  if (parts.beta_from_memory) e.from_memory.beta = element(span(v.factors), 1);
  return e;
}

template <class V>
void expect_same_bits(const epilogue_vectors<V>& a, const epilogue_vectors<V>& b) {
  EXPECT_TRUE(same_bits(a.y, b.y));
  EXPECT_TRUE(same_bits(a.out, b.out));
  EXPECT_TRUE(same_bits(a.dots, b.dots));
}

/// Empty, or what is wrong. `a`: the matrix with the values that the plan stores.
template <class V, class O>
std::string wrong_element(const csr_view<V, O>& a, const epilogue_parts& parts,
                          const epilogue_vectors<V>& before, const epilogue_vectors<V>& after) {
  using wide = long double;
  const wide u = std::numeric_limits<V>::epsilon() / 2;
  const wide smallest = std::numeric_limits<V>::denorm_min();
  const auto gamma = [](wide k, wide unit) { return k * unit / (1 - k * unit); };
  std::array<wide, 2> dots{};
  std::array<wide, 2> dot_magnitudes{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    wide t = 0;
    wide magnitude = 0;
    const auto begin = static_cast<std::size_t>(a.row_ptr[i]);
    const auto end = static_cast<std::size_t>(a.row_ptr[i + 1]);
    if (parts.alpha != 0)
      for (std::size_t k = begin; k < end; ++k) {
        const wide term =
            static_cast<wide>(parts.alpha) * a.val[k] * before.x[static_cast<std::size_t>(a.col[k])];
        t += term;
        magnitude += std::abs(term);
      }
    if (parts.beta != 0) {
      const wide term = static_cast<wide>(parts.beta) * (parts.z ? before.z[i] : before.y[i]);
      t += term;
      magnitude += std::abs(term);
    }
    if (parts.scale) {
      t *= before.scale[i];
      magnitude *= std::abs(static_cast<wide>(before.scale[i]));
    }
    if (parts.u) {
      const wide term = static_cast<wide>(gamma_of_cases) * (parts.u_is_y ? before.y[i] : before.u[i]);
      t += term;
      magnitude += std::abs(term);
    }
    const wide factor = bounds_factor_of_cases;
    wide inside = t;
    if (parts.lower) inside = std::max(inside, factor * before.lower[i]);
    if (parts.upper) inside = std::min(inside, factor * before.upper[i]);
    if (parts.lower || parts.upper) {
      magnitude += std::abs(inside);
      t = parts.outside ? t - inside : inside;
    }
    const auto n = static_cast<wide>(end - begin);
    const wide bound =
        gamma(n + 8, u) * magnitude + (n * std::abs(static_cast<wide>(parts.alpha)) + 8) * smallest;
    // An element in bounds moves no further than t, the part outside them as far.
    if (!(std::abs(after.y[i] - t) <= (parts.outside ? 2 : 1) * bound)) return "y[" + std::to_string(i) + "]";
    if (parts.out) {
      const wide y_part = static_cast<wide>(y_factor_of_cases) * after.y[i];
      const wide add_part = static_cast<wide>(add_factor_of_cases) * before.add[i];
      if (!(std::abs(after.out[i] - (y_part + add_part)) <=
            gamma(2, u) * (std::abs(y_part) + std::abs(add_part)) + 2 * smallest))
        return "out[" + std::to_string(i) + "]";
    }
    const std::array<wide, 2> with{after.y[i], before.w[i]};
    for (std::size_t k = 0; k < 2; ++k) {
      dots[k] += after.y[i] * with[k];
      dot_magnitudes[k] += std::abs(after.y[i] * with[k]);
    }
  }
  const wide u_double = std::numeric_limits<double>::epsilon() / 2;
  const bool asked[2] = {parts.dot_with_y, parts.dot_with_w};
  for (std::size_t k = 0; k < 2; ++k)
    if (asked[k] && !(std::abs(after.dots[k] - dots[k]) <=
                      gamma(static_cast<wide>(a.rows) + 1, u_double) * dot_magnitudes[k]))
      return "dot product " + std::to_string(k);
  return {};
}

}  // namespace gossamer::testing_support
