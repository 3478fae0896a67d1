// SPDX-License-Identifier: BSD-3-Clause
// Parses arbitrary bytes as a plan description. An accepted description must survive a round trip through
// describe(). A rejected one must give a one-line error.
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "fuzz/target.hpp"
#include "gossamer/error.hpp"
#include "plans/describe.hpp"

namespace gossamer::fuzz {
namespace {

std::string described_again(const plans::described& read) {
  const auto* host = std::get_if<cpu>(&read.where);
  plans::plan_facts transposed;
  if (read.transposed) {
    transposed.format = read.transposed->format;
    transposed.options = read.transposed->options;
  }
  return plans::describe({.format = read.options.format,
                          .options = read.options.options,
                          .where = read.where,
                          .level = host != nullptr ? host->level : isa::automatic,
                          .offset_type = "int64",
                          .values_change = read.options.values_change,
                          .copy = read.options.copy,
                          .memory_limit = read.options.memory_limit},
                         "f64", 0, 0, {},
                         {.operations = read.options.operations,
                          .symmetric = read.options.symmetric == symmetry::check,
                          .transposed = read.transposed ? &transposed : nullptr});
}

std::optional<plans::described> read(const std::string& text) {
  try {
    return plans::parse_description(text, "f64");
  } catch (const error& problem) {
    const std::string message = problem.what();
    if (problem.code() != errc::invalid_argument && problem.code() != errc::parse_error)
      found("an unexpected error: " + message);
    if (message.empty() || message.find('\n') != std::string::npos) found("not one line: " + message);
    return {};
  }
}

/// Most texts are not JSON: throwing takes most of a run, so that only some of these are refused in full.
bool is_worth_reading(const std::string& text) {
  return text.size() % 16 == 0 || nlohmann::json::accept(text);
}

void check(const std::string& text) {
  if (!is_worth_reading(text)) return;
  const std::optional<plans::described> given = read(text);
  if (!given) return;
  const std::string once = described_again(*given);
  const std::optional<plans::described> again = read(once);
  if (!again) found("a description is not read back: " + once);
  const std::string twice = described_again(*again);
  if (once != twice) found("a description is read back as another: " + once + " and " + twice);
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gossamer::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
