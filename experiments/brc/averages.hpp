// SPDX-License-Identifier: BSD-3-Clause
// Means of the speed-ups over a set of matrices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct average_speed_up {
  std::string over;
  double arithmetic = 0;  ///< the paper's
  double geometric = 0;
  std::size_t matrices = 0;
};

/// Of the experiment's subject over each series that is drawn; NaN where there are no matrices.
std::vector<average_speed_up> average_speed_ups(const experiment& e, const rows& all);

}  // namespace gossamer::experiments::brc
