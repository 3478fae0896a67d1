// SPDX-License-Identifier: BSD-3-Clause
// What paper 004 prints: Tables 1 and 2, and the averages that the text gives for Figures 6 to 14.
#pragma once

#include <array>
#include <string_view>

namespace gossamer::experiments::partition {

/// Relative differences in percent by Algorithms 1, 2 and 3.
struct printed_line {
  std::string_view matrix;
  std::array<double, 3> percent;
};

inline constexpr std::array<printed_line, 10> printed_table1 = {{
    {"PR02R", {1.5137, 0.0050, 0.0075}},
    {"pwtk", {4.2082, 0.0044, 0.0038}},
    {"TSOPF_RS_b300_c3", {11.7656, 0.1280, 0.0845}},
    {"af_shell10", {0.0210, 0.0001, 0.0001}},
    {"rajat31", {0.0058, 0.0000, 0.0000}},
    {"ohne2", {0.5187, 0.0007, 0.0006}},
    {"nlpkkt120", {11.2423, 0.0000, 0.0000}},
    {"nlpkkt160", {11.3389, 0.0000, 0.0000}},
    {"nlpkkt200", {11.3976, 0.0000, 0.0000}},
    {"cage15", {1.5706, 0.0000, 0.0000}},
}};
inline constexpr std::array<double, 3> printed_average1 = {5.3580, 0.0138, 0.0096};

inline constexpr std::array<printed_line, 10> printed_table2 = {{
    {"PR02R", {2.2046, 0.0094, 0.0090}},
    {"pwtk", {7.1559, 0.0058, 0.0113}},
    {"TSOPF_RS_b300_c3", {93.0066, 0.0621, 0.0631}},
    {"af_shell10", {0.3845, 0.0015, 0.0009}},
    {"rajat31", {0.1071, 0.0007, 0.0002}},
    {"ohne2", {3.5364, 0.0093, 0.0070}},
    {"nlpkkt120", {85.1116, 0.0008, 0.0005}},
    {"nlpkkt160", {85.3570, 0.0002, 0.0002}},
    {"nlpkkt200", {85.5064, 0.0002, 0.0003}},
    {"cage15", {18.7229, 0.0005, 0.0003}},
}};
inline constexpr std::array<double, 3> printed_average2 = {38.1100, 0.0091, 0.0093};

/// Mean densities in percent, of the ten matrices on average (section 7.2.2).
inline constexpr std::array<double, 3> printed_densities = {10, 41, 55};

/// By how much Algorithm 3 is better than another series, on the average over the ten matrices, in percent
/// (sections 7.2.1, 7.2.2; the text says of rates too that they are reduced).
struct printed_gain {
  std::string_view value;
  std::string_view over;  ///< a series' label
  double less_time;
  double higher_rate;
};

inline constexpr std::array<printed_gain, 6> printed_gains1 = {{
    {"f32", "MKL", 16.60, 20.67},
    {"f32", "Algorithm 2", 0.61, 0.62},
    {"f32", "Algorithm 4", 20.31, 27.65},
    {"f64", "MKL", 18.39, 25.08},
    {"f64", "Algorithm 2", 0.47, 0.48},
    {"f64", "Algorithm 4", 20.23, 27.52},
}};

inline constexpr std::array<printed_gain, 6> printed_gains2 = {{
    {"f32", "Algorithm 1", 34.31, 54.99},
    {"f32", "Algorithm 2", 13.95, 17.64},
    {"f32", "Algorithm 4", 37.94, 65.35},
    {"f64", "Algorithm 1", 50.00, 154.68},
    {"f64", "Algorithm 2", 13.10, 16.84},
    {"f64", "Algorithm 4", 49.79, 144.63},
}};

/// A GPU's power over that of one core, of blocks denser than 30 % (section 5.3).
inline constexpr double printed_power = 75;
inline constexpr double printed_stable_from = 0.30;

}  // namespace gossamer::experiments::partition
