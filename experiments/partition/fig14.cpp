// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig14() {
  return of_test2("fig14", "Figure 14", "f64", quantity::gflops);
}

}  // namespace gossamer::experiments::partition
