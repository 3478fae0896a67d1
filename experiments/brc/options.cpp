// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {
namespace {

constexpr const char* by_formula = "Equation (3)";

}  // namespace

experiment options() {
  experiment e =
      over_the_table("options", "section 8",
                     "what the paper leaves to later and what we tried: B2 that changes, windows, B1");
  // Our own width cuts no row of most matrices: there would be nothing to cut in another way.
  const auto by_equation = [](const char* label, option_texts options) {
    options.emplace_back("block_width", "published");
    return series{.label = label, .format = "brc", .options = std::move(options)};
  };
  e.all_series = {of_brc(),
                  by_equation(by_formula, {}),
                  by_equation("growing B2", {{"widths", "growing"}}),
                  by_equation("B2 by position", {{"widths", "by_position"}}),
                  by_equation("segments evened out", {{"widths", "even"}}),
                  by_equation("sorted in windows of 1024", {{"sort_window", "1024"}}),
                  by_equation("sorted in windows of 16384", {{"sort_window", "16384"}}),
                  {.label = "blocked row", .format = "brc", .options = {{"block_width", "unbounded"}}},
                  by_equation("atomic", {{"accumulate", "atomic"}}),
                  by_equation("blocks of 8 rows", {{"block_rows", "8"}}),
                  by_equation("blocks of 16 rows", {{"block_rows", "16"}}),
                  by_equation("blocks of 64 rows", {{"block_rows", "64"}}),
                  by_equation("blocks of 128 rows", {{"block_rows", "128"}}),
                  by_equation("blocks of 256 rows", {{"block_rows", "256"}})};
  e.compared = comparison::over_subject;
  e.subject = by_formula;
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all) +
           table_of(self, all, quantity::slots_per_nonzero);
  };
  e.draw = speed_up_bars;
  return e;
}

}  // namespace gossamer::experiments::brc
