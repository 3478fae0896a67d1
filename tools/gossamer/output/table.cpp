// SPDX-License-Identifier: BSD-3-Clause
// Padding and units.
#include "output/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gossamer::cli {

table::table(std::vector<column> columns) : columns_(std::move(columns)) {
  for (column& each : columns_) each.width = std::max(each.width, each.title.size());
}

std::string table::head() const {
  std::vector<std::string> titles;
  for (const column& each : columns_) titles.push_back(each.title);
  return row(titles);
}

std::string table::row(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const column& c = columns_[i];
    if (i > 0) line += "  ";
    if (!c.left)
      line += fmt::format("{:>{}}", cells[i], c.width);
    else if (i + 1 < cells.size())
      line += fmt::format("{:<{}}", cells[i], c.width);
    else
      line += cells[i];
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string number_text(double number) {
  if (!std::isfinite(number)) return "-";
  if (!(number < 999.5)) return fmt::format("{:.0f}", number);
  if (number < 0.995) return fmt::format("{:.3g}", number);
  return fmt::format("{:.{}f}", number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0);
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return number_text(seconds * 1e6) + " us";
  if (seconds < 1) return number_text(seconds * 1e3) + " ms";
  return number_text(seconds) + " s";
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double number = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* larger : {"kB", "MB", "GB", "TB", "PB", "EB"}) {
    if (number < 999.5) break;
    number /= 1000;
    unit = larger;
  }
  return number_text(number) + " " + unit;
}

}  // namespace gossamer::cli
