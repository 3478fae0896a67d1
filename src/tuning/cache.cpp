// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/cache.hpp"

#include "core/fail.hpp"
#include "core/json.hpp"
#include "tuning/store.hpp"

namespace gossamer::inline v0::tuning {
namespace {

namespace fs = std::filesystem;

json to_json(const measurement& t) {
  json::array options;
  for (const auto& [name, text] : t.expected.setting.options) options.emplace_back(json_array({name, text}));
  json::object object = json_object({{"format", t.expected.setting.format},
                                     {"options", std::move(options)},
                                     {"by_default", t.expected.by_default},
                                     {"bytes", t.expected.bytes},
                                     {"predicted_seconds", t.expected.seconds},
                                     {"refusal", t.expected.refusal},
                                     {"note", t.note}});
  if (t.measured()) {
    object.emplace_back("inspect_seconds", t.inspect_seconds);
    object.emplace_back("multiply_seconds", t.multiply_seconds);
  }
  return object;
}

const json& required_member(const json& object, std::string_view name) {
  const json* const member = object.find(name);
  if (member == nullptr) fail(errc::parse_error, "cache: {} is missing", name);
  return *member;
}

template <class T>
const T& get_as(const json& value, std::string_view name) {
  const T* const found = value.get_if<T>();
  if (found == nullptr) fail(errc::parse_error, "cache: {} has the wrong JSON type", name);
  return *found;
}

template <class T>
const T& required(const json& object, std::string_view name) {
  return get_as<T>(required_member(object, name), name);
}

double number_of(const json& object, std::string_view name) {
  const std::optional<double> number = required_member(object, name).number();
  if (!number || !(*number >= 0)) fail(errc::parse_error, "cache: {} is not a non-negative number", name);
  return *number;
}

std::int64_t integer_of(const json& object, std::string_view name) {
  const std::optional<std::int64_t> number = required_member(object, name).integer();
  if (!number || *number < 0) fail(errc::parse_error, "cache: {} is not a non-negative integer", name);
  return *number;
}

std::pair<std::string, std::string> option_of(const json& option) {
  const auto& pair = get_as<json::array>(option, "options");
  if (pair.size() != 2)
    fail(errc::parse_error, "cache: an option has {} elements, expected 2 (name and value)", pair.size());
  return {get_as<std::string>(pair[0], "options"), get_as<std::string>(pair[1], "options")};
}

measurement measurement_of(const json& object) {
  measurement t{.expected = {.setting = {.format = required<std::string>(object, "format"), .options = {}},
                             .by_default = required<bool>(object, "by_default"),
                             .bytes = integer_of(object, "bytes"),
                             .seconds = number_of(object, "predicted_seconds"),
                             .refusal = required<std::string>(object, "refusal")},
                .note = required<std::string>(object, "note")};
  for (const json& option : required<json::array>(object, "options"))
    t.expected.setting.options.push_back(option_of(option));
  if (object.find("multiply_seconds") != nullptr) {
    t.inspect_seconds = number_of(object, "inspect_seconds");
    t.multiply_seconds = number_of(object, "multiply_seconds");
  }
  return t;
}

cache_entry entry_of(const json& object) {
  cache_entry entry{.calls = number_of(object, "calls"),
                    .budget_seconds = number_of(object, "budget_seconds"),
                    .result = {}};
  for (const json& each : required<json::array>(object, "measurements"))
    entry.result.measurements.push_back(measurement_of(each));
  entry.result.chosen = static_cast<std::size_t>(integer_of(object, "chosen"));
  entry.result.complete = required<bool>(object, "complete");
  entry.result.from_cache = true;
  if (entry.result.chosen >= entry.result.measurements.size() ||
      !entry.result.measurements[entry.result.chosen].measured())
    fail(errc::parse_error, "cache: chosen = {} was not measured", entry.result.chosen);
  return entry;
}

json::object members_of(const cache_entry& entry) {
  json::array measurements;
  for (const measurement& t : entry.result.measurements) measurements.push_back(to_json(t));
  return json_object({{"calls", entry.calls},
                      {"budget_seconds", entry.budget_seconds},
                      {"complete", entry.result.complete},
                      {"chosen", entry.result.chosen},
                      {"measurements", std::move(measurements)}});
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
