// SPDX-License-Identifier: BSD-3-Clause
// Curves of "how many matrices reach at least so much", as paper 003 draws them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gossamer::experiments {

/// The ratios, greatest first: element k - 1 is what k matrices reach.
std::vector<double> descending(std::vector<double> ratios);

/// How many of `ratios` are at least that much; in any order.
std::size_t reaching(std::span<const double> ratios, double at_least);

/// Of positive numbers; NaN for none.
double geometric_mean(std::span<const double> numbers);

}  // namespace gossamer::experiments
