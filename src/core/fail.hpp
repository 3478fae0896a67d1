// SPDX-License-Identifier: BSD-3-Clause
// Errors with formatted messages. No formatting library in this header: it reaches device code, where none
// compiles.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "gossamer/error.hpp"
#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// One value of a message.
class message_argument {
 public:
  template <std::signed_integral T>
  message_argument(T v) : value_(static_cast<std::int64_t>(v)) {}  // NOLINT(google-explicit-constructor)
  template <std::unsigned_integral T>
  message_argument(T v) : value_(static_cast<std::uint64_t>(v)) {}  // NOLINT(google-explicit-constructor)
  template <std::floating_point T>
  message_argument(T v) : value_(static_cast<double>(v)) {}  // NOLINT(google-explicit-constructor)
  template <std::convertible_to<std::string_view> T>
  message_argument(const T& v) : value_(std::string_view(v)) {}  // NOLINT(google-explicit-constructor)
  message_argument(char v) : value_(v) {}                        // NOLINT(google-explicit-constructor)

  using any = std::variant<std::int64_t, std::uint64_t, double, std::string_view, char>;
  [[nodiscard]] const any& get() const noexcept { return value_; }

 private:
  any value_;
};

/// The text with each {} replaced; std::format's syntax.
GOSSAMER_API std::string message(std::string_view text, std::initializer_list<message_argument> arguments);

/// Throws gossamer::error with that message.
template <class... Args>
[[noreturn]] void fail(errc code, std::string_view text, const Args&... args) {
  throw error(code, message(text, {message_argument(args)...}));
}

}  // namespace gossamer::inline v0
