// SPDX-License-Identifier: BSD-3-Clause
// Ratios of the times of two series. Verdicts on papers are in bench/claims.json alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments {

struct named_ratio {
  std::string matrix;  ///< as title_of
  double ratio = 0;
};

/// The slower's time over the faster's, on each matrix that both were measured on.
std::vector<named_ratio> time_ratios(const rows& all, std::string_view faster, std::string_view slower);

std::vector<double> numbers_of(const std::vector<named_ratio>& named);

/// Of any numbers; NaN for none.
double arithmetic_mean(const std::vector<double>& numbers);

}  // namespace gossamer::experiments
