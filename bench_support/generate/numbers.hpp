// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people type them in a specification: 1000000, 1M, 1e6, 2.5k.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gossamer::bench_support::generation {

enum class number_status { ok, not_a_number, too_large };

struct whole_number {
  number_status status = number_status::not_a_number;
  std::int64_t value = 0;
};

/// [-]DIGITS[.DIGITS][e[+]DIGITS | k | M | G], where the result is whole; too_large over 2^63 - 1.
whole_number parse_whole(std::string_view text) noexcept;

/// A finite decimal number.
std::optional<double> parse_real(std::string_view text) noexcept;

}  // namespace gossamer::bench_support::generation
