// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/partition/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/conclude.hpp"
#include "experiments/ratios.hpp"
#include "experiments/rows.hpp"

namespace gossamer::experiments::partition {
namespace {

const json* partition_in(const json* row) {
  if (row == nullptr) return nullptr;
  const auto found = row->find("partition");
  return found == row->end() || !found->is_object() ? nullptr : &*found;
}

std::string shown(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.4f}", *percent) : std::string("-");
}

std::string milliseconds_of(const json* row) {
  const std::optional<double> seconds = sharing_seconds(row);
  return seconds ? fmt::format("{:.3g} ms", 1e3 * *seconds) : std::string("-");
}

/// On how many matrices the one's difference is at most the other's.
std::string nearer(const rows& all, const char* one, const char* other) {
  std::size_t measured = 0;
  std::size_t holding = 0;
  std::string against;
  for (const std::string& matrix : matrices_of(all)) {
    const auto a = difference_percent(find_row(all, matrix, one));
    const auto b = difference_percent(find_row(all, matrix, other));
    if (!a || !b) continue;
    ++measured;
    if (*a <= *b)
      ++holding;
    else
      against += fmt::format("{}{}", against.empty() ? "; not on " : ", ", matrix);
  }
  return fmt::format("{} misses the powers by no more than {}: {} of {}{}\n", one, other, holding, measured,
                     against);
}

}  // namespace

std::vector<double> powers_of_test1() {
  return {1, 1, 1, 1, 1, 1, 1, 1};
}

std::vector<double> powers_of_test2() {
  return {75, 75, 1, 1, 1, 1, 1, 1};
}

experiment of_partitions(std::string_view name, std::string_view source, std::string_view shows,
                         std::vector<double> powers) {
  constexpr std::array<const char*, 3> words = {"rows", "nnz", "pmf"};
  experiment e{.name = fmt::format("partition/{}", name),
               .source = fmt::format("paper 004, {}", source),
               .shows = std::string(shows),
               .value = "f32",
               .matrices = {"@partition"},
               .powers = std::move(powers)};
  for (std::size_t i = 0; i < algorithms.size(); ++i)
    e.all_series.push_back({.label = algorithms[i], .algorithm = words[i]});
  return e;
}

std::optional<double> difference_percent(const json* row) {
  const json* sets = partition_in(row);
  if (sets == nullptr) return std::nullopt;
  return 100 * sets->at("relative_difference").get<double>();
}

std::optional<double> density_percent(const json* row) {
  const json* sets = partition_in(row);
  if (sets == nullptr) return std::nullopt;
  return 100 * sets->at("mean_density").get<double>();
}

std::optional<double> sharing_seconds(const json* row) {
  const json* sets = partition_in(row);
  if (sets == nullptr) return std::nullopt;
  return sets->at("seconds").at("median").get<double>();
}

std::string differences_of(const rows& all, std::span<const printed_line> printed,
                           const std::array<double, 3>& averages) {
  std::size_t widest = 7;
  for (const std::string& matrix : matrices_of(all)) widest = std::max(widest, matrix.size());
  std::string text = "relative difference in %, sum over the sets (printed) and time of partitioning\n";
  text += fmt::format("{:<{}}", "matrix", widest);
  for (const char* algorithm : algorithms) text += fmt::format("  {:>30}", algorithm);
  text += "\n";
  std::array<std::vector<double>, 3> column;
  for (const std::string& matrix : matrices_of(all)) {
    text += fmt::format("{:<{}}", matrix, widest);
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      const json* row = find_row(all, matrix, algorithms[i]);
      const std::optional<double> ours = difference_percent(row);
      if (ours) column[i].push_back(*ours);
      std::optional<double> theirs;
      for (const printed_line& line : printed) {
        if (row != nullptr && published_name(*row) == line.matrix) theirs = line.percent[i];
      }
      text += fmt::format("  {:>30}",
                          fmt::format("{} ({}) {}", shown(ours), shown(theirs), milliseconds_of(row)));
    }
    text += "\n";
  }
  text += fmt::format("{:<{}}", "average", widest);
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const std::optional<double> ours =
        column[i].empty() ? std::nullopt : std::optional(arithmetic_mean(column[i]));
    text += fmt::format("  {:>30}", fmt::format("{} ({})", shown(ours), shown(averages[i])));
  }
  text += "\n";
  return text + nearer(all, algorithms[1], algorithms[0]) + nearer(all, algorithms[2], algorithms[0]);
}

std::string draw_differences(const experiment& e, const rows& all) {
  return grouped_bars(e, all, "relative difference, %", true, {algorithms.begin(), algorithms.end()},
                      [&](const std::string& matrix, const std::string& label) -> std::optional<double> {
                        const std::optional<double> percent =
                            difference_percent(find_row(all, matrix, label));
                        // An exact partition has no place on a logarithmic axis.
                        return percent && *percent > 0 ? percent : std::nullopt;
                      });
}

}  // namespace gossamer::experiments::partition
