// SPDX-License-Identifier: BSD-3-Clause
// A Markov chain of two populations: SuiteSparse's mc2depi.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

/// States (i, j) with i + j <= n, j fastest. A state has itself and up to three transitions: i rises, one of
/// i becomes one of j, j falls.
class epidemic final : public pattern {
 public:
  static constexpr std::string_view name = "epidemic";
  static constexpr std::string_view help =
      "a Markov chain on the states i + j <= n: the diagonal and up to three transitions";
  static constexpr std::array<generator_parameter, 1> parameters{{
      {"n", "", "the largest i + j"},
  }};

  explicit epidemic(const arguments& given) : epidemic(given, given.whole("n", 0, 1'000'000)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    const auto [i, j] = state_of(row);
    return 1 + (i > 0) + (j > 0) + (i + j < n_);
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    const auto [i, j] = state_of(row);
    std::int32_t* out = columns.data();
    if (i > 0) *out++ = static_cast<std::int32_t>(first_of(i - 1) + j + 1);
    if (j > 0) *out++ = static_cast<std::int32_t>(row - 1);
    *out++ = static_cast<std::int32_t>(row);
    if (i + j < n_) *out = static_cast<std::int32_t>(first_of(i + 1) + j);
  }

 private:
  struct state {
    std::int64_t i, j;
  };

  static std::int64_t size_of(const arguments& given, std::int64_t n) {
    given.check_dimension("(n + 1) (n + 2) / 2", (n + 1) * (n + 2) / 2);
    return (n + 1) * (n + 2) / 2;
  }
  epidemic(const arguments& given, std::int64_t n) : pattern{size_of(given, n), size_of(given, n)}, n_(n) {}

  [[nodiscard]] std::int64_t first_of(std::int64_t i) const { return i * (n_ + 1) - i * (i - 1) / 2; }
  [[nodiscard]] state state_of(std::int64_t row) const {
    std::int64_t low = 0;
    std::int64_t high = n_;
    while (low < high) {
      const std::int64_t i = (low + high + 1) / 2;
      if (first_of(i) <= row)
        low = i;
      else
        high = i - 1;
    }
    return {.i = low, .j = row - first_of(low)};
  }

  std::int64_t n_;
};

}  // namespace gossamer::bench_support::generation
