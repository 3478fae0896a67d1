// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/rows.hpp"

#include <algorithm>

namespace gossamer::experiments {

std::optional<double> member(const json* row, const char* name) {
  if (row == nullptr) return std::nullopt;
  const auto found = row->find(name);
  if (found == row->end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

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

std::string published_name(const json& row) {
  auto name = row.at("matrix").get<std::string>();
  constexpr std::string_view like = "like(";
  if (name.compare(0, like.size(), like) != 0) return name;
  const std::size_t end = name.find_first_of(",)", like.size());
  return name.substr(like.size(), end == std::string::npos ? end : end - like.size());
}

std::string option_of(const json* row, std::string_view option) {
  if (row == nullptr) return {};
  const auto& options = row->at("options").get_ref<const std::string&>();
  for (std::size_t begin = 0; begin < options.size();) {
    const std::size_t end = std::min(options.find(',', begin), options.size());
    const std::string_view item = std::string_view(options).substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos && item.substr(0, equals) == option)
      return std::string(item.substr(equals + 1));
    begin = end + 1;
  }
  return {};
}

double variation_of(const json& row) {
  const double mean = row.at("row_mean").get<double>();
  return mean > 0 ? row.at("row_sd").get<double>() / mean : 0;
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

std::string title_named(const rows& all, std::string_view published) {
  const std::string stand_in = "like(" + std::string(published) + ")";
  std::string title;
  for (const json& row : all) {
    const auto& matrix = row.at("matrix").get_ref<const std::string&>();
    if (matrix == published) return title_of(row);
    if (title.empty() && matrix == stand_in) title = title_of(row);
  }
  return title;
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
      return member(row, "gflops");
    case quantity::paper_bandwidth:
      return member(row, "paper_bandwidth_gbs");
    case quantity::seconds: {
      const json& seconds = row->at("seconds");
      return seconds.is_object() ? member(&seconds, "median") : std::nullopt;
    }
    default:
      return member(row, "slots_per_nonzero");
  }
}

std::optional<double> speed_up(const json* row) {
  if (row == nullptr) return std::nullopt;
  const json& over = row->at("speed_up");
  return over.is_object() ? member(&over, "ratio") : std::nullopt;
}

}  // namespace gossamer::experiments
