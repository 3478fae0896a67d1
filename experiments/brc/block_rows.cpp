// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment block_rows() {
  experiment e = over_the_table("block_rows", "beyond the paper",
                                "BRC on all cores with blocks of 8 to 256 rows, with CSR and MKL's CSR");
  series csr = of_csr();
  e.subject = csr.label;
  e.all_series = {std::move(csr), {.label = "MKL CSR", .peer = "mkl"}};
  for (const int rows : {8, 16, 32, 64, 128, 256})
    e.all_series.push_back({.label = fmt::format("BRC, blocks of {} rows", rows),
                            .format = "brc",
                            .options = {{"block_rows", std::to_string(rows)}}});
  for (series& each : e.all_series) each.where = place::all_of_cpu;
  e.compared = comparison::over_subject;
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all);
  };
  e.draw = speed_up_bars;
  return e;
}

}  // namespace gossamer::experiments::brc
