// SPDX-License-Identifier: BSD-3-Clause
// Hopping of Wilson fermions on a periodic lattice: SuiteSparse's conf5_4-8x8.
#pragma once

#include <algorithm>
#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

/// A site has 4 spins of 3 colours. A spin is coupled with itself and one other spin of the six neighbours in
/// space, and with itself alone in time, forward (spins 0, 1) or backward (2, 3): Dirac's matrices in the
/// representation where the one of time is diagonal. That is 6 * 2 * 3 + 3 = 39 entries a row.
class wilson final : public pattern {
 public:
  static constexpr std::string_view name = "wilson";
  static constexpr std::string_view help =
      "the hopping matrix of lattice QCD on n^4 periodic sites, 12 rows each; 39 entries a row";
  static constexpr std::array<generator_parameter, 1> parameters{{
      {"n", "", "sites along each of four directions, at least 3"},
  }};

  explicit wilson(const arguments& given) : wilson(given, given.whole("n", 3, 116)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t) const override { return 39; }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    const std::int64_t site = row / 12;
    const std::int64_t spin = row % 12 / 3;
    std::array<block, 7> blocks{};
    std::size_t count = 0;
    std::int64_t step = 1;
    for (int direction = 0; direction < 4; ++direction, step *= n_) {
      const std::int64_t at = site / step % n_;
      const std::int64_t forward = site + (at + 1 < n_ ? step : step - step * n_);
      const std::int64_t backward = site - (at > 0 ? step : step - step * n_);
      if (direction == 3) {
        blocks[count++] = {.site = spin < 2 ? forward : backward, .partner = spin};
        continue;
      }
      const std::int64_t partner = direction == 2 ? (spin + 2) % 4 : 3 - spin;
      blocks[count++] = {.site = forward, .partner = partner};
      blocks[count++] = {.site = backward, .partner = partner};
    }
    std::sort(blocks.begin(), blocks.end(), [](const block& a, const block& b) { return a.site < b.site; });
    std::int32_t* out = columns.data();
    for (const block& b : blocks) {
      out = write_spin(b.site, std::min(spin, b.partner), out);
      if (b.partner != spin) out = write_spin(b.site, std::max(spin, b.partner), out);
    }
  }

 private:
  struct block {
    std::int64_t site, partner;
  };

  static std::int64_t size_of(const arguments& given, std::int64_t n) {
    given.check_dimension("12 n^4", 12 * n * n * n * n);
    return 12 * n * n * n * n;
  }
  wilson(const arguments& given, std::int64_t n) : pattern{size_of(given, n), size_of(given, n)}, n_(n) {}

  static std::int32_t* write_spin(std::int64_t site, std::int64_t spin, std::int32_t* out) {
    for (std::int64_t colour = 0; colour < 3; ++colour)
      *out++ = static_cast<std::int32_t>(site * 12 + spin * 3 + colour);
    return out;
  }

  std::int64_t n_;
};

}  // namespace gossamer::bench_support::generation
