// SPDX-License-Identifier: BSD-3-Clause
// JSON values whose destructors do not allocate. nlohmann::json allocates in its destructor, so an allocation
// failure there calls std::terminate.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gossamer::inline v0 {

class json {
 public:
  using array = std::vector<json>;
  using member = std::pair<std::string, json>;
  using object = std::vector<member>;  ///< in the order of the text

  // Not copyable: libstdc++ 12 destroys an unconstructed alternative if copying the variant throws.
  json(json&&) noexcept = default;
  json& operator=(json&&) noexcept = default;
  json(const json&) = delete;
  json& operator=(const json&) = delete;
  ~json() = default;

  // NOLINTBEGIN(google-explicit-constructor): so that members are written as {"name", value}.
  json() = default;  // null
  json(array values) : value_(std::move(values)) {}
  json(object members) : value_(std::move(members)) {}
  json(std::same_as<bool> auto truth) : value_(truth) {}
  json(std::floating_point auto number) : value_(double{number}) {}
  template <std::convertible_to<std::string_view> Text>
  json(const Text& text) : value_(std::string(std::string_view(text))) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) json(Number number) {
    if (std::in_range<std::int64_t>(number))
      value_ = static_cast<std::int64_t>(number);
    else
      value_ = static_cast<std::uint64_t>(number);
  }
  template <class T>
  json(const std::optional<T>& value) {
    if (value) *this = json(*value);  // else null
  }
  // NOLINTEND(google-explicit-constructor)

  /// A pointer to the value if its type is T, else nullptr. For numbers: number() and integer().
  template <class T>
  [[nodiscard]] const T* get_if() const noexcept {
    return std::get_if<T>(&value_);
  }
  /// The value of any JSON number, converted to double; else nullopt.
  [[nodiscard]] std::optional<double> number() const noexcept;
  /// The value if it is an integer that fits int64; else nullopt. 7.0 is not an integer.
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
  /// The member of that name; nullptr if there is none, or this value is not an object.
  [[nodiscard]] const json* find(std::string_view name) const noexcept;

  /// On one line, or each level indented by one space. Bytes that are not UTF-8 are replaced; a number that
  /// is not finite becomes null.
  [[nodiscard]] std::string one_line() const;
  [[nodiscard]] std::string indented() const;

 private:
  friend class json_reader;
  void append_to(std::string& text, std::optional<int> level) const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, array, object> value_;
};

/// Builds an object or array by moving the elements; std::initializer_list would copy them.
template <std::size_t size>
json::object json_object(json::member (&&members)[size]) {
  return {std::make_move_iterator(std::begin(members)), std::make_move_iterator(std::end(members))};
}
template <std::size_t size>
json::array json_array(json (&&values)[size]) {
  return {std::make_move_iterator(std::begin(values)), std::make_move_iterator(std::end(values))};
}

/// Parses JSON. If a key is repeated, its last value is kept. Throws parse_error, prefixed with `source`, if
/// the text is invalid or nested deeper than max_depth. The limit bounds the recursion of printing and
/// destruction.
json parse_json(std::string_view source, std::string_view text, int max_depth = 8);

}  // namespace gossamer::inline v0
