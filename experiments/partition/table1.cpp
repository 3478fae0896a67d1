// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/partition/series.hpp"

namespace gossamer::experiments::partition {

experiment table1() {
  experiment e = of_partitions(
      "table1", "Table 1", "how near the sets of eight equal cores come to their shares", powers_of_test1());
  e.report = [](const experiment&, const rows& all) {
    return differences_of(all, printed_table1, printed_average1);
  };
  e.draw = draw_differences;
  return e;
}

}  // namespace gossamer::experiments::partition
