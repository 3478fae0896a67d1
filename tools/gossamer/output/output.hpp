// SPDX-License-Identifier: BSD-3-Clause
// Results go to stdout, all else to stderr; tables too where a document goes to stdout.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gossamer::cli {

/// Buffers text for stdout until 64 KiB or flush_output(). Throws std::runtime_error if stdout cannot be
/// written.
void print(std::string_view text);
void flush_output();
/// From here on print() writes to stderr, so that the document on stdout is alone there.
void keep_stdout_for_document();

/// A line for people, on stderr.
void note(std::string_view line);
/// A note that is wrapped to 100 columns.
void remark(std::string_view text);

/// One line whatever stands in the object; bytes that are no UTF-8 (in file names) are replaced, Inf and NaN
/// are null.
std::string to_line(const nlohmann::ordered_json& object);

/// Flushes stdout, then calls write(). Turns its io_error into std::runtime_error, so that the exit status is
/// 1 (failed run) instead of 2 (bad usage).
void write_output(const std::function<void()>& write);
/// The text is the whole file.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace gossamer::cli
