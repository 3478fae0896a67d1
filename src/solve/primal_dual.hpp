// SPDX-License-Identifier: BSD-3-Clause
// A step T of the primal-dual hybrid gradient, as two products with epilogues.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gossamer/linear_program.hpp"
#include "solve/engine.hpp"
#include "solve/primal_dual_steps.hpp"

namespace gossamer::inline v0::solve {

/// An iterate z = (x, y) is one array, so that a pass visits both parts. y begins at a multiple of 512 bytes.
/// The elements between x and y are 0.
template <value V>
struct iterate_shape {
  std::int64_t rows;
  std::int64_t cols;
  [[nodiscard]] std::int64_t y_begin() const { return vector_block<V>::padded(cols); }
  [[nodiscard]] std::int64_t size() const { return y_begin() + rows; }
};

/// The current iterate z = (x, y), and the step T. With (x', y') = T(z),
///
///     x' = clip(x + tau (A^T y - cost), lower, upper)
///     y' = t - clip(t, -sigma row_upper, -sigma row_lower), where t = y - sigma A (2 x' - x)
template <value V, class Space>
class primal_dual {
 public:
  /// Lengths of the vectors that the constructor takes from the engine.
  static std::vector<std::int64_t> lengths(const iterate_shape<V>& shape) {
    return {shape.size(), shape.size(), shape.cols, step_sizes<V>::count};
  }
  /// The engine and the program's vectors must outlive it. T(z) is 0 at first, and z is not set.
  primal_dual(engine<V, Space>& on, const iterate_shape<V>& shape, const linear_program<V, Space>& of)
      : z(on.vector()),
        stepped(on.vector()),
        extrapolated(on.vector()),
        sizes{on.vector()},
        on_(on),
        shape_(shape),
        of_(of) {
    on_.run(copy_iterate<V>{.from = nullptr, .to = {stepped}}, shape_.size());
  }

  void set_sizes(double tau, double sigma) {
    std::array<V, step_sizes<V>::count> factors;
    step_sizes<V>{factors.data()}.set(tau, sigma);
    on_.copy(sizes.at, factors.data(), step_sizes<V>::count);
  }

  /// to = T(z). z itself is allowed.
  void step_to(V* to) {
    const auto begin = shape_.y_begin();
    const auto x = columns(z);
    on_.multiply_transposed(
        V{1}, z + begin, V{1}, to,
        epilogue<V, Space>{.z = x,
                           .u = of_.cost,
                           .bounds = {.lower = of_.lower, .upper = of_.upper},
                           .second = {.out = {extrapolated, static_cast<std::size_t>(shape_.cols)},
                                      .y_factor = 2,
                                      .add = x,
                                      .add_factor = -1},
                           .from_memory = {.alpha = size(0), .gamma = size(1)}});
    // A negative factor exchanges the bounds.
    on_.multiply(
        V{1}, extrapolated, V{1}, to + begin,
        epilogue<V, Space>{.z = {z + begin, static_cast<std::size_t>(shape_.rows)},
                           .bounds = {.lower = of_.row_upper, .upper = of_.row_lower, .outside = true},
                           .from_memory = {.alpha = size(2), .bounds = size(2)}});
  }

  V* const z;
  V* const stepped;       ///< for T(z), where it is not z
  V* const extrapolated;  ///< cols elements, free between steps
  const step_sizes<V> sizes;

 private:
  [[nodiscard]] span_in<const V, Space> columns(const V* of) const {
    return {of, static_cast<std::size_t>(shape_.cols)};
  }
  [[nodiscard]] span_in<const V, Space> size(int which) const { return {sizes.at + which, 1}; }

  engine<V, Space>& on_;
  iterate_shape<V> shape_;
  linear_program<V, Space> of_;
};

}  // namespace gossamer::inline v0::solve
