// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig7() {
  return of_test1("fig7", "Figure 7", "f64", quantity::seconds);
}

}  // namespace gossamer::experiments::partition
