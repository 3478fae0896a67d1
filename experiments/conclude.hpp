// SPDX-License-Identifier: BSD-3-Clause
// Texts and figures that most experiments are made of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments {

/// A line for each matrix, a column for each series that is drawn.
std::string table_of(const experiment& e, const rows& all, quantity what);

/// For each of the orders, on how many matrices it holds, by how much, and of few matrices each one's ratio.
std::string orders_of(const experiment& e, const rows& all);

/// For each series but the subject: on how many matrices one is at least 1, 2 and 10 times as fast as the
/// other, the geometric mean, and the greatest and the least by name.
std::string speed_ups(const experiment& e, const rows& all);

/// A group of bars for each matrix.
std::string bars(const experiment& e, const rows& all, quantity what, bool logarithmic);

/// The speed_up of each series that is drawn, but of the subject.
std::string speed_up_bars(const experiment& e, const rows& all);

/// A number for a matrix's title and a bar's label; nothing where there is none.
using bar_of = std::function<std::optional<double>(const std::string& matrix, const std::string& label)>;

/// A group of these bars for each matrix, of numbers that are not a quantity of one row.
std::string grouped_bars(const experiment& e, const rows& all, std::string_view y_title, bool logarithmic,
                         const std::vector<std::string>& labels, const bar_of& value);

/// A cumulative curve for each series that is drawn, but the subject.
std::string speed_up_curves(const experiment& e, const rows& all);

}  // namespace gossamer::experiments
