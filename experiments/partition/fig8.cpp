// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig8() {
  return of_test1("fig8", "Figure 8", "f32", quantity::gflops);
}

}  // namespace gossamer::experiments::partition
