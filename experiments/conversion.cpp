// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/conversion.hpp"

#include <algorithm>
#include <utility>

#include "experiments/conclude.hpp"

namespace gossamer::experiments {

std::vector<conversion_line> conversion_lines(const experiment& e, const rows& all) {
  std::vector<conversion_line> lines;
  for (const std::string& matrix : matrices_of(all)) {
    const json* csr = find_row(all, matrix, plain_csr);
    const auto product = number(csr, quantity::seconds);
    if (!product) continue;
    for (const series& each : e.all_series) {
      const json* row = each.label == plain_csr ? nullptr : find_row(all, matrix, each.label);
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

std::string conversion_bars(const experiment& e, const rows& all, const std::vector<std::string>& labels) {
  const std::vector<conversion_line> lines = conversion_lines(e, all);
  return grouped_bars(e, all, "conversion in products of plain CSR", true, labels,
                      [&](const std::string& matrix, const std::string& label) -> std::optional<double> {
                        const auto found =
                            std::find_if(lines.begin(), lines.end(), [&](const conversion_line& line) {
                              return line.matrix == matrix && line.series == label;
                            });
                        return found == lines.end() ? std::nullopt : std::optional<double>(found->products);
                      });
}

}  // namespace gossamer::experiments
