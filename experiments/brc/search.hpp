// SPDX-License-Identifier: BSD-3-Clause
// The model's settings against the best of the search.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct search_line {
  std::string matrix;
  double model_seconds = 0;
  double best_seconds = 0;
  double share = 0;       ///< the best's time over the model's
  std::string winner;     ///< options of the best
  std::size_t tried = 0;  ///< settings, the default among them
};

/// Of each matrix on which both were measured.
std::vector<search_line> search_lines(const rows& all);

}  // namespace gossamer::experiments::brc
