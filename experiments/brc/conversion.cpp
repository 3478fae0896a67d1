// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {
namespace {

std::string conversion_report(const experiment& e, const rows& all) {
  const std::vector<conversion_line> lines = conversion_lines(e, all);
  std::size_t widest = 6;
  for (const conversion_line& line : lines) widest = std::max(widest, line.matrix.size());
  std::string text = fmt::format("{:<{}}  {:<6}  {:>10}  {:>12}  {:>10}\n", "matrix", widest, "format",
                                 "seconds", "CSR products", "break even");
  for (const conversion_line& line : lines)
    text += fmt::format("{:<{}}  {:<6}  {:>10.4f}  {:>12.1f}  {:>10}\n", line.matrix, widest, line.series,
                        line.seconds, line.products,
                        line.break_even ? fmt::format("{:.0f}", *line.break_even) : std::string("never"));
  return text +
         "the paper: 0.039 to 0.045 s for a Jacobian of PETSc's ex19 (Table 5), whose size it does not "
         "give\n";
}

std::string draw_products(const experiment& e, const rows& all) {
  std::vector<std::string> labels;
  for (const series& each : e.all_series) {
    if (each.label != plain_csr) labels.push_back(each.label);
  }
  return conversion_bars(e, all, labels);
}

}  // namespace

experiment conversion() {
  experiment e = over_the_table("conversion", "Table 5, column Conv", "conversion in products of plain CSR");
  e.matrices = {"@brc", "uniform(rows=4M,per_row=25)"};
  e.all_series = {{.label = std::string(plain_csr), .format = "csr"}, of_brc(), of_hyb(), of_jds()};
  e.report = conversion_report;
  e.draw = draw_products;
  return e;
}

}  // namespace gossamer::experiments::brc
