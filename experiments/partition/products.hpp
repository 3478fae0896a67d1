// SPDX-License-Identifier: BSD-3-Clause
// What Figures 6 to 9 and 11 to 14 of paper 004 have in common: products of partitioned rows, with and
// without the time of partitioning.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "experiments/experiment.hpp"
#include "experiments/partition/printed.hpp"
#include "experiments/rows.hpp"

namespace gossamer::experiments::partition {

/// Labels.
inline constexpr const char* mkl = "MKL";
inline constexpr const char* algorithm4 = "Algorithm 4";
/// The diagonal blocks on a GPU and the other entries on the cores, at the same time.
inline constexpr const char* algorithm4_published = "Algorithm 4, as published";
inline constexpr const char* rebalanced = "Algorithm 2, rebalanced";
inline constexpr const char* one_plan = "CSR, one plan";
inline constexpr const char* gpu_alone = "CSR, GPU alone";

/// Figures that show one measurement are drawn from each other's documents: those of one value type.
experiment of_test1(std::string_view name, std::string_view figure, std::string_view value, quantity what);
experiment of_test2(std::string_view name, std::string_view figure, std::string_view value, quantity what);

/// Of one product; with_sharing adds the time of partitioning, if an algorithm partitioned the rows.
/// Nothing where it was not measured.
std::optional<double> product_seconds(const json* row, bool with_sharing);

/// Percent, over the matrices on which both were measured.
struct gain {
  std::size_t matrices = 0;
  double less_time = 0;
  double higher_rate = 0;
};

/// Of Algorithm 3 over a series: arithmetic means, as the paper takes, of the matrices' own.
gain gain_over(const rows& all, std::string_view over, bool with_sharing);

/// A line for each of the printed gains of the rows' value type.
std::string gains_of(const rows& all, std::span<const printed_gain> printed);

/// The last GPU's power over that of one core, and the share of the nonzeros that GPUs have.
struct gpu_power {
  double cores = 0;
  double share = 0;
};
/// Nothing where the row is not of GPUs and cores that share rows.
std::optional<gpu_power> power_of_gpu(const json& row);

/// A line for each row that has such a power.
std::string powers_of(const rows& all);

/// A line for each matrix: the time of sharing its rows out in products of the same series.
std::string sharing_of(const rows& all);

}  // namespace gossamer::experiments::partition
