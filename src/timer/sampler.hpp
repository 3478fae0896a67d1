// SPDX-License-Identifier: BSD-3-Clause
// What one sample of a product is in each cache state.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gossamer/timer.hpp"
#include "timer/stopwatch.hpp"

namespace gossamer::inline v0::timer {

struct sample {
  double seconds = 0;         ///< of one call
  double vector_seconds = 0;  ///< of the vector kernels around one call; state solver only
  bool resolved = true;       ///< the product's part of the batch is long enough for the timer
};

class sampler {
 public:
  sampler() = default;
  sampler(const sampler&) = delete;
  sampler& operator=(const sampler&) = delete;
  virtual ~sampler() = default;

  /// Runs a product untimed and finds how many calls a sample of it needs. Once, before its first sample.
  virtual void prepare(std::size_t product) = 0;
  virtual sample take(std::size_t product) = 0;
};

/// Refers to the products, the stopwatch and `how`, which has a meaning.
std::unique_ptr<sampler> make_sampler(std::span<const product_call> products, stopwatch& watch,
                                      const interleaving& how);

}  // namespace gossamer::inline v0::timer
