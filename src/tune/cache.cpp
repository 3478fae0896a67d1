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

trial trial_of(const json& object) {
  trial t{.expected = {.setting = {.format = object.at("format").get<std::string>(), .options = {}},
                       .by_default = object.at("by_default").get<bool>(),
                       .bytes = object.at("bytes").get<std::int64_t>(),
                       .seconds = object.at("predicted_seconds").get<double>(),
                       .refusal = object.at("refusal").get<std::string>()},
          .note = object.at("note").get<std::string>()};
  for (const json& option : object.at("options"))
    t.expected.setting.options.emplace_back(option.at(0).get<std::string>(), option.at(1).get<std::string>());
  if (object.contains("multiply_seconds")) {
    t.inspect_seconds = object.at("inspect_seconds").get<double>();
    t.multiply_seconds = object.at("multiply_seconds").get<double>();
  }
  return t;
}

cache_entry entry_of(const json& object) {
  cache_entry entry{.calls = object.at("calls").get<double>(),
                    .budget_seconds = object.at("budget_seconds").get<double>(),
                    .result = {}};
  for (const json& each : object.at("trials")) entry.result.trials.push_back(trial_of(each));
  entry.result.chosen = object.at("chosen").get<std::size_t>();
  entry.result.complete = object.at("complete").get<bool>();
  entry.result.from_cache = true;
  if (entry.result.chosen >= entry.result.trials.size() ||
      !entry.result.trials[entry.result.chosen].measured())
    fail(errc::parse_error, "cache: chosen = {} was not measured", entry.result.chosen);
  return entry;
}

}  // namespace

std::optional<cache_entry> read_cache(const fs::path& folder, const std::string& key) {
  const std::optional<json> kept = read_kept(folder, key);
  if (!kept) return {};
  try {
    return entry_of(*kept);
  } catch (const json::exception&) {
    return {};
  } catch (const error&) {
    return {};
  }
}

void write_cache(const fs::path& folder, const std::string& key, const cache_entry& entry) noexcept {
  try {
    json trials = json::array();
    for (const trial& t : entry.result.trials) trials.push_back(to_json(t));
    keep(folder, key,
         {{"calls", entry.calls},
          {"budget_seconds", entry.budget_seconds},
          {"complete", entry.result.complete},
          {"chosen", entry.result.chosen},
          {"trials", trials}});
  } catch (...) {
    // Not kept.
  }
}

}  // namespace gossamer::inline v0::tuning
