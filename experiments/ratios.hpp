// SPDX-License-Identifier: BSD-3-Clause
// Whether a paper's conclusion holds for the rows that were measured.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments {

struct named_ratio {
  std::string matrix;     ///< as title_of
  std::string published;  ///< as published_name
  double ratio = 0;
  double variation = 0;  ///< as variation_of
  bool stand_in = false;
};

/// The slower's time over the faster's, on each matrix that both were measured on.
std::vector<named_ratio> time_ratios(const rows& all, std::string_view faster, std::string_view slower);

std::vector<double> numbers_of(const std::vector<named_ratio>& named);

/// Of any numbers; NaN for none.
double arithmetic_mean(const std::vector<double>& numbers);

enum class verdict {
  confirmed,
  /// On what was measured, which is not all that was asked, or not what the claim is about
  confirmed_in_part,
  arithmetic_mean_only,  ///< reached by the arithmetic mean and not by the geometric
  refuted,
  not_measured
};

/// "confirmed", "confirmed in part", "by the arithmetic mean only", "refuted", "not measured".
std::string_view name(verdict v) noexcept;

/// Of a finding that holds on so many of the measured, which are so many of those asked.
verdict verdict_on(std::size_t holding, std::size_t measured, std::size_t asked) noexcept;

/// Less than this part of what is claimed is no longer the same speed.
inline constexpr double level = 0.97;

struct unmeasured {
  std::string matrix;
  std::string why;     ///< "HYB unsupported", "no row", ...
  bool wrong = false;  ///< a product failed
};

struct judgement {
  verdict is = verdict::not_measured;
  std::vector<named_ratio> counted;  ///< what the verdict is of
  std::vector<named_ratio>
      against;  ///< of these, on a claim about each matrix: below `level` times what is claimed; on one about
                ///< the geometric mean: below 1
  std::vector<named_ratio> exceptions;  ///< matrices of which the paper says the contrary
  std::vector<unmeasured> missing;      ///< asked, and not counted
  bool of_others = false;               ///< none of the matrices that the claim is about was asked for
};

/// A claim about each matrix is refuted by one that is below `level` times what is claimed; a claim about the
/// average by an arithmetic mean, as the papers take, below what is claimed. Exceptions do not count for
/// either. What was asked and not measured keeps a claim from being more than confirmed in part, and a
/// product that failed from being confirmed at all. A matrix of whose portion a series has nothing was not
/// asked for.
judgement judge(const claim& c, const rows& all);

/// A line for each of the experiment's claims.
std::string claims_of(const experiment& e, const rows& all);

}  // namespace gossamer::experiments
