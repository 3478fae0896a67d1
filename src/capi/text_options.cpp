// SPDX-License-Identifier: BSD-3-Clause
#include "capi/text_options.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "capi/status.hpp"

namespace gossamer::inline v0::capi {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// The pairs of a text, each taken once by its key.
class text_options {
 public:
  explicit text_options(const char* options) {
    if (options == nullptr) return;
    std::string_view rest = trimmed(options);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      add(trimmed(rest.substr(0, end)));
      rest = end == rest.size() ? std::string_view() : rest.substr(end + 1);
    }
  }

  std::optional<std::string> take(std::string_view key) {
    const auto found = find(key);
    if (found == pairs_.end()) return {};
    std::string value = std::move(found->second);
    pairs_.erase(found);
    return value;
  }

  template <class Number>
  void take_number(std::string_view key, Number& to) {
    if (const auto text = take(key)) to = number<Number>(key, *text);
  }

  void take_flag(std::string_view key, bool& to) {
    if (const auto text = take(key)) to = word<bool>(key, *text, {{"0", false}, {"1", true}});
  }

  /// The value of a word.
  template <class T>
  static T word(std::string_view key, std::string_view text,
                std::initializer_list<std::pair<std::string_view, T>> words) {
    std::string known;
    for (const auto& [name, value] : words) {
      if (text == name) return value;
      known.append(known.empty() ? "" : ", ").append(name);
    }
    fail(errc::invalid_argument, "options: {} is \"{}\"; it must be one of {}", key, text, known);
  }

  template <class Number>
  static Number number(std::string_view key, std::string_view text) {
    Number to{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (problem != std::errc() || end != text.data() + text.size())
      fail(errc::invalid_argument, "options: {} is \"{}\", which is not a number or is too large", key, text);
    return to;
  }

  [[nodiscard]] option_texts rest() && { return std::move(pairs_); }

 private:
  [[nodiscard]] option_texts::iterator find(std::string_view key) {
    return std::find_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first == key; });
  }

  void add(std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      fail(errc::invalid_argument, "options: \"{}\" is not of the form key=value", item);
    const std::string_view key = trimmed(item.substr(0, equals));
    if (find(key) != pairs_.end()) fail(errc::invalid_argument, "options: {} is given twice", key);
    pairs_.emplace_back(key, trimmed(item.substr(equals + 1)));
  }

  option_texts pairs_;
};

/// The resource, with the options that belong to it.
resource take_resource(const char* where, text_options& text) {
  require(where, "where");
  resource to = parse_resource(where);
  auto* const cores = std::get_if<cpu>(&to);
  for (const std::string_view key : {"threads", "isa"}) {
    const auto value = text.take(key);
    if (!value) continue;
    if (cores == nullptr)
      fail(errc::invalid_argument, "options: {} is for CPUs; where is \"{}\"", key, where);
    if (key == "isa")
      cores->level = parse_isa(*value);
    else
      cores->threads = text_options::number<int>(key, *value);
  }
  return to;
}

}  // namespace

inspect_request parse_inspect_request(const char* where, const char* options) {
  text_options text(options);
  inspect_request to{.where = take_resource(where, text), .options = {}};
  inspect_options& o = to.options;
  if (auto format = text.take("format")) o.format = std::move(*format);
  text.take_number("calls", o.calls);
  text.take_flag("values_change", o.values_change);
  text.take_flag("copy", o.copy);
  text.take_number("vectors", o.vectors);
  if (const auto memory = text.take("memory"))
    o.memory = text.word<matrix_memory>(
        "memory", *memory,
        {{"auto", matrix_memory::automatic}, {"caller_arrays", matrix_memory::caller_arrays}});
  if (const auto limit = text.take("memory_limit"); limit && *limit != "none")
    o.memory_limit = text.number<std::int64_t>("memory_limit", *limit);
  if (const auto order = text.take("reorder")) o.reorder = parse_reordering(*order);
  if (const auto operations = text.take("operations")) o.operations = parse_operations(*operations);
  if (const auto symmetric = text.take("symmetric"))
    o.symmetric = text.word<symmetry>("symmetric", *symmetric,
                                      {{"unknown", symmetry::unknown}, {"check", symmetry::check}});
  o.options = std::move(text).rest();
  if (!o.options.empty() && (o.format == "auto" || o.format == "tuned"))
    fail(errc::invalid_argument, "options: unknown key \"{}\"; options of a format need format=NAME",
         o.options.front().first);
  return to;
}

tune_request parse_tune_request(const char* where, const char* options) {
  text_options text(options);
  tune_request to{.where = take_resource(where, text), .options = {}};
  text.take_number("calls", to.options.calls);
  text.take_number("budget", to.options.budget_seconds);
  text.take_flag("values_change", to.options.values_change);
  text.take_flag("cache", to.options.use_cache);
  if (const auto product = text.take("operations")) to.options.product = parse_operation(*product);
  const option_texts rest = std::move(text).rest();
  if (!rest.empty()) fail(errc::invalid_argument, "options: unknown key \"{}\"", rest.front().first);
  return to;
}

std::string text_of(const option_texts& options) {
  std::string text;
  for (const auto& [key, value] : options)
    text.append(text.empty() ? "" : ", ").append(key).append("=").append(value);
  return text;
}

}  // namespace gossamer::inline v0::capi
