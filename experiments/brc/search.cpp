// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"
#include "experiments/cumulative.hpp"

namespace gossamer::experiments::brc {
namespace {

std::string search_report(const experiment&, const rows& all) {
  const std::vector<search_line> lines = search_lines(all);
  std::size_t widest = 6;
  for (const search_line& line : lines) widest = std::max(widest, line.matrix.size());
  std::string text = fmt::format("{:<{}}  {:>10}  {:>10}  {:>6}  {:>5}  the best's options\n", "matrix",
                                 widest, "model, us", "best, us", "share", "tried");
  std::vector<double> shares;
  for (const search_line& line : lines) {
    shares.push_back(line.share);
    text +=
        fmt::format("{:<{}}  {:>10.2f}  {:>10.2f}  {:>6.3f}  {:>5}  {}\n", line.matrix, widest,
                    1e6 * line.model_seconds, 1e6 * line.best_seconds, line.share, line.tried, line.winner);
  }
  if (!shares.empty())
    text += fmt::format(
        "the model against the best of the search: arithmetic mean {:.3f}, geometric mean {:.3f}, least "
        "{:.3f}, "
        "over {} matrices; the paper: 0.96\n",
        arithmetic_mean(shares), geometric_mean(shares), *std::min_element(shares.begin(), shares.end()),
        shares.size());
  return text;
}

std::string draw_best(const experiment& e, const rows& all) {
  const std::vector<search_line> lines = search_lines(all);
  return grouped_bars(e, all, "the best's time over the model's", false, {"model / search"},
                      [&](const std::string& matrix, const std::string&) -> std::optional<double> {
                        const auto found =
                            std::find_if(lines.begin(), lines.end(),
                                         [&](const search_line& line) { return line.matrix == matrix; });
                        return found == lines.end() ? std::nullopt : std::optional<double>(found->share);
                      });
}

}  // namespace

std::vector<search_line> search_lines(const rows& all) {
  std::vector<search_line> lines;
  for (const std::string& matrix : matrices_of(all)) {
    const json* fastest = find_row(all, matrix, tuned);
    const auto best_seconds = number(fastest, quantity::seconds);
    const auto model_seconds = number(find_row(all, matrix, of_brc().label), quantity::seconds);
    if (!best_seconds || !model_seconds) continue;
    const auto tried = fastest->find("tried");
    lines.push_back({.matrix = matrix,
                     .model_seconds = *model_seconds,
                     .best_seconds = *best_seconds,
                     .share = *best_seconds / *model_seconds,
                     .winner = fastest->at("options").get<std::string>(),
                     .tried = tried != fastest->end() && tried->is_array() ? tried->size() : 0});
  }
  return lines;
}

experiment search() {
  experiment e =
      of_search("search", "section 5", "the model's settings against the best of a bounded search");
  e.all_series.push_back(of_csr());
  e.report = search_report;
  e.draw = draw_best;
  return e;
}

}  // namespace gossamer::experiments::brc
