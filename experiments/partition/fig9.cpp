// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig9() {
  return of_test1("fig9", "Figure 9", "f64", quantity::gflops);
}

}  // namespace gossamer::experiments::partition
