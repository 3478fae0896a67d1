// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/table1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {
namespace {

constexpr const char* b2 = "B2 by Equation (3)";
constexpr const char* hyb_k = "HYB-k";

/// The format's own number, from its automatic option as it resolves for the matrix.
std::optional<std::int64_t> automatic(const json* row, std::string_view option) {
  const std::string text = option_of(row, option);
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

void compare(table1_line& line) {
  const printed_matrix& p = *line.printed;
  const auto check = [&](const char* column, bool same) {
    if (!same) line.differs.emplace_back(column);
  };
  check("rows", line.rows == p.rows);
  check("cols", line.cols == p.cols);
  check("nnz", line.nnz == p.nnz);
  check("mean", std::llround(line.mean) == p.mean);
  check("sd", std::llround(line.sd) == p.sd);
  check("min", line.min == p.min);
  check("max", line.max == p.max);
  if (line.b2) check("B2", *line.b2 == p.b2);
  if (line.hyb_k) check("HYB-k", *line.hyb_k == p.hyb_k);
}

std::string text_of(const std::optional<std::int64_t>& number) {
  return number ? fmt::format("{}", *number) : std::string("-");
}

std::string line_text(const table1_line& line, std::size_t widest) {
  std::string text =
      fmt::format("{:<{}}  {:>8}  {:>8}  {:>9}  {:>8.2f}  {:>8.2f}  {:>5}  {:>6}  {:>4}  {:>5}", line.matrix,
                  widest, line.rows, line.cols, line.nnz, line.mean, line.sd, line.min, line.max,
                  text_of(line.b2), text_of(line.hyb_k));
  if (line.printed == nullptr) return text + "  not in Table 1\n";
  if (line.differs.empty()) return text + "  as printed\n";
  const printed_matrix& p = *line.printed;
  return text + fmt::format("  differs in {}: printed {} {} {} {} {} {} {} {} {}\n",
                            fmt::join(line.differs, ", "), p.rows, p.cols, p.nnz, p.mean, p.sd, p.min, p.max,
                            p.b2, p.hyb_k);
}

/// On how many of the paper's matrices a column is as printed, and the other numbers.
std::string as_printed(const std::vector<table1_line>& lines, const char* column,
                       const std::optional<std::int64_t> table1_line::*value) {
  std::size_t counted = 0;
  std::string others;
  std::size_t different = 0;
  for (const table1_line& line : lines) {
    if (line.printed == nullptr || !(line.*value)) continue;
    ++counted;
    if (std::find(line.differs.begin(), line.differs.end(), column) == line.differs.end()) continue;
    ++different;
    others += fmt::format("{} {} {}", others.empty() ? ";" : ",", line.matrix, *(line.*value));
  }
  return fmt::format("{} as printed on {} of {}{}\n", column, counted - different, counted, others);
}

std::string table1_report(const experiment&, const rows& all) {
  const std::vector<table1_line> lines = table1_lines(all);
  std::size_t widest = 6;
  for (const table1_line& line : lines) widest = std::max(widest, line.matrix.size());
  std::string text =
      fmt::format("{:<{}}  {:>8}  {:>8}  {:>9}  {:>8}  {:>8}  {:>5}  {:>6}  {:>4}  {:>5}\n", "matrix", widest,
                  "rows", "cols", "nnz", "mean", "sd", "min", "max", "B2", "HYB-k");
  for (const table1_line& line : lines) text += line_text(line, widest);
  text += as_printed(lines, "B2", &table1_line::b2) + as_printed(lines, "HYB-k", &table1_line::hyb_k);
  return text;
}

std::string draw_widths(const experiment& e, const rows& all) {
  const std::vector<table1_line> lines = table1_lines(all);
  const auto as_number = [](const std::optional<std::int64_t>& width) {
    return width ? std::optional<double>(static_cast<double>(*width)) : std::nullopt;
  };
  return grouped_bars(e, all, "columns", true, {"B2", "B2 as printed", "HYB-k", "HYB-k as printed"},
                      [&](const std::string& matrix, const std::string& label) -> std::optional<double> {
                        const auto line =
                            std::find_if(lines.begin(), lines.end(),
                                         [&](const table1_line& each) { return each.matrix == matrix; });
                        if (label == "B2") return as_number(line->b2);
                        if (label == "HYB-k") return as_number(line->hyb_k);
                        if (line->printed == nullptr) return std::nullopt;
                        return as_number(label == "B2 as printed" ? line->printed->b2 : line->printed->hyb_k);
                      });
}

}  // namespace

std::vector<table1_line> table1_lines(const rows& all) {
  std::vector<table1_line> lines;
  for (const std::string& matrix : matrices_of(all)) {
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const json& row) { return title_of(row) == matrix; });
    const auto whole = [&](const char* name) { return std::llround(member(&*first, name).value_or(0)); };
    table1_line line{.matrix = matrix,
                     .printed = find_printed(published_name(*first)),
                     .rows = whole("rows"),
                     .cols = whole("cols"),
                     .nnz = whole("nnz"),
                     .mean = first->at("row_mean").get<double>(),
                     .sd = first->at("row_sd").get<double>(),
                     .min = whole("row_min"),
                     .max = whole("row_max"),
                     .b2 = automatic(find_row(all, matrix, b2), "block_width"),
                     .hyb_k = automatic(find_row(all, matrix, hyb_k), "width"),
                     .differs = {},
                     .stand_in = first->at("stand_in") == true};
    if (line.printed != nullptr) compare(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

experiment table1() {
  experiment e = over_the_table("table1", "Table 1", "the matrices, B2 and HYB-k");
  e.all_series = {
      {.label = b2, .format = "brc", .options = {{"block_width", "published"}}, .how = effort::forecast},
      {.label = hyb_k, .format = "hyb", .how = effort::forecast}};
  e.report = table1_report;
  e.draw = draw_widths;
  return e;
}

}  // namespace gossamer::experiments::brc
