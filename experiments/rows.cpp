// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/rows.hpp"

#include <algorithm>

namespace gossamer::experiments {
namespace {

std::optional<double> member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

}  // namespace

std::string_view title(quantity what) noexcept {
  switch (what) {
    case quantity::gflops:
      return "GFLOP/s";
    case quantity::paper_bandwidth:
      return "GB/s by the paper's formulas";
    case quantity::seconds:
      return "seconds";
    default:
      return "slots / nonzero";
  }
}

std::string title_of(const json& row) {
  auto text = row.at("matrix").get<std::string>();
  const json& values = row.at("values");
  if (row.at("source") == "file" && values != "file") text += " values=" + values.get<std::string>();
  if (row.at("stand_in") == true) text += " *";
  return text;
}

std::vector<std::string> matrices_of(const rows& all) {
  std::vector<std::string> titles;
  for (const json& row : all) {
    std::string one = title_of(row);
    // Rows of a matrix stand together.
    if (titles.empty() ||
        (titles.back() != one && std::find(titles.begin(), titles.end(), one) == titles.end()))
      titles.push_back(std::move(one));
  }
  return titles;
}

const json* find_row(const rows& all, std::string_view matrix_title, std::string_view series) {
  for (const json& row : all) {
    if (row.at("series") == series && title_of(row) == matrix_title) return &row;
  }
  return nullptr;
}

std::optional<double> number(const json* row, quantity what) {
  if (row == nullptr) return std::nullopt;
  switch (what) {
    case quantity::gflops:
      return member(*row, "gflops");
    case quantity::paper_bandwidth:
      return member(*row, "paper_bandwidth_gbs");
    case quantity::seconds: {
      const json& seconds = row->at("seconds");
      return seconds.is_object() ? member(seconds, "median") : std::nullopt;
    }
    default:
      return member(*row, "slots_per_nonzero");
  }
}

std::optional<double> speed_up(const json* row) {
  if (row == nullptr) return std::nullopt;
  const json& over = row->at("speed_up");
  return over.is_object() ? member(over, "ratio") : std::nullopt;
}

}  // namespace gossamer::experiments
