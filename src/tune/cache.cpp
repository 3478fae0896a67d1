// SPDX-License-Identifier: BSD-3-Clause
#include "tune/cache.hpp"

#include <nlohmann/json.hpp>

#include "core/fail.hpp"
#include "tune/store.hpp"

namespace gossamer::inline v0::tuning {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

json to_json(const trial& t) {
  json options = json::array();
  for (const auto& [name, text] : t.expected.setting.options) options.push_back({name, text});
  json object = {{"format", t.expected.setting.format},
                 {"options", options},
                 {"by_default", t.expected.by_default},
                 {"bytes", t.expected.bytes},
                 {"predicted_seconds", t.expected.seconds},
                 {"refusal", t.expected.refusal},
                 {"note", t.note}};
  if (t.measured()) {
    object["inspect_seconds"] = t.inspect_seconds;
    object["multiply_seconds"] = t.multiply_seconds;
  }
  return object;
}

double number_of(const json& object, const char* name) {
  const auto number = object.at(name).get<double>();
  if (!(number >= 0)) fail(errc::parse_error, "cache: {} = {} is negative", std::string_view(name), number);
  return number;
}

/// Converting another number than a whole one of that range would be undefined.
std::int64_t whole_number_of(const json& object, const char* name) {
  const json& number = object.at(name);
  if (!number.is_number_integer() || number.get<std::int64_t>() < 0)
    fail(errc::parse_error, "cache: {} is not a non-negative integer", std::string_view(name));
  return number.get<std::int64_t>();
}

bool bool_of(const json& object, const char* name) {
  return object.at(name).get_ref<const bool&>();
}

trial trial_of(const json& object) {
  trial t{.expected = {.setting = {.format = object.at("format").get<std::string>(), .options = {}},
                       .by_default = bool_of(object, "by_default"),
                       .bytes = whole_number_of(object, "bytes"),
                       .seconds = number_of(object, "predicted_seconds"),
                       .refusal = object.at("refusal").get<std::string>()},
          .note = object.at("note").get<std::string>()};
  for (const json& option : object.at("options"))
    t.expected.setting.options.emplace_back(option.at(0).get<std::string>(), option.at(1).get<std::string>());
  if (object.contains("multiply_seconds")) {
    t.inspect_seconds = number_of(object, "inspect_seconds");
    t.multiply_seconds = number_of(object, "multiply_seconds");
  }
  return t;
}

cache_entry entry_of(const json& object) {
  cache_entry entry{.calls = number_of(object, "calls"),
                    .budget_seconds = number_of(object, "budget_seconds"),
                    .result = {}};
  for (const json& each : object.at("trials")) entry.result.trials.push_back(trial_of(each));
  entry.result.chosen = static_cast<std::size_t>(whole_number_of(object, "chosen"));
  entry.result.complete = bool_of(object, "complete");
  entry.result.from_cache = true;
  if (entry.result.chosen >= entry.result.trials.size() ||
      !entry.result.trials[entry.result.chosen].measured())
    fail(errc::parse_error, "cache: chosen = {} was not measured", entry.result.chosen);
  return entry;
}

json members_of(const cache_entry& entry) {
  json trials = json::array();
  for (const trial& t : entry.result.trials) trials.push_back(to_json(t));
  return {{"calls", entry.calls},
          {"budget_seconds", entry.budget_seconds},
          {"complete", entry.result.complete},
          {"chosen", entry.result.chosen},
          {"trials", trials}};
}

std::optional<cache_entry> entry_if_valid(const std::optional<json>& kept) noexcept {
  if (!kept) return {};
  try {
    return entry_of(*kept);
  } catch (...) {
    return {};
  }
}

}  // namespace

std::optional<cache_entry> parse_cache(std::string_view text, std::string_view key) noexcept {
  return entry_if_valid(parse_kept(text, key));
}

std::string cache_text(std::string_view key, const cache_entry& entry) {
  return kept_text(key, members_of(entry));
}

std::optional<cache_entry> read_cache(const fs::path& folder, std::string_view key) noexcept {
  return entry_if_valid(read_kept(folder, key));
}

void write_cache(const fs::path& folder, std::string_view key, const cache_entry& entry) noexcept {
  try {
    keep(folder, key, members_of(entry));
  } catch (...) {
    // Not kept.
  }
}

}  // namespace gossamer::inline v0::tuning
