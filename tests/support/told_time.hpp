// SPDX-License-Identifier: BSD-3-Clause
// A stopwatch on which nothing takes time but what a product adds to `now`.
#pragma once

#include <cstdint>
#include <vector>

#include "timer/stopwatch.hpp"

namespace gossamer::testing_support {

class told_time : public timer::stopwatch {
 public:
  double now = 0;
  std::vector<std::int64_t> batches;  ///< the calls of each timed batch

  void run(const product_call& product, std::int64_t calls) override {
    for (std::int64_t c = 0; c < calls; ++c) product({});
  }
  double time(const product_call& product, std::int64_t calls) override {
    batches.push_back(calls);
    const double begin = now;
    run(product, calls);
    return now - begin;
  }
  double time_cold(const product_call& product) override { return time(product, 1); }
  double time_from_host(const product_call& product) override { return time(product, 1); }
};

}  // namespace gossamer::testing_support
