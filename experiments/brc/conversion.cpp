// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {
namespace {

constexpr const char* plain = "CSR";

std::string report(const experiment& e, const rows& all) {
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
  const std::vector<conversion_line> lines = conversion_lines(e, all);
  std::vector<std::string> labels;
  for (const series& each : e.all_series) {
    if (each.label != plain) labels.push_back(each.label);
  }
  return grouped_bars(e, all, "conversion in products of plain CSR", true, labels,
                      [&](const std::string& matrix, const std::string& label) -> std::optional<double> {
                        const auto found =
                            std::find_if(lines.begin(), lines.end(), [&](const conversion_line& line) {
                              return line.matrix == matrix && line.series == label;
                            });
                        return found == lines.end() ? std::nullopt : std::optional<double>(found->products);
                      });
}

}  // namespace

std::vector<conversion_line> conversion_lines(const experiment& e, const rows& all) {
  std::vector<conversion_line> lines;
  for (const std::string& matrix : matrices_of(all)) {
    const json* csr = find_row(all, matrix, plain);
    const auto product = number(csr, quantity::seconds);
    if (!product) continue;
    for (const series& each : e.all_series) {
      const json* row = each.label == plain ? nullptr : find_row(all, matrix, each.label);
      const auto seconds = number(row, quantity::seconds);
      const auto inspected = member(row, "inspect_seconds");
      if (!seconds || !inspected) continue;
      conversion_line line{.matrix = matrix,
                           .series = each.label,
                           .seconds = *inspected,
                           .products = *inspected / *product,
                           .break_even = {}};
      const double extra = *inspected - member(csr, "inspect_seconds").value_or(0);
      if (*seconds < *product) line.break_even = std::max(0.0, extra / (*product - *seconds));
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

experiment conversion() {
  experiment e = over_the_table("conversion", "Table 5, column Conv", "conversion in products of plain CSR");
  e.matrices = {"@brc", "uniform(rows=4M,per_row=25)"};
  e.all_series = {{.label = plain, .format = "csr"}, of_brc(), of_hyb(), of_jds()};
  e.report = report;
  e.draw = draw_products;
  return e;
}

}  // namespace gossamer::experiments::brc
