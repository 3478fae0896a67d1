// SPDX-License-Identifier: BSD-3-Clause
// What the names of formats and options mean in a description that an older version wrote.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "gossamer/formats.hpp"

namespace gossamer::inline v0::plans {

/// Written as "schema". Text without one is of schema 1, in which "csr" on a CPU is what is pattern_csr now.
inline constexpr int schema = 2;

/// What a format is called now.
inline std::string format_of_schema(std::string name, device_set kind, std::int64_t written) {
  return written == 1 && kind == device_set::cpu && name == "csr" ? "pattern_csr" : name;
}

/// What an option of a format and its value are called now.
inline std::pair<std::string, std::string> option_of_schema(std::string_view format, std::string name,
                                                            std::string value, std::int64_t written) {
  if (written == 1 && format == "packed") {
    if (name == "column_repeats") name = "elided_deltas";
    if (name == "warps_on_diagonals" && value == "as_said") value = "fixed";
    if (name == "warps_on_diagonals" && value == "more") value = "scaled";
  }
  return {std::move(name), std::move(value)};
}

}  // namespace gossamer::inline v0::plans
