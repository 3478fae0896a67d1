// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig11() {
  return of_test2("fig11", "Figure 11", "f32", quantity::seconds);
}

}  // namespace gossamer::experiments::partition
