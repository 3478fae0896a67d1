// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment coarsening() {
  experiment e = over_the_table("coarsening", "section 5", "coarsening of LP by B2, one thread a row");
  e.matrices = {"like(rail4284)"};
  for (const auto& [label, width] : {std::pair{"Equation (3)", "published"}, std::pair{"B2 = 1000", "1000"},
                                     std::pair{"B2 = 2000", "2000"}, std::pair{"B2 = 4000", "4000"}}) {
    for (const char* rows : {"1", "2", "4", "8"}) {
      const bool plain = std::string_view(rows) == "1";
      e.all_series.push_back(
          {.label = plain ? std::string(label) : fmt::format("{}, coarsening {}", label, rows),
           .format = "brc",
           .options = {{"block_rows", "32"}, {"block_width", width}},
           .gpu_options = {{"coarsening", rows}, {"threads_per_row", "1"}}});
    }
  }
  e.report = [](const experiment& self, const rows& all) { return table_of(self, all, quantity::gflops); };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

}  // namespace gossamer::experiments::brc
