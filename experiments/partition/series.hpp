// SPDX-License-Identifier: BSD-3-Clause
// What the tables of paper 004 have in common: a matrix's rows partitioned by Algorithms 1, 2 and 3.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/partition/printed.hpp"

namespace gossamer::experiments::partition {

/// Labels of the series, in the order of the algorithms.
inline constexpr std::array<const char*, 3> algorithms = {"Algorithm 1", "Algorithm 2", "Algorithm 3"};

/// Processors of the paper's machine: eight cores, or two GPUs and the six cores that do not drive one. (Its
/// text prints seven ones, and five behind the GPUs.)
std::vector<double> powers_of_test1();
std::vector<double> powers_of_test2();

/// Without report and figure. One set of powers, and "paper 004, <source>".
experiment of_partitions(std::string_view name, std::string_view source, std::string_view shows,
                         std::vector<double> powers);

/// In percent, the sum of the sets' absolute relative differences, as the paper's formula has it. Nothing if
/// the row is null or has no partition.
std::optional<double> difference_percent(const json* row);

/// Mean density in percent; the same.
std::optional<double> density_percent(const json* row);

/// Of partitioning the rows; the same.
std::optional<double> sharing_seconds(const json* row);

/// A line for each matrix: difference, printed one and density by each algorithm, and the seconds of
/// partitioning; the averages; and on how many matrices Algorithms 2 and 3 come nearer than Algorithm 1.
std::string differences_of(const rows& all, std::span<const printed_line> printed,
                           const std::array<double, 3>& averages);

/// Bars of the differences, on a logarithmic axis.
std::string draw_differences(const experiment& e, const rows& all);

}  // namespace gossamer::experiments::partition
