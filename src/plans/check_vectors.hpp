// SPDX-License-Identifier: BSD-3-Clause
// Checks x and y of a product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/fail.hpp"
#include "plans/calls.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// The product by vectors x and y, which are spans. `facts`: of the plan that multiplies. Throws
/// size_mismatch and overlap, which name the call.
template <class M, class V, class X, class Y>
product<scalars<M, V>> check_vectors(const call_names& names, const plan_facts& facts, V alpha, const X& x,
                                     V beta, const Y& y) {
  const std::size_t x_size = x.size();
  const std::size_t y_size = y.size();
  if (x_size != static_cast<std::size_t>(facts.cols))
    fail(errc::size_mismatch, "{}: x has {} elements, the matrix has {} {}", names.call, x_size, facts.cols,
         names.x_has);
  if (y_size != static_cast<std::size_t>(facts.rows))
    fail(errc::size_mismatch, "{}: y has {} elements, the matrix has {} {}", names.call, y_size, facts.rows,
         names.y_has);
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x.data());
  const auto y_begin = reinterpret_cast<std::uintptr_t>(y.data());
  if (x_size > 0 && y_size > 0 && x_begin < y_begin + y_size * sizeof(V) &&
      y_begin < x_begin + x_size * sizeof(V))
    fail(errc::overlap, "{}: x and y share memory", names.call);
  return {.alpha = alpha, .x = x.data(), .beta = beta, .y = y.data()};
}

}  // namespace gossamer::inline v0::plans
