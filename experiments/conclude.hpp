// SPDX-License-Identifier: BSD-3-Clause
// Texts and figures that most experiments are made of.
#pragma once

#include <string>

#include "experiments/rows.hpp"

namespace gossamer::experiments {

/// A line for each matrix, a column for each series that is drawn.
std::string table_of(const experiment& e, const rows& all, quantity what);

/// For each of the orders, on how many matrices it holds, by how much, and of few matrices each one's ratio.
std::string orders_of(const experiment& e, const rows& all);

/// For each series but the subject: on how many matrices one is at least 1, 2 and 10 times as fast as the other, the
/// geometric mean, and the greatest and the least by name.
std::string speed_ups(const experiment& e, const rows& all);

/// A group of bars for each matrix.
std::string bars(const experiment& e, const rows& all, quantity what, bool logarithmic);

/// A cumulative curve for each series that is drawn, but the subject.
std::string speed_up_curves(const experiment& e, const rows& all);

}  // namespace gossamer::experiments
