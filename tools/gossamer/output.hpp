// SPDX-License-Identifier: BSD-3-Clause
// Results go to stdout, all else to stderr; files appear whole or not at all.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gossamer::cli {

/// Throws std::system_error where stdout takes no more (a full disk).
void print(std::string_view text);
void flush_output();

/// A line for people, on stderr.
void note(std::string_view line);

/// One line whatever stands in the object; bytes that are no UTF-8 (in file names) are replaced, Inf and NaN
/// are null.
std::string to_line(const nlohmann::ordered_json& object);

/// Throws usage_error where it is clear before the work that the file cannot be written. An empty name is
/// none.
void check_output(const std::filesystem::path& file);

/// Writes beside the place and renames; where something other than a file stands there, writes into it.
/// Throws usage_error that names the file.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace gossamer::cli
