// SPDX-License-Identifier: BSD-3-Clause
// How the speed of BRC depends on B2, with the B2 of Equation (3) marked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct width_curve {
  std::string matrix;
  std::int64_t equation = 0;  ///< B2 by Equation (3)
  std::int64_t usual =
      0;  ///< mean and deviation of the row lengths, rounded: Equation (3) without its bounds
  std::vector<std::pair<std::int64_t, double>>
      relative;  ///< (B2, speed over that of Equation (3)), B2 ascending; the equation's own, 1, among them
};

/// Of each matrix on which the equation's B2 was measured; only widths up to the longest row, beyond which
/// nothing changes.
std::vector<width_curve> width_curves(const rows& all);

}  // namespace gossamer::experiments::brc
