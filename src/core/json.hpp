// SPDX-License-Identifier: BSD-3-Clause
// JSON values that are destroyed without allocating. Destructors of nlohmann-json allocate, which ends a
// process that is out of memory.
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

  // Not copyable: if copying a variant of strings and vectors throws, libstdc++ 12 destroys a value that was
  // not made.
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

  /// The value if it is a bool, std::string, array or object; else null.
  template <class T>
  [[nodiscard]] const T* get_if() const noexcept {
    return std::get_if<T>(&value_);
  }
  /// Any number.
  [[nodiscard]] std::optional<double> number() const noexcept;
  /// A number without fraction or exponent in the text, in the range of the type.
  [[nodiscard]] std::optional<std::int64_t> whole_number() const noexcept;
  /// The member of an object; null if it has none, or is none.
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

/// json::object and json::array with these elements, which are moved: an initializer_list copies.
template <std::size_t size>
json::object json_object(json::member (&&members)[size]) {
  return {std::make_move_iterator(std::begin(members)), std::make_move_iterator(std::end(members))};
}
template <std::size_t size>
json::array json_array(json (&&values)[size]) {
  return {std::make_move_iterator(std::begin(values)), std::make_move_iterator(std::end(values))};
}

/// Of members with one name the last counts. Throws parse_error, which begins with `name`, if the text is not
/// JSON or has more than `deepest` levels: printing and destroying a value recurse.
json parse_json(std::string_view name, std::string_view text, int deepest = 8);

}  // namespace gossamer::inline v0
