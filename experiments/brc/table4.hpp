// SPDX-License-Identifier: BSD-3-Clause
// How HYB divides a matrix, and what its two parts cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/brc/printed.hpp"
#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct table4_line {
  std::string matrix;
  const printed_matrix* printed = nullptr;  ///< null: the paper does not have it
  double variation = 0;
  std::optional<double> coo_percent;       ///< CNZ
  std::optional<double> coo_time_percent;  ///< CTR
  std::optional<double> coo_ms;            ///< CTA; 0 where the part has no entry, as the paper prints it
  std::optional<double> ell_ms;            ///< ETA; the same
};

std::vector<table4_line> table4_lines(const rows& all);

}  // namespace gossamer::experiments::brc
