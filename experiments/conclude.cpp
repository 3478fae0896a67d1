// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/conclude.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/cumulative.hpp"
#include "experiments/draw/charts.hpp"
#include "experiments/ratios.hpp"

namespace gossamer::experiments {
namespace {

constexpr const char* stand_in_note = "* a stand-in with the published figures, for the file is not here";

/// Without a formula a series has no bandwidth to show.
std::vector<const series*> shown(const experiment& e, quantity what) {
  std::vector<const series*> all;
  for (const series& each : e.all_series) {
    if (each.drawn && (what != quantity::paper_bandwidth || each.formula != bandwidth_formula::none))
      all.push_back(&each);
  }
  return all;
}

std::string number_or_status(const json* row, quantity what) {
  if (const auto value = number(row, what)) return fmt::format("{:.4g}", *value);
  return row == nullptr || row->at("status") == "ok" ? std::string("-")
                                                     : row->at("status").get<std::string>();
}

bool less(const named_ratio& a, const named_ratio& b) {
  return a.ratio < b.ratio;
}

std::vector<named_ratio> ratios_of(const rows& all, std::string_view series) {
  std::vector<named_ratio> ratios;
  for (const json& row : all) {
    if (row.at("series") != series) continue;
    if (const auto ratio = speed_up(&row)) ratios.push_back({title_of(row), *ratio});
  }
  return ratios;
}

/// Matrices that a series refused, or failed on.
std::size_t left_out(const rows& all, std::string_view series) {
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const json& row) {
    return row.at("series") == series && (row.at("status") == "unsupported" || row.at("status") == "failed");
  }));
}

/// The order's two series over the matrices that both were measured on.
std::string order_line(const order& pair, const rows& all) {
  const std::vector<named_ratio> ratios = time_ratios(all, pair.faster, pair.slower);
  std::string text = fmt::format("{} over {}: ", pair.faster, pair.slower);
  if (ratios.empty()) return text + "not measured\n";
  const std::vector<double> numbers = numbers_of(ratios);
  text += fmt::format("faster on {} of {}, geometric mean {:.3f};", reaching(numbers, 1), numbers.size(),
                      geometric_mean(numbers));
  constexpr std::size_t few = 12;
  if (ratios.size() > few) {
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end(), less);
    return text + fmt::format(" most {:.3f} {}, least {:.3f} {}\n", most->ratio, most->matrix, least->ratio,
                              least->matrix);
  }
  for (const named_ratio& each : ratios) text += fmt::format(" {} {:.3f}", each.matrix, each.ratio);
  return text + "\n";
}

}  // namespace

std::string table_of(const experiment& e, const rows& all, quantity what) {
  const std::vector<const series*> columns = shown(e, what);
  const std::vector<std::string> matrices = matrices_of(all);
  std::size_t widest = 0;
  for (const std::string& matrix : matrices) widest = std::max(widest, matrix.size());
  std::string text = fmt::format("{}\n{:<{}}", title(what), "", widest);
  for (const series* each : columns)
    text += fmt::format("  {:>{}}", each->label, std::max<std::size_t>(9, each->label.size()));
  text += "\n";
  for (const std::string& matrix : matrices) {
    text += fmt::format("{:<{}}", matrix, widest);
    for (const series* each : columns)
      text += fmt::format("  {:>{}}", number_or_status(find_row(all, matrix, each->label), what),
                          std::max<std::size_t>(9, each->label.size()));
    text += "\n";
  }
  return text;
}

std::string orders_of(const experiment& e, const rows& all) {
  std::string text;
  for (const order& pair : e.orders) text += order_line(pair, all);
  return text;
}

std::string speed_ups(const experiment& e, const rows& all) {
  std::string text;
  for (const series& each : e.all_series) {
    if (each.label == e.subject || !each.drawn) continue;
    const bool of_subject = e.compared == comparison::of_subject;
    text +=
        fmt::format("{} over {}: ", of_subject ? e.subject : each.label, of_subject ? each.label : e.subject);
    const std::vector<named_ratio> ratios = ratios_of(all, each.label);
    if (ratios.empty()) {
      text += "not measured\n";
      continue;
    }
    const std::vector<double> numbers = numbers_of(ratios);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end(), less);
    text += fmt::format(
        "at least as fast on {} of {} matrices, twice on {}, ten times on {}; geometric mean {:.3f}, most "
        "{:.3f} {}, least {:.3f} {}; {} refused or failed\n",
        reaching(numbers, 1), numbers.size(), reaching(numbers, 2), reaching(numbers, 10),
        geometric_mean(numbers), most->ratio, most->matrix, least->ratio, least->matrix,
        left_out(all, each.label));
  }
  return text;
}

std::string grouped_bars(const experiment& e, const rows& all, std::string_view y_title, bool logarithmic,
                         const std::vector<std::string>& labels, const bar_of& value) {
  bar_chart chart{.text = {.title = e.name + ": " + e.shows,
                           .x_title = {},
                           .y_title = std::string(y_title),
                           .footnote = {}},
                  .logarithmic = logarithmic,
                  .groups = matrices_of(all),
                  .series = labels,
                  .values = {}};
  for (const std::string& matrix : chart.groups) {
    if (matrix.size() > 2 && matrix.substr(matrix.size() - 2) == " *") chart.text.footnote = stand_in_note;
    auto& group = chart.values.emplace_back();
    for (const std::string& label : labels) group.push_back(value(matrix, label));
  }
  return draw(chart);
}

std::string bars(const experiment& e, const rows& all, quantity what, bool logarithmic) {
  std::vector<std::string> labels;
  for (const series* each : shown(e, what)) labels.push_back(each->label);
  return grouped_bars(e, all, title(what), logarithmic, labels,
                      [&](const std::string& matrix, const std::string& label) {
                        return number(find_row(all, matrix, label), what);
                      });
}

std::string speed_up_bars(const experiment& e, const rows& all) {
  std::vector<std::string> labels;
  for (const series& each : e.all_series) {
    if (each.label != e.subject && each.drawn) labels.push_back(each.label);
  }
  const bool of_subject = e.compared == comparison::of_subject;
  return grouped_bars(e, all,
                      of_subject ? "speed-up of " + e.subject + " over" : "speed-up over " + e.subject, false,
                      labels, [&](const std::string& matrix, const std::string& label) {
                        return speed_up(find_row(all, matrix, label));
                      });
}

std::string speed_up_curves(const experiment& e, const rows& all) {
  const bool of_subject = e.compared == comparison::of_subject;
  curve_chart chart{
      .text = {.title = e.name + ": " + e.shows,
               .x_title = "matrices that reach it",
               .y_title = of_subject ? "speed-up of " + e.subject : "speed-up over " + e.subject,
               .footnote = {}},
      .curves = {}};
  for (const series& each : e.all_series) {
    if (each.label != e.subject && each.drawn)
      chart.curves.push_back({each.label, descending(numbers_of(ratios_of(all, each.label)))});
  }
  return draw(chart);
}

}  // namespace gossamer::experiments
