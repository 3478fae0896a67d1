// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/table4.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {
namespace {

/// Nothing where it was not measured.
std::optional<double> milliseconds(const json* row) {
  if (member(row, "portion_nnz") == 0.0) return 0.0;
  const auto seconds = number(row, quantity::seconds);
  return seconds ? std::optional<double>(1e3 * *seconds) : std::nullopt;
}

std::string text_of(const std::optional<double>& number, const char* format) {
  return number ? fmt::format(fmt::runtime(format), *number) : std::string("-");
}

/// Table 4 prints three digits behind the point.
bool as_printed(const table4_line& line) {
  return std::abs(*line.coo_percent - line.printed->coo_percent) < 0.0006;
}

std::string table4_report(const experiment&, const rows& all) {
  const std::vector<table4_line> lines = table4_lines(all);
  std::size_t widest = 6;
  for (const table4_line& line : lines) widest = std::max(widest, line.matrix.size());
  std::string text = fmt::format("{:<{}}  {:>8}  {:>8}  {:>8}  {:>8}   as printed: CNZ, CTR, CTA, ETA\n",
                                 "matrix", widest, "CNZ, %", "CTR, %", "CTA, ms", "ETA, ms");
  std::size_t printed = 0;
  std::size_t same = 0;
  std::size_t small = 0;
  std::size_t significant = 0;
  for (const table4_line& line : lines) {
    text += fmt::format("{:<{}}  {:>8}  {:>8}  {:>8}  {:>8}", line.matrix, widest,
                        text_of(line.coo_percent, "{:.3f}"), text_of(line.coo_time_percent, "{:.3f}"),
                        text_of(line.coo_ms, "{:.4f}"), text_of(line.ell_ms, "{:.4f}"));
    if (line.printed != nullptr) {
      const printed_matrix& p = *line.printed;
      text += fmt::format("   {:.3f} {:.3f} {:.3f} {:.3f}", p.coo_percent, p.coo_time_percent, p.coo_ms,
                          p.ell_ms);
      if (line.coo_percent) {
        ++printed;
        same += as_printed(line) ? 1 : 0;
        if (!as_printed(line)) text += "  CNZ differs";
      }
    }
    text += "\n";
    if (!line.coo_percent || !line.coo_time_percent) continue;
    if (*line.coo_percent <= 0 || *line.coo_percent >= 50) continue;
    ++small;
    significant += *line.coo_time_percent > *line.coo_percent ? 1 : 0;
  }
  return text +
         fmt::format(
             "CNZ is the printed one on {} of {}; of small COO parts {} of {} take a larger share of the "
             "time than of the nonzeros\n",
             same, printed, significant, small);
}

std::string draw_shares(const experiment& e, const rows& all) {
  const std::vector<table4_line> lines = table4_lines(all);
  return grouped_bars(
      e, all, "% in the COO part", false, {"nonzeros", "time", "time as printed"},
      [&](const std::string& matrix, const std::string& label) -> std::optional<double> {
        const auto found = std::find_if(lines.begin(), lines.end(),
                                        [&](const table4_line& line) { return line.matrix == matrix; });
        if (found == lines.end()) return std::nullopt;
        if (label == "nonzeros") return found->coo_percent;
        if (label == "time") return found->coo_time_percent;
        return found->printed == nullptr ? std::nullopt
                                         : std::optional<double>(found->printed->coo_time_percent);
      });
}

}  // namespace

std::vector<table4_line> table4_lines(const rows& all) {
  std::vector<table4_line> lines;
  for (const std::string& matrix : matrices_of(all)) {
    const json* coo = find_row(all, matrix, coo_by_coo);
    const json* ell = find_row(all, matrix, ell_by_ell);
    if (coo == nullptr) continue;
    table4_line line{.matrix = matrix,
                     .printed = find_printed(published_name(*coo)),
                     .variation = variation_of(*coo),
                     .coo_ms = milliseconds(coo),
                     .ell_ms = milliseconds(ell)};
    const auto nnz = member(coo, "nnz");
    const auto beyond = member(coo, "portion_nnz");
    if (nnz && beyond && *nnz > 0) line.coo_percent = 100 * *beyond / *nnz;
    if (line.coo_ms && line.ell_ms && *line.coo_ms + *line.ell_ms > 0)
      line.coo_time_percent = 100 * *line.coo_ms / (*line.coo_ms + *line.ell_ms);
    lines.push_back(std::move(line));
  }
  return lines;
}

experiment table4() {
  experiment e = of_parts("table4", "Table 4", "nonzeros and times of HYB's two parts");
  const auto other = [](const series& each) { return each.label != coo_by_coo && each.label != ell_by_ell; };
  e.all_series.erase(std::remove_if(e.all_series.begin(), e.all_series.end(), other), e.all_series.end());
  e.orders.clear();
  e.drawn_from = {"brc/fig9"};
  e.report = table4_report;
  e.draw = draw_shares;
  return e;
}

}  // namespace gossamer::experiments::brc
