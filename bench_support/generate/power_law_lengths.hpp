// SPDX-License-Identifier: BSD-3-Clause
// Row lengths that fall with the rank of the row by a power law and have a given mean.
#pragma once

#include <cstdint>
#include <vector>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/zipf.hpp"

namespace gossamer::bench_support::generation {

/// The row of rank r has scale * r^(-1 / (exponent - 1)) entries, which makes the number of rows of length k
/// fall as k^-exponent. Ranks rather than random lengths: these have no finite variance, so the mean of a
/// sample would be far from the requested one.
class power_law_lengths {
 public:
  /// Rows have at least one entry if mean >= 1, and at most `most`.
  power_law_lengths(std::int64_t rows, double exponent, double mean, std::int64_t most);
  /// From the parameters `mean`, `max` and the one of that name, whose exponent is of the number of rows.
  static power_law_lengths of(const arguments& given, std::int64_t rows, std::int64_t cols,
                              std::string_view exponent);

  /// The length, rounded up or down at random so that the mean survives. A whole number stays.
  [[nodiscard]] std::int64_t operator()(std::int64_t rank, std::uint64_t bits) const;

 private:
  zipf_steps steps_;
  std::vector<std::int64_t> lengths_;  ///< of each step, times 2^20
};

/// Reads the exponent of a number of rows (or columns) of length k. Returns that of the length by rank.
double rank_exponent(const arguments& given, std::string_view parameter);

}  // namespace gossamer::bench_support::generation
