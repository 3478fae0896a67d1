// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig13() {
  return of_test2("fig13", "Figure 13", "f32", quantity::gflops);
}

}  // namespace gossamer::experiments::partition
