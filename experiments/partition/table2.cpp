// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/series.hpp"

namespace gossamer::experiments::partition {

experiment table2() {
  experiment e =
      of_partitions("table2", "Table 2", "the same with two GPUs of 75 cores' power each", powers_of_test2());
  e.report = [](const experiment&, const rows& all) {
    return differences_of(all, printed_table2, printed_average2);
  };
  e.draw = draw_differences;
  return e;
}

}  // namespace gossamer::experiments::partition
