// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/products.hpp"

namespace gossamer::experiments::partition {

experiment fig6() {
  return of_test1("fig6", "Figure 6", "f32", quantity::seconds);
}

}  // namespace gossamer::experiments::partition
