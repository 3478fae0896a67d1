// SPDX-License-Identifier: BSD-3-Clause
// Steps: passes over the vectors of a solver, with dot products and the scalar work that follows them.
//
// A step is a function object that is compiled for the host and for devices. Its members:
//   static constexpr int sums       number of dot products, may be 0
//   static constexpr bool ends      whether end() exists
//   static constexpr bool opens     whether it is the first step of an iteration
//   bool begin(const double* s)     reads coefficients from the scalars s; false: no element is visited
//   void element(i, dots)           updates element i of the vectors, and adds to the dot products
//   void end(double* s, dots)       runs once, in one thread, with the finished dot products; writes scalars
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "core/host_device.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/device.hpp"
#include "gossamer/solve.hpp"

namespace gossamer::inline v0::solve {

/// The scalars that all solvers have; each solver has further ones from `own` on. They are in the memory of
/// the vectors.
///
/// A step that finds the end of the iterations writes `verdict`. The other steps of this iteration still run.
/// The first step of the next iteration sets `done` instead of running, and then no step does anything.
struct scalar {
  enum : int {
    verdict,        ///< 0, or 1 + status
    done,           ///< not 0: steps do nothing
    iterations,     ///< finished iterations
    residual,       ///< norm of the residual
    limit,          ///< maximum number of iterations
    relative,       ///< rtol
    absolute,       ///< atol
    tolerance,      ///< bound of the residual's norm
    norm_b,         ///< norm of the right-hand side
    right_is_zero,  ///< 1 if the right-hand side is 0
    own,
    count = 64
  };
};

GOSSAMER_HOST_DEVICE constexpr double verdict_of(status outcome) noexcept {
  return 1 + static_cast<double>(outcome);
}

GOSSAMER_HOST_DEVICE constexpr bool is_finite(double v) noexcept {
  return v >= -std::numeric_limits<double>::max() && v <= std::numeric_limits<double>::max();
}

template <class V>
inline constexpr double epsilon_of = static_cast<double>(std::numeric_limits<V>::epsilon());

/// Sets the tolerance of the residual's norm to max(rtol norm, atol).
GOSSAMER_HOST_DEVICE inline void set_tolerance(double* s, double norm) {
  const double relative = s[scalar::relative] * norm;
  s[scalar::tolerance] = relative > s[scalar::absolute] ? relative : s[scalar::absolute];
}

/// Ends the iterations at once: the remaining steps of this iteration do nothing either.
GOSSAMER_HOST_DEVICE inline void abandon(double* s, status outcome) {
  s[scalar::verdict] = verdict_of(outcome);
  s[scalar::done] = 1;
}

/// Records a finished iteration and the norm of its residual, and applies the stopping test.
GOSSAMER_HOST_DEVICE inline void finish_iteration(double* s, double residual) {
  const double finished = s[scalar::iterations] + 1;
  s[scalar::iterations] = finished;
  s[scalar::residual] = residual;
  if (residual <= s[scalar::tolerance])
    s[scalar::verdict] = verdict_of(status::converged);
  else if (finished >= s[scalar::limit])
    s[scalar::verdict] = verdict_of(status::maxiter);
}

/// Dot products of a step. The array has at least one element.
template <class Step>
using dots_of = double[Step::sums > 0 ? Step::sums : 1];

/// Elements of a tile. A dot product is summed tile by tile, and the sums of tiles are added in order.
inline constexpr std::int64_t host_tile = 4096;

constexpr std::int64_t host_tiles(std::int64_t size) noexcept {
  return (size + host_tile - 1) / host_tile;
}

template <class Step>
void visit_tile(const Step& step, std::int64_t begin, std::int64_t end, double* sums) {
  constexpr int lanes = 4;
  constexpr int count = Step::sums > 0 ? Step::sums : 1;
  Step own = step;
  dots_of<Step> part[lanes] = {};
  std::int64_t i = begin;
  for (; i + lanes <= end; i += lanes)
    for (int lane = 0; lane < lanes; ++lane) own.element(i + lane, part[lane]);
  for (; i < end; ++i) own.element(i, part[0]);
  for (int k = 0; k < count; ++k) sums[k] = (part[0][k] + part[1][k]) + (part[2][k] + part[3][k]);
}

/// Runs a step on vectors of `size` elements. `tiles` has room for host_tiles(size) sums of each product.
template <class Step>
void run_on_host(Step step, std::int64_t size, double* s, double* tiles, int threads) {
  if (s[scalar::done] != 0) return;
  if constexpr (Step::opens) {
    if (s[scalar::verdict] != 0) {
      s[scalar::done] = 1;
      return;
    }
  }
  constexpr int count = Step::sums > 0 ? Step::sums : 1;
  dots_of<Step> dots = {};
  if (step.begin(s)) {
    const std::int64_t tile_count = host_tiles(size);
    core::parallel_for(
        tile_count, core::default_grain / host_tile,
        [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t t = first; t < last; ++t) {
            std::array<double, count> sums{};  // neighbouring tiles of two threads share cache lines
            visit_tile(step, t * host_tile, std::min(size, (t + 1) * host_tile), sums.data());
            std::copy(sums.begin(), sums.end(), tiles + t * count);
          }
        },
        threads);
    for (std::int64_t t = 0; t < tile_count; ++t)
      for (int k = 0; k < count; ++k) dots[k] += tiles[t * count + k];
  }
  if constexpr (Step::ends) step.end(s, dots);
}

/// Memory of steps on a device.
struct device_scratch {
  double* scalars = nullptr;
  double* tiles = nullptr;      ///< most_device_blocks sums of each of most_sums products
  unsigned* arrived = nullptr;  ///< blocks that have finished; 0 between kernels
};

inline constexpr int most_sums = 4;
inline constexpr std::int64_t most_device_blocks = 4096;

/// Runs a step on vectors in device memory, by one kernel. Asynchronous in the stream.
#if defined(GOSSAMER_HAVE_CUDA)
template <class Step>
void run_on_device(const Step& step, std::int64_t size, const device_scratch& scratch, cuda_stream stream);
#else
template <class Step>
void run_on_device(const Step&, std::int64_t, const device_scratch&, cuda_stream) {
  exec::require_device(0);  // throws
}
#endif

}  // namespace gossamer::inline v0::solve
