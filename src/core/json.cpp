// SPDX-License-Identifier: BSD-3-Clause
#include "core/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/fail.hpp"

namespace gossamer::inline v0 {
namespace {

/// JSON text of a scalar. nlohmann::json destroys scalars without allocating.
template <class T>
std::string scalar_text(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void begin_line(std::string& text, int level) {
  text += '\n';
  text.append(static_cast<std::size_t>(level), ' ');
}

}  // namespace

std::optional<double> json::number() const noexcept {
  if (const auto* real = get_if<double>()) return *real;
  if (const auto* whole = get_if<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* large = get_if<std::uint64_t>()) return static_cast<double>(*large);
  return {};
}

std::optional<std::int64_t> json::integer() const noexcept {
  const auto* whole = get_if<std::int64_t>();
  return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

const json* json::find(std::string_view name) const noexcept {
  const auto* members = get_if<object>();
  if (members == nullptr) return nullptr;
  const auto found =
      std::find_if(members->begin(), members->end(), [&](const auto& each) { return each.first == name; });
  return found != members->end() ? &found->second : nullptr;
}

std::string json::one_line() const {
  std::string text;
  append_to(text, {});
  return text;
}

std::string json::indented() const {
  std::string text;
  append_to(text, 0);
  return text;
}

void json::append_to(std::string& text, std::optional<int> level) const {
  const auto inner = level ? std::optional(*level + 1) : std::nullopt;
  const auto append_all = [&](const auto& values, char open, char close, const auto& append) {
    text += open;
    for (const auto& each : values) {
      if (&each != &values.front()) text += ',';
      if (inner) begin_line(text, *inner);
      append(each);
    }
    if (level && !values.empty()) begin_line(text, *level);
    text += close;
  };
  if (const auto* values = get_if<array>()) {
    append_all(*values, '[', ']', [&](const json& each) { each.append_to(text, inner); });
  } else if (const auto* members = get_if<object>()) {
    append_all(*members, '{', '}', [&](const auto& each) {
      text += scalar_text(each.first);
      text += level ? ": " : ":";
      each.second.append_to(text, inner);
    });
  } else {
    std::visit(
        [&](const auto& scalar) {
          using type = std::decay_t<decltype(scalar)>;
          if constexpr (std::is_same_v<type, std::monostate>)
            text += "null";
          else if constexpr (!std::is_same_v<type, array> && !std::is_same_v<type, object>)
            text += scalar_text(scalar);
        },
        value_);
  }
}

/// Builds the value from what nlohmann's parser reports.
class json_reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  json_reader(std::string_view source, int max_depth) : source_(source), max_depth_(max_depth) {}

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // JSON text has no binary values
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto& members = std::get<json::object>(open_.back()->value_);
    const auto existing =
        std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.first == name; });
    member_ =
        existing != members.end() ? &existing->second : &members.emplace_back(std::move(name), json()).second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& problem) override {
    fail(errc::parse_error, "{}: {}", source_, std::string_view(problem.what()));
  }

  json result;

 private:
  json& next_slot() {
    if (open_.empty()) return result;
    auto* values = std::get_if<json::array>(&open_.back()->value_);
    return values != nullptr ? values->emplace_back() : *member_;
  }
  bool put(json value) {
    next_slot() = std::move(value);
    return true;
  }
  bool open(json value) {
    if (static_cast<int>(open_.size()) == max_depth_)
      fail(errc::parse_error, "{}: JSON nesting exceeds {} levels", source_, max_depth_);
    json& here = next_slot();
    here = std::move(value);
    open_.push_back(&here);  // stays valid: its parent does not grow while it is open
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view source_;
  int max_depth_;
  std::vector<json*> open_;
  json* member_ = nullptr;  ///< value of the most recent key
};

json parse_json(std::string_view source, std::string_view text, int max_depth) {
  json_reader reader(source, max_depth);
  nlohmann::json::sax_parse(text, &reader);
  return std::move(reader.result);
}

}  // namespace gossamer::inline v0
