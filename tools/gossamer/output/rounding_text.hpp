// SPDX-License-Identifier: BSD-3-Clause
// What is said of a plan that rounds values, whose products are compared with those of the rounded matrix.
#pragma once

#include <fmt/format.h>

#include <string>

#include "gossamer/plan.hpp"

namespace gossamer::cli {

inline std::string rounding_text(const rounding_error& r) {
  return fmt::format(
      "values rounded to {}: {} changed, {} of them to zero. Largest relative change {:.3g}, largest "
      "absolute "
      "change {:.3g}, largest sum of the changes in a row {:.3g}. Products are checked against the rounded "
      "matrix",
      r.to, r.changed, r.to_zero, r.largest_relative, r.largest_absolute, r.largest_row_sum);
}

}  // namespace gossamer::cli
