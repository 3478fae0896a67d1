// SPDX-License-Identifier: BSD-3-Clause
// What a matrix would be coded into, by some of its windows.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/common/frequent_values.hpp"
#include "formats/packed/slice_plan.hpp"

namespace gossamer::inline v0::formats::packed_code {

/// Windows of a sample. How near it comes: docs/decisions/0021-estimates.md.
inline constexpr std::int64_t sampled_windows = 32;

/// Not where the sample would be half of the matrix, nor where all of it is coded in some milliseconds.
template <value V, offset O>
bool is_worth_sampling(const csr_view<V, O>& a) {
  constexpr std::int64_t least_weight = std::int64_t{1} << 19;
  return a.nnz() > 0 && a.rows + a.nnz() >= least_weight &&
         packed_windows<V, O>::windows(a.rows) > 2 * sampled_windows;
}

/// What all windows have, by sampled_windows of them: in each of as many equal shares of all rows and entries
/// the one that a place drawn by chance lies in, so that a window is the likelier to be among them the more
/// it has, and counts the less.
template <value V, offset O>
amounts amounts_by_sample(const csr_view<V, O>& a, const scheme<V>& how) {
  const window_weights<V, O> weights(a);
  const std::int64_t weight = weights.weight();
  std::vector<std::pair<std::int64_t, double>> chosen;  // window, how many such windows it stands for
  for (std::int64_t i = 0; i < sampled_windows; ++i) {
    const auto [window, its_weight] = weights.window_at(sampled_place(i, weight, sampled_windows));
    const double times = static_cast<double>(weight) / static_cast<double>(sampled_windows * its_weight);
    if (!chosen.empty() && chosen.back().first == window)
      chosen.back().second += times;
    else
      chosen.emplace_back(window, times);
  }
  std::vector<window_plan> windows(chosen.size());
  plan_shared_windows(a, how, static_cast<std::int64_t>(chosen.size()), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    return std::pair(chosen[n].first, &windows[n]);
  });
  amounts all;
  for (const auto number : amounts::numbers) {
    double sum = 0;
    for (std::size_t i = 0; i < windows.size(); ++i)
      sum += chosen[i].second * static_cast<double>(windows[i].all.*number);
    all.*number = std::llround(sum);
  }
  return all;
}

}  // namespace gossamer::inline v0::formats::packed_code
