// SPDX-License-Identifier: BSD-3-Clause
// Checks of the arguments of solvers, and the scalars that options begin with.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/fail.hpp"
#include "gossamer/solve.hpp"
#include "solve/engine.hpp"

namespace gossamer::inline v0::solve {

/// Throws invalid_argument for a negative number or NaN.
inline void require_not_negative(std::string_view solver, std::string_view argument, double v) {
  if (!(v >= 0)) fail(errc::invalid_argument, "{}: {} = {}: not a number of at least 0", solver, argument, v);
}

inline void require_finite(std::string_view solver, std::string_view argument, double v) {
  if (!is_finite(v)) fail(errc::invalid_argument, "{}: {} = {}: not a finite number", solver, argument, v);
}

template <value V>
void require_square(std::string_view solver, const plan<V>& a) {
  if (a.rows() != a.cols())
    fail(errc::invalid_argument, "{}: the matrix has {} rows and {} columns; it must be square", solver,
         a.rows(), a.cols());
}

inline void require_size(std::string_view solver, std::string_view vector, std::size_t size,
                         std::int64_t expected, std::string_view what) {
  if (size != static_cast<std::size_t>(expected))
    fail(errc::size_mismatch, "{}: {} has {} elements, the matrix has {} {}", solver, vector, size, expected,
         what);
}

template <class V>
void require_apart(std::string_view solver, const V* b, std::size_t b_size, const V* x, std::size_t x_size) {
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b);
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x);
  if (b_size > 0 && x_size > 0 && b_begin < x_begin + x_size * sizeof(V) &&
      x_begin < b_begin + b_size * sizeof(V))
    fail(errc::overlap, "{}: b and x share memory", solver);
}

/// The number of iterations, which a double holds exactly.
inline double iteration_limit(std::string_view solver, std::optional<std::int64_t> asked,
                              std::int64_t otherwise) {
  if (asked && *asked < 0) fail(errc::invalid_argument, "{}: maxiter = {}: less than 0", solver, *asked);
  constexpr std::int64_t most = std::int64_t{1} << 53;
  return static_cast<double>(std::min(asked.value_or(otherwise), most));
}

inline void check_interval(std::string_view solver, int check_every) {
  constexpr int most = 1024;  // a graph has some nodes for each iteration
  if (check_every < 1 || check_every > most)
    fail(errc::invalid_argument, "{}: check_every = {}: not from 1 to {}", solver, check_every, most);
}

/// Checks the arguments of a solver for square systems, and returns its first scalars.
template <value V, class Space>
scalar_array begin_system(std::string_view solver, const plan<V>& a, span_in<const V, Space> b,
                          span_in<V, Space> x, const options<V, Space>& how, std::int64_t otherwise) {
  require_square(solver, a);
  require_size(solver, "b", b.size(), a.rows(), "rows");
  require_size(solver, "x", x.size(), a.cols(), "columns");
  require_apart(solver, b.data(), b.size(), std::as_const(x).data(), x.size());
  require_not_negative(solver, "rtol", how.rtol);
  require_not_negative(solver, "atol", how.atol);
  check_interval(solver, how.check_every);
  scalar_array s{};
  s[scalar::limit] = iteration_limit(solver, how.maxiter, otherwise);
  s[scalar::relative] = how.rtol;
  s[scalar::absolute] = how.atol;
  return s;
}

}  // namespace gossamer::inline v0::solve
