// SPDX-License-Identifier: BSD-3-Clause
// What a format's conversion costs, in products of plain CSR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct conversion_line {
  std::string matrix;
  std::string series;
  double seconds = 0;   ///< of the conversion
  double products = 0;  ///< of plain CSR, in the same time
  std::optional<double>
      break_even;  ///< products after which it has paid; nothing where it is no faster than CSR
};

/// Of each series but plain CSR, where both were measured.
std::vector<conversion_line> conversion_lines(const experiment& e, const rows& all);

}  // namespace gossamer::experiments::brc
