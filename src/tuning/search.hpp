// SPDX-License-Identifier: BSD-3-Clause
// The search of tune(), without a clock and without matrices: tests give it both.
#pragma once

#include <functional>
#include <vector>

#include "core/function_ref.hpp"
#include "gossamer/tune.hpp"

namespace gossamer::inline v0::tuning {

struct measured_times {
  double inspect_seconds = 0;
  double multiply_seconds = 0;
};

struct search_tools {
  /// Builds and times one setting. What it throws as unsupported or out_of_memory becomes the trial's note,
  /// for other errors the search ends.
  function_ref<measured_times(const candidate&)> measure;
  /// The other settings of a format that are worth timing, the most promising first. Asking may take as long
  /// as measuring does: what a setting would store is known only when the matrix was gone through.
  function_ref<std::vector<candidate>(const candidate& by_default)> others;
  function_ref<double()> elapsed;  ///< seconds since the search began
};

/// tune()'s trials: first `ranked`, which is each format by default as rank_formats gives them, then the
/// other settings of each format that was measured, of the fastest first.
/// Throws out_of_memory where nothing at all could be tried.
tuning_result search(std::vector<candidate> ranked, double calls, double budget_seconds,
                     const search_tools& tools);

/// Index of the measured trial with the least total; trials.size() where none was measured.
std::size_t least_total(const std::vector<measurement>& measurements, double calls);

}  // namespace gossamer::inline v0::tuning
