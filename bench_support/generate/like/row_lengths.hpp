// SPDX-License-Identifier: BSD-3-Clause
// Row lengths that meet published figures: how many, their sum, least, greatest, spread, and what lies over a
// width.
#pragma once

#include <cstdint>
#include <vector>

#include "bench_support/generate/random.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::bench_support::generation {

/// How the number of rows falls with their distance from the pivot: by a factor a step, or by a power.
enum class tail { geometric, power };

struct length_wishes {
  std::int64_t rows = 0;
  std::int64_t entries = 0;  ///< the lengths' sum
  std::int64_t min = 0;      ///< min and max both occur
  std::int64_t max = 0;
  double sd = 0;                ///< met as nearly as the others allow
  std::int64_t pivot = 0;       ///< in [min, max]
  std::int64_t over = 0;        ///< the sum of length - pivot over the rows longer than the pivot
  std::int64_t most_over = 0;   ///< at most so many rows are longer than the pivot, and
  std::int64_t most_under = 0;  ///< at most so many are shorter
  tail over_tail = tail::geometric;
};

/// (length, rows), ascending. All but `sd` is met exactly; throws `unsupported` where no lengths meet them.
///
/// Distances from the pivot are fixed by their tail counts N(v), the number of rows at a distance of v or
/// more: the distances' sum is the sum of N(v), their squares' sum that of (2v - 1) N(v). N(v) is a falling
/// curve, cut to [1, most]; its scale follows from the first sum, its steepness from the second. The
/// arithmetic is the same everywhere: products, comparisons and whole numbers.
row_length_distribution fit_row_lengths(const length_wishes& wishes);

/// Lays lengths on rows: groups of `group` consecutive rows have neighbouring ranks, and groups are shuffled.
class ranked_rows {
 public:
  ranked_rows(const row_length_distribution& lengths, std::int64_t group, std::uint64_t key);

  [[nodiscard]] std::int64_t length_of(std::int64_t row) const noexcept;

 private:
  struct run {
    std::int64_t end;  ///< one past the last rank of this length
    std::int64_t length;
  };
  std::vector<run> runs_;
  std::int64_t group_;
  std::int64_t rest_;  ///< rows behind the last full group; they have the lowest ranks
  std::int64_t grouped_;
  permutation order_;
};

}  // namespace gossamer::bench_support::generation
