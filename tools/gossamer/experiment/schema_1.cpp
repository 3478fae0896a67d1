// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/schema_1.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view old_name = "csr";
constexpr std::string_view new_name = "pattern_csr";

/// Renames the format of a row or of a part of a hybrid plan.
void rename_format(json& object) {
  if (object.value("format", json()) == old_name) object["format"] = new_name;
}

void rename_parts(json& row) {
  std::vector<std::string> formats;
  for (json& part : row["parts"]) {
    if (part.at("where") == "cpu") rename_format(part);
    formats.push_back(part.at("format"));
  }
  std::string options = row.at("options");
  constexpr std::string_view option = "formats=";  // the last one
  if (const std::size_t found = options.rfind(option); found != std::string::npos)
    row["options"] = options.substr(0, found + option.size()) + fmt::format("{}", fmt::join(formats, ","));
}

/// arg_csr/conversion names its series after formats.
void rename_series(json& row) {
  const std::string series = row.at("series");
  if (series == old_name || series == "csr, one core")
    row["series"] = fmt::format("{}{}", new_name, series.substr(old_name.size()));
}

}  // namespace

void rename_formats_of_schema_1(json& rows) {
  for (json& row : rows) {
    if (row.at("peer") == true) continue;
    if (row.contains("parts") && row.at("parts").is_array()) rename_parts(row);
    if (row.value("device", json()) != "cpu") continue;
    rename_format(row);
    rename_series(row);
  }
}

}  // namespace gossamer::cli
