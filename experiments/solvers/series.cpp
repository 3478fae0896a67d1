// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/solvers/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/conclude.hpp"
#include "experiments/cumulative.hpp"
#include "experiments/ratios.hpp"

namespace gossamer::experiments::solvers {
namespace {

/// Rounding errors grow with the iterations, so only the first ones are compared.
constexpr std::size_t compared_iterations = 10;

using cell_of = std::function<std::optional<double>(const json* row)>;

std::string solver_table(const experiment& e, const rows& all, std::string_view title, const cell_of& value) {
  const std::vector<std::string> matrices = matrices_of(all);
  std::size_t widest = title.size();
  for (const std::string& matrix : matrices) widest = std::max(widest, matrix.size());
  std::string text = fmt::format("{:<{}}", title, widest);
  for (const series& each : e.all_series)
    text += fmt::format("  {:>{}}", each.label, std::max<std::size_t>(9, each.label.size()));
  text += "\n";
  for (const std::string& matrix : matrices) {
    text += fmt::format("{:<{}}", matrix, widest);
    for (const series& each : e.all_series) {
      const auto number_here = value(find_row(all, matrix, each.label));
      text += fmt::format("  {:>{}}", number_here ? fmt::format("{:.4g}", *number_here) : std::string("-"),
                          std::max<std::size_t>(9, each.label.size()));
    }
    text += "\n";
  }
  return text;
}

std::optional<double> times(std::optional<double> value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

/// Ratios over our solver's time, split by size.
std::string ratios_by_size(const series& each, const rows& all, std::string_view what,
                           const std::function<std::optional<double>(const json&)>& ratio_in) {
  std::vector<double> small;
  std::vector<double> large;
  for (const json& row : all) {
    if (row.at("series") != each.label) continue;
    if (const auto ratio = ratio_in(row)) (is_small(row) ? small : large).push_back(*ratio);
  }
  if (small.empty() && large.empty()) return {};
  const auto part = [](const std::vector<double>& numbers) {
    if (numbers.empty()) return std::string("not measured");
    return fmt::format("{:.3f} on {} (least {:.3f})", geometric_mean(numbers), numbers.size(),
                       *std::min_element(numbers.begin(), numbers.end()));
  };
  return fmt::format("{} over {}, {}: below 1 M rows and 5 M nonzeros {}; above {}\n", ours, each.label, what,
                     part(small), part(large));
}

std::optional<double> ratio_of_object(const json& of) {
  return of.is_object() ? member(&of, "ratio") : std::nullopt;
}

/// How far the residuals of each series are from ours, and whether bits repeat.
std::string histories(const experiment& e, const rows& all) {
  std::string text;
  for (const series& each : e.all_series) {
    std::optional<double> largest;
    std::size_t repeatable = 0;
    std::size_t solved = 0;
    for (const json& row : all) {
      if (row.at("series") != each.label || !row.contains("solve") || !row["solve"].is_object()) continue;
      ++solved;
      if (row["solve"].value("same_bits_again", false)) ++repeatable;
      const auto apart = history_difference(&row, find_row(all, title_of(row), ours), compared_iterations);
      if (apart) largest = std::max(largest.value_or(0), *apart);
    }
    if (solved == 0) continue;
    text += fmt::format("{}: the same bits again on {} of {}", each.label, repeatable, solved);
    if (each.label != ours && largest)
      text += fmt::format("; residuals of {} iterations differ from ours by {:.2g} at most",
                          compared_iterations, *largest);
    text += "\n";
  }
  return text;
}

std::string solver_report(const experiment& e, const rows& all) {
  std::string text = solver_table(e, all, "microseconds an iteration",
                                  [](const json* row) { return times(number(row, quantity::seconds), 1e6); });
  if (e.loop == "cg") {
    text += "\n" + solver_table(e, all, "milliseconds to the solution",
                                [](const json* row) { return times(solve_seconds(row), 1e3); });
    text += "\n" + solver_table(e, all, "iterations",
                                [](const json* row) { return solve_member(row, "iterations"); });
  }
  text += "\n";
  for (const series& each : e.all_series) {
    if (each.label == ours) continue;
    text += ratios_by_size(each, all, "an iteration",
                           [](const json& row) { return ratio_of_object(row.at("speed_up")); });
    text += ratios_by_size(each, all, "a solution", [](const json& row) -> std::optional<double> {
      if (!row.contains("solve") || !row["solve"].is_object()) return std::nullopt;
      return ratio_of_object(row["solve"].value("speed_up", json()));
    });
  }
  return text + histories(e, all);
}

}  // namespace

bool is_small(const json& row) {
  constexpr double small_rows = 1e6;
  constexpr double small_nonzeros = 5e6;
  return member(&row, "rows").value_or(0) < small_rows && member(&row, "nnz").value_or(0) < small_nonzeros;
}

std::optional<double> solve_member(const json* row, const char* name) {
  if (row == nullptr || !row->contains("solve") || !row->at("solve").is_object()) return std::nullopt;
  return member(&row->at("solve"), name);
}

std::optional<double> solve_seconds(const json* row) {
  if (row == nullptr || !row->contains("solve") || !row->at("solve").is_object()) return std::nullopt;
  const json& seconds = row->at("solve").value("seconds", json());
  return seconds.is_object() ? member(&seconds, "median") : std::nullopt;
}

std::optional<double> history_difference(const json* a, const json* b, std::size_t iterations) {
  const auto history_of = [](const json* row) -> const json* {
    if (row == nullptr || !row->contains("solve") || !row->at("solve").is_object()) return nullptr;
    const json& solve = row->at("solve");
    return solve.contains("history") && solve["history"].is_array() ? &solve["history"] : nullptr;
  };
  const json* first = history_of(a);
  const json* second = history_of(b);
  if (first == nullptr || second == nullptr) return std::nullopt;
  std::optional<double> largest;
  // Element 0 is the norm of b.
  const std::size_t end = std::min({first->size(), second->size(), iterations + 1});
  for (std::size_t k = 0; k < end; ++k) {
    if (!first->at(k).is_number() || !second->at(k).is_number()) continue;
    const double x = first->at(k).get<double>();
    const double y = second->at(k).get<double>();
    const double scale = std::max(std::abs(x), std::abs(y));
    largest = std::max(largest.value_or(0), scale > 0 ? std::abs(x - y) / scale : 0.0);
  }
  return largest;
}

experiment of_method(std::string_view name, std::string_view method, std::string_view shows) {
  return {.name = fmt::format("solvers/{}", name),
          .source = "paper 000, future work: solvers",
          .shows = std::string(shows),
          .value = "f64",
          .matrices = {},
          .all_series = {{.label = std::string(ours), .format = "auto"}},
          .compared = comparison::of_subject,
          .subject = std::string(ours),
          .loop = std::string(method),
          .report = solver_report,
          .draw = speed_up_bars};
}

void add_loops(experiment& e) {
  e.all_series.push_back({.label = "cuSPARSE + cuBLAS", .peer = "cusparse_cublas"});
  e.all_series.push_back({.label = std::string(graph), .peer = "cusparse_cublas_graph"});
  e.all_series.push_back({.label = "MKL + cblas", .peer = "mkl_cblas"});
}

std::vector<std::string> matrices_of_systems() {
  // Poisson's equation has constant coefficients; those of the other matrices vary.
  return {"stencil(nx=40,ny=40,nz=40,points=7,values=constant)",
          "stencil(nx=100,ny=100,nz=100,points=7)",
          "stencil(nx=160,ny=160,nz=160,points=7,values=constant)",
          "stencil(nx=1000,ny=1000,points=5)",
          "stencil(nx=100,ny=100,nz=100,points=27)",
          "fem(nx=28,dof=3)",
          "like(shipsec1)",
          "like(scircuit)",
          "like(thermal2)",
          "like(G3_circuit)"};
}

std::vector<std::string> matrices_of_programs() {
  return {"sparse_lp(rows=20k)", "sparse_lp(rows=200k)", "sparse_lp(rows=1M,per_row=8)", "like(rail4284)",
          "bipartite(rows=100k,cols=300k)"};
}

}  // namespace gossamer::experiments::solvers
