// SPDX-License-Identifier: BSD-3-Clause
#include "plans/describe.hpp"

#include "core/json.hpp"
#include "plans/schema.hpp"

namespace gossamer::inline v0::plans {
namespace {

/// Returns the member. Throws invalid_argument if it is missing or its type is not T.
template <class T>
const T& required(const json& object, std::string_view name, std::string_view kind) {
  const json* const member = object.find(name);
  if (member == nullptr) fail(errc::invalid_argument, "description: missing \"{}\"", name);
  const T* const value = member->get_if<T>();
  if (value == nullptr)
    fail(errc::invalid_argument, "description: {} = {} is not {}", name, member->one_line(), kind);
  return *value;
}

const std::string& string_member(const json& object, std::string_view name) {
  return required<std::string>(object, name, "a string");
}

bool optional_flag(const json& object, std::string_view name) {
  return object.find(name) != nullptr && required<bool>(object, name, "true or false");
}

int optional_threads(const json& object) {
  const json* const threads = object.find("threads");
  if (threads == nullptr) return 0;
  const std::optional<std::int64_t> number = threads->integer();
  if (!number || *number < 0 || *number > 1 << 20)
    fail(errc::invalid_argument, "description: threads = {} is not an integer from 0 to 1048576",
         threads->one_line());
  return static_cast<int>(*number);
}

json options_object(const option_texts& options) {
  json::object object;
  for (const auto& [key, text] : options) object.emplace_back(key, text);
  return json(std::move(object));
}

/// The members "format" and "options", translated from schema `written` to current names.
format_setting setting_of(const json& object, device_set kind, std::int64_t written) {
  format_setting setting;
  setting.format = format_of_schema(string_member(object, "format"), kind, written);
  for (const auto& [key, option] : required<json::object>(object, "options", "an object")) {
    const auto* const its_text = option.get_if<std::string>();
    if (its_text == nullptr)
      fail(errc::invalid_argument, "description: option {} = {} is not a string", key, option.one_line());
    setting.options.push_back(option_of_schema(setting.format, key, *its_text, written));
  }
  return setting;
}

/// "operations" is optional; the default is forward.
void read_operations(const json& object, device_set kind, std::int64_t written, described& to) {
  if (object.find("operations") == nullptr) return;
  to.options.operations = parse_operations(string_member(object, "operations"));
  if (to.options.operations != operation_set::both) return;
  if (optional_flag(object, "symmetric")) to.options.symmetric = symmetry::check;
  if (const json* const transposed = object.find("transposed")) {
    static_cast<void>(required<json::object>(object, "transposed", "an object"));
    to.transposed = setting_of(*transposed, kind, written);
  }
}

std::int64_t schema_of(const json& object) {
  const json* const written = object.find("schema");
  if (written == nullptr) return 1;
  const std::optional<std::int64_t> number = written->integer();
  if (!number || *number < 1 || *number > schema)
    fail(errc::invalid_argument, "description: schema = {} is not an integer from 1 to {}",
         written->one_line(), schema);
  return *number;
}

}  // namespace

std::string describe(const plan_facts& facts, std::string_view value_type, std::int64_t bytes,
                     double inspect_seconds, const std::optional<rounding_error>& rounding,
                     const described_operations& products) {
  json::object object = json_object({{"schema", schema},
                                     {"format", facts.format},
                                     {"options", options_object(facts.options)},
                                     {"device", name(facts.where)}});
  if (const auto* host = std::get_if<cpu>(&facts.where)) {
    object.emplace_back("isa", name(facts.level));
    object.emplace_back("threads", host->threads);
  } else {
    object.emplace_back("compute_capability", facts.device_capability);
    if (facts.memory_limit) object.emplace_back("memory_limit", *facts.memory_limit);
  }
  object.emplace_back("value", value_type);
  object.emplace_back("offset", facts.offset_type);
  object.emplace_back("rows", facts.rows);
  object.emplace_back("cols", facts.cols);
  object.emplace_back("nnz", facts.nnz);
  object.emplace_back("values_change", facts.values_change);
  object.emplace_back("copy", facts.copy);
  if (facts.reorder != reordering::none) object.emplace_back("reorder", name(facts.reorder));
  object.emplace_back("operations", name(products.operations));
  if (products.operations == operation_set::both) object.emplace_back("symmetric", products.symmetric);
  if (products.transposed != nullptr)
    object.emplace_back("transposed",
                        json_object({{"format", products.transposed->format},
                                     {"options", options_object(products.transposed->options)}}));
  object.emplace_back("deterministic", facts.deterministic && (products.transposed == nullptr ||
                                                               products.transposed->deterministic));
  object.emplace_back("bytes", bytes);
  object.emplace_back("inspect_seconds", inspect_seconds);
  if (rounding)
    object.emplace_back("rounding", json_object({{"to", rounding->to},
                                                 {"changed", rounding->changed},
                                                 {"to_zero", rounding->to_zero},
                                                 {"largest_relative", rounding->largest_relative},
                                                 {"largest_absolute", rounding->largest_absolute},
                                                 {"largest_row_sum", rounding->largest_row_sum}}));
  return json(std::move(object)).one_line();
}

described parse_description(const std::string& text, std::string_view value_type) {
  const json object = parse_json("description", text);
  if (object.get_if<json::object>() == nullptr)
    fail(errc::invalid_argument, "description: not a JSON object");
  const std::string& its_type = string_member(object, "value");
  if (its_type != value_type)
    fail(errc::invalid_argument, "description: value = \"{}\", the matrix has {}", its_type, value_type);
  described result{.where = parse_resource(string_member(object, "device")), .options = {}, .transposed = {}};
  if (auto* host = std::get_if<cpu>(&result.where)) {
    host->level = parse_isa(string_member(object, "isa"));
    host->threads = optional_threads(object);
  }
  const device_set kind = std::holds_alternative<cpu>(result.where) ? device_set::cpu : device_set::cuda;
  const std::int64_t written = schema_of(object);
  format_setting setting = setting_of(object, kind, written);
  result.options.format = std::move(setting.format);
  result.options.options = std::move(setting.options);
  read_operations(object, kind, written, result);
  result.options.values_change = optional_flag(object, "values_change");
  result.options.copy = optional_flag(object, "copy");
  if (object.find("reorder") != nullptr)
    result.options.reorder = parse_reordering(string_member(object, "reorder"));
  if (const json* const limit = object.find("memory_limit")) {
    result.options.memory_limit = limit->integer();
    if (!result.options.memory_limit)
      fail(errc::invalid_argument, "description: memory_limit = {} is not a number of bytes",
           limit->one_line());
  }
  return result;
}

}  // namespace gossamer::inline v0::plans
