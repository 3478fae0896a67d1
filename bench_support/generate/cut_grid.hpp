// SPDX-License-Identifier: BSD-3-Clause
// A five-point grid of which some links are cut: domains with holes and ragged edges.
#pragma once

#include <array>
#include <string>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

/// Links along x are cut at even distances, in both directions, until the wanted number of entries is left.
class cut_grid final : public pattern {
 public:
  static constexpr std::string_view name = "cut_grid";
  static constexpr std::string_view help =
      "a five-point grid, x fastest, whose last line may be short, with links along x cut at even distances";
  static constexpr std::array<generator_parameter, 3> parameters{{
      {"rows", "", "number of nodes"},
      {"nx", "1000", "nodes along x"},
      {"entries", "all", "entries that are left; all: nothing is cut"},
  }};

  explicit cut_grid(const arguments& given)
      : pattern{given.dimension("rows"), given.dimension("rows")}, nx_(given.dimension("nx", 1)) {
    links_ = rows - (rows + nx_ - 1) / nx_;
    const std::int64_t all = rows + 2 * (links_ + std::max<std::int64_t>(rows - nx_, 0));
    if (given.text("entries") == "all") return;
    const std::int64_t wanted = given.whole("entries", 0, all);
    if ((all - wanted) % 2 != 0) given.reject("entries", "is not rows plus twice a number of links");
    cut_ = (all - wanted) / 2;
    if (cut_ > links_)
      given.reject("entries", "needs more than the " + std::to_string(links_) + " links along x cut");
  }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    return 1 + (row >= nx_) + linked(row - 1) + linked(row) + (row + nx_ < rows);
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    std::int32_t* out = columns.data();
    if (row >= nx_) *out++ = static_cast<std::int32_t>(row - nx_);
    if (linked(row - 1)) *out++ = static_cast<std::int32_t>(row - 1);
    *out++ = static_cast<std::int32_t>(row);
    if (linked(row)) *out++ = static_cast<std::int32_t>(row + 1);
    if (row + nx_ < rows) *out = static_cast<std::int32_t>(row + nx_);
  }

 private:
  /// Whether a node is linked with the next one.
  [[nodiscard]] bool linked(std::int64_t node) const {
    if (node < 0 || node + 1 >= rows || (node + 1) % nx_ == 0) return false;
    const std::int64_t number = node - node / nx_;
    return (number + 1) * cut_ / links_ == number * cut_ / links_;
  }

  std::int64_t nx_;
  std::int64_t links_ = 0;
  std::int64_t cut_ = 0;
};

}  // namespace gossamer::bench_support::generation
