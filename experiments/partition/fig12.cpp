// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig12() {
  return of_test2("fig12", "Figure 12", "f64", quantity::seconds);
}

}  // namespace gossamer::experiments::partition
