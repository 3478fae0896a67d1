// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include <nlohmann/json.hpp>

#include "core/json_nesting.hpp"

namespace gossamer::inline v0::detail {

using json = nlohmann::ordered_json;

std::string describe(const plan_facts& facts, std::string_view value_type, std::int64_t bytes,
                     double inspect_seconds, const std::optional<rounding_error>& rounding) {
  json options = json::object();
  for (const auto& [key, text] : facts.options) options[key] = text;
  json object = {{"format", facts.format}, {"options", options}, {"device", name(facts.where)}};
  if (const auto* host = std::get_if<cpu>(&facts.where)) {
    object["isa"] = name(facts.level);
    object["threads"] = host->threads;
  } else {
    object["compute_capability"] = facts.device_capability;
    if (facts.memory_limit) object["memory_limit"] = *facts.memory_limit;
  }
  object.update(json{{"value", value_type},
                     {"offset", facts.offset_type},
                     {"rows", facts.rows},
                     {"cols", facts.cols},
                     {"nnz", facts.nnz},
                     {"values_change", facts.values_change},
                     {"copy", facts.copy},
                     {"deterministic", facts.deterministic},
                     {"bytes", bytes},
                     {"inspect_seconds", inspect_seconds}});
  if (rounding)
    object["rounding"] = {{"to", rounding->to},
                          {"changed", rounding->changed},
                          {"to_zero", rounding->to_zero},
                          {"largest_relative", rounding->largest_relative},
                          {"largest_absolute", rounding->largest_absolute},
                          {"largest_of_a_row", rounding->largest_of_a_row}};
  return object.dump();
}

described parse_description(const std::string& text, std::string_view value_type) {
  constexpr int deepest = 8;  // describe() has two levels, and members that it does not have are passed over
  if (is_nested_deeper(text, deepest))
    fail(errc::parse_error, "description: it is nested in more than {} levels", deepest);
  try {
    const json object = json::parse(text);
    const auto its_type = object.at("value").get<std::string>();
    if (its_type != value_type)
      fail(errc::invalid_argument, "description: value = \"{}\", the matrix has {}", its_type, value_type);
    described result{.where = parse_resource(object.at("device").get<std::string>()), .options = {}};
    if (auto* host = std::get_if<cpu>(&result.where)) {
      host->level = parse_isa(object.at("isa").get<std::string>());
      const json threads = object.value("threads", json(0));
      if (!threads.is_number_integer() || threads.get<std::int64_t>() < 0 ||
          threads.get<std::int64_t>() > 1 << 20)
        fail(errc::invalid_argument, "description: threads = {} is not a number of threads", threads.dump());
      host->threads = threads.get<int>();
    }
    result.options.format = object.at("format").get<std::string>();
    for (const auto& [key, option] : object.at("options").items())
      result.options.options.emplace_back(key, option.get<std::string>());
    result.options.values_change = object.value("values_change", false);
    result.options.copy = object.value("copy", false);
    if (object.contains("memory_limit")) {
      const json& limit = object.at("memory_limit");
      if (!limit.is_number_integer())
        fail(errc::invalid_argument, "description: memory_limit = {} is not a number of bytes", limit.dump());
      result.options.memory_limit = limit.get<std::int64_t>();
    }
    return result;
  } catch (const json::parse_error& problem) {
    fail(errc::parse_error, "description: {}", problem.what());
  } catch (const json::exception& problem) {
    fail(errc::invalid_argument, "description: {}", problem.what());
  }
}

}  // namespace gossamer::inline v0::detail
