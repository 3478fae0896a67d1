// SPDX-License-Identifier: BSD-3-Clause
// What a format's conversion costs, in products of plain CSR.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments {

/// The label of the series whose product is the unit.
inline constexpr std::string_view plain_csr = "CSR";

struct conversion_line {
  std::string matrix;
  std::string series;
  double seconds = 0;   ///< of the conversion
  double products = 0;  ///< of plain CSR, in the same time
  std::optional<double>
      break_even;  ///< products after which it has paid; nothing where it is no faster than CSR
};

/// Of each series but plain_csr, where both were measured.
std::vector<conversion_line> conversion_lines(const experiment& e, const rows& all);

/// A group of bars for each matrix: the products of the series with these labels.
std::string conversion_bars(const experiment& e, const rows& all, const std::vector<std::string>& labels);

}  // namespace gossamer::experiments
