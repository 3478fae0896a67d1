// SPDX-License-Identifier: BSD-3-Clause
#include "output/like_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "output/table.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

/// A whole number where the figure is one.
json got_of(std::string_view figure, const stand_in_figures& got) {
  const row_statistics& r = got.rows;
  if (figure == "rows") return r.rows;
  if (figure == "cols") return r.cols;
  if (figure == "nnz") return r.nnz;
  if (figure == "min") return r.min;
  if (figure == "max") return r.max;
  if (figure == "hyb_k") return got.hyb.k;
  if (figure == "mean") return r.mean;
  if (figure == "sd") return r.standard_deviation;
  return got.hyb.coo_percent;
}

std::string text_of(const json& number) {
  return number.is_number_float() ? fmt::format("{:.4f}", number.get<double>()) : number.dump();
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

}  // namespace

json like_json(const bench_support::known_matrix& known, const stand_in_figures& got) {
  json figures = json::array();
  for (const bench_support::published_figure& f : known.figures) {
    figures.push_back({{"figure", f.figure},
                       {"published", json::parse(f.printed)},
                       {"got", got_of(f.figure, got)},
                       {"source", f.source}});
    if (!f.exception.empty()) figures.back()["exception"] = f.exception;
  }
  const bench_support::sector_bounds bounds = bench_support::sectors_per_entry(known.kind);
  json sectors = {{"least", bounds.least}, {"most", bounds.most}, {"got", nullptr}};
  if (got.sectors_per_entry > 0) sectors["got"] = got.sectors_per_entry;
  return {{"name", known.name},
          {"aliases", known.aliases},
          {"class", name(known.kind)},
          {"figures", figures},
          {"sectors_per_entry", sectors}};
}

std::string like_text(const bench_support::known_matrix& known, const stand_in_figures& got) {
  std::string text =
      fmt::format("\nstands in for {}{}, class {}; values are not published\n", known.name,
                  known.aliases.empty() ? "" : " (" + listed(known.aliases) + ")", name(known.kind));
  const table figures({{.title = "figure", .width = 18, .left = true},
                       {.title = "published", .width = 12},
                       {.title = "here", .width = 12},
                       {.title = "source", .left = true}});
  text += figures.head();
  for (const bench_support::published_figure& f : known.figures) {
    std::string source(f.source);
    if (!f.exception.empty()) source += fmt::format(" ({})", f.exception);
    text +=
        wrapped(figures.row({std::string(f.figure), f.printed, text_of(got_of(f.figure, got)), source}), 50);
  }
  if (got.sectors_per_entry > 0) {
    const bench_support::sector_bounds bounds = bench_support::sectors_per_entry(known.kind);
    text += figures.row({"sectors_per_entry", fmt::format("{:.3g}-{:.3g}", bounds.least, bounds.most),
                         text_of(got.sectors_per_entry), fmt::format("class {}", name(known.kind))});
  }
  return text;
}

}  // namespace gossamer::cli
