// SPDX-License-Identifier: BSD-3-Clause
// Vectors in the memory of the GPUs that a hybrid plan has its parts on.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// As product_vectors, cut where the plan cuts its rows.
template <value V>
class spread_vectors {
 public:
  explicit spread_vectors(const plan<V>& made)
      : here_(ramp<V>(made.cols())),
        x_(device_shares(made, made.cols())),
        y_(device_shares(made, made.rows())) {
    x_.copy_from(here_);
  }
  [[nodiscard]] std::span<const V> x() const noexcept { return here_; }
  void poison() { y_.copy_from(std::vector<V>(y_.size(), std::numeric_limits<V>::quiet_NaN())); }
  [[nodiscard]] std::vector<V> result() const {
    std::vector<V> y(y_.size());
    y_.copy_to(y);
    return y;
  }
  [[nodiscard]] product_call call(const plan<V>& made) {
    return [&made, x = std::as_const(x_).span(), y = y_.span()](cuda_stream stream) {
      made.multiply(V{1}, x, V{0}, y, stream);
    };
  }

 private:
  std::vector<V> here_;
  distributed_vector<V> x_;
  distributed_vector<V> y_;
};

}  // namespace gossamer::cli
