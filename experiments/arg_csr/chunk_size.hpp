// SPDX-License-Identifier: BSD-3-Clause
// Which desired chunk size was the fastest, and how uneven the rows are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::arg_csr {

struct chunk_choice {
  std::string matrix;
  double variation = 0;   ///< standard deviation of the row lengths over their mean
  std::int64_t best = 0;  ///< desired chunk size of the fastest
  double best_gflops = 0;
  double best_slots = 0;       ///< slots / nonzero
  std::int64_t automatic = 0;  ///< what auto chose; 0 where auto was not measured
  double automatic_share = 0;  ///< its speed over the fastest's
};

/// Of each matrix of which some size was measured, by rising variation. A size that is asked for by number
/// counts as one; auto's own run counts for `automatic_share` alone.
std::vector<chunk_choice> chunk_choices(const rows& all);

}  // namespace gossamer::experiments::arg_csr
