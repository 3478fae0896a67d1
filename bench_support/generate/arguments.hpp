// SPDX-License-Identifier: BSD-3-Clause
// A generator's parameters as the user gave them, checked against the list of what the generator knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/specification.hpp"

namespace gossamer::bench_support::generation {

class arguments {
 public:
  /// Throws where a parameter is unknown, given twice, or missing.
  arguments(const generator_info& generator, const specification& given);

  /// Its name, for messages.
  [[nodiscard]] std::string_view generator() const noexcept { return generator_.name; }

  [[nodiscard]] bool is_given(std::string_view parameter) const;
  /// As given, else the default.
  [[nodiscard]] std::string_view text(std::string_view parameter) const;

  /// A whole number in [least, most]. A default that names another parameter has that one's value.
  [[nodiscard]] std::int64_t whole(std::string_view parameter, std::int64_t least, std::int64_t most) const;
  /// A number of rows, columns or nodes, at least `least`; `unsupported` over the largest int32.
  [[nodiscard]] std::int64_t dimension(std::string_view parameter, std::int64_t least = 0) const;
  /// A number of entries in a row, at most cols.
  [[nodiscard]] std::int64_t entries(std::string_view parameter, std::int64_t cols) const;
  [[nodiscard]] double real(std::string_view parameter, double least, double most) const;
  [[nodiscard]] std::uint64_t seed() const;

  /// Throws invalid_argument: generate: GENERATOR: PARAMETER = "VALUE" REASON.
  [[noreturn]] void reject(std::string_view parameter, std::string_view reason) const;
  /// Throws `unsupported` where a number that follows from several parameters is no matrix dimension.
  void check_dimension(std::string_view what, std::int64_t size) const;

 private:
  [[nodiscard]] std::string_view default_of(std::string_view parameter) const;
  [[nodiscard]] const generator_parameter* find(std::string_view parameter) const;

  generator_info generator_;
  std::vector<assignment> given_;
};

}  // namespace gossamer::bench_support::generation
