// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/bccoo/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "experiments/bccoo/series.hpp"
#include "experiments/conclude.hpp"
#include "experiments/cumulative.hpp"

namespace gossamer::experiments::bccoo {
namespace {

/// A table of 256 values weighs on smaller matrices.
constexpr double enough_nonzeros = 2000;

std::string table(const experiment& e, const rows& all) {
  const std::vector<std::string> matrices = matrices_of(all);
  std::size_t widest = 6;
  for (const std::string& matrix : matrices) widest = std::max(widest, matrix.size());
  std::string text = fmt::format("{:<{}}  {:>9}", "bytes over CSR's", widest, "CSR, MB");
  for (const series& each : e.all_series) text += fmt::format("  {:>10}", each.label);
  text += "\n";
  for (const std::string& matrix : matrices) {
    text += fmt::format("{:<{}}", matrix, widest);
    const json* first = find_row(all, matrix, e.all_series.front().label);
    text +=
        first == nullptr ? fmt::format("  {:>9}", "-") : fmt::format("  {:>9.3f}", csr_bytes(*first) * 1e-6);
    for (const series& each : e.all_series) {
      const json* row = find_row(all, matrix, each.label);
      const auto ratio = over_csr(row);
      text += ratio ? fmt::format("  {:>10.3f}", *ratio)
                    : fmt::format("  {:>10}", row == nullptr ? "-" : row->at("status").get<std::string>());
    }
    text += "\n";
  }
  return text;
}

std::string footprint_report(const experiment& e, const rows& all) {
  return table(e, all) + footprints(e, all, enough_nonzeros);
}

std::string draw_ratios(const experiment& e, const rows& all) {
  std::vector<std::string> labels;
  for (const series& each : e.all_series) labels.push_back(each.label);
  return grouped_bars(e, all, "bytes over those of CSR", false, labels,
                      [&](const std::string& matrix, const std::string& label) {
                        return over_csr(find_row(all, matrix, label));
                      });
}

}  // namespace

double csr_bytes(const json& row) {
  const double nnz = row.at("nnz").get<double>();
  const double offset = nnz > std::numeric_limits<std::int32_t>::max() ? 8 : 4;
  const double value = row.at("value") == "f32" ? 4 : 8;
  return (row.at("rows").get<double>() + 1) * offset + nnz * (value + 4);
}

std::optional<double> over_csr(const json* row) {
  const auto bytes = member(row, "bytes");
  if (!bytes || row->at("status") != "forecast") return std::nullopt;
  return *bytes / csr_bytes(*row);
}

std::string footprints(const experiment& e, const rows& all, double least_nnz) {
  struct one {
    std::string matrix;
    double ratio;
    bool large;
  };
  std::string text;
  for (const series& each : e.all_series) {
    std::vector<one> found;
    std::vector<double> ratios;
    for (const std::string& matrix : matrices_of(all)) {
      const json* row = find_row(all, matrix, each.label);
      if (const auto ratio = over_csr(row)) {
        found.push_back({matrix, *ratio, row->at("nnz").get<double>() >= least_nnz});
        ratios.push_back(*ratio);
      }
    }
    text += each.label + " over CSR, in bytes: ";
    if (found.empty()) {
      text += "not measured\n";
      continue;
    }
    const auto by_ratio = [](const one& a, const one& b) { return a.ratio < b.ratio; };
    const auto [least, most] = std::minmax_element(found.begin(), found.end(), by_ratio);
    const auto less = std::count_if(found.begin(), found.end(), [](const one& f) { return f.ratio < 1; });
    text += fmt::format("less on {} of {} matrices, geometric mean {:.3f}, least {:.3f} {}, most {:.3f} {}",
                        less, found.size(), geometric_mean(ratios), least->ratio, least->matrix, most->ratio,
                        most->matrix);
    std::string over;
    for (const one& f : found) {
      if (f.large && f.ratio > 1) over += fmt::format(" {} {:.3f}", f.matrix, f.ratio);
    }
    text +=
        fmt::format("; of {:.0f} nonzeros and more, over CSR:{}\n", least_nnz, over.empty() ? " none" : over);
  }
  return text;
}

experiment of_footprint(const char* name, const char* figure, const char* shows) {
  experiment e = over_table_i(name, figure, shows);
  e.every_file = true;
  e.report = footprint_report;
  e.draw = draw_ratios;
  return e;
}

}  // namespace gossamer::experiments::bccoo
