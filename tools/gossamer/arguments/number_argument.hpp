// SPDX-License-Identifier: BSD-3-Clause
// Numbers on the command line that CLI11 would let through: NaN in a range, and what overflows to infinity.
#pragma once

#include "arguments/command_line.hpp"

namespace gossamer::cli {

/// From low to high; NaN lies nowhere.
validator number_between(double low, double high);

/// Refuses what is finite as written and infinite as a double; "inf" and "nan" are what they say.
validator number_of_double();

/// Above zero, or from zero on, and not infinite as a double.
validator positive_number(bool may_be_zero = false);

}  // namespace gossamer::cli
