// SPDX-License-Identifier: BSD-3-Clause
// Paper 004, section 5.3: a device's power over one core's, by the density of a block of rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::partition {

struct density_power {
  std::string matrix;
  double density = 0;  ///< entries a slot where all rows are padded to the longest
  double ratio = 0;    ///< the series' speed over one core's
};

/// Of each matrix that both were measured on, by density.
std::vector<density_power> powers_by_density(const rows& all, std::string_view series);

}  // namespace gossamer::experiments::partition
