// SPDX-License-Identifier: BSD-3-Clause
// Results go to stdout, all else to stderr.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gossamer::cli {

/// Shown when it is much, or at flush_output(). Throws std::runtime_error where stdout takes no more (a full disk).
void print(std::string_view text);
void flush_output();

/// A line for people, on stderr.
void note(std::string_view line);

/// One line whatever stands in the object; bytes that are no UTF-8 (in file names) are replaced, Inf and NaN
/// are null.
std::string to_line(const nlohmann::ordered_json& object);

/// write() with what was printed before it already on stdout. A file that cannot be written after the work is a
/// failed run, as stdout is: throws std::runtime_error.
void write_output(const std::function<void()>& write);
/// The text is the whole file.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace gossamer::cli
