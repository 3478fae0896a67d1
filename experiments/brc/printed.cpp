// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/printed.hpp"

#include <algorithm>
#include <iterator>

namespace gossamer::experiments::brc {
namespace {

constexpr printed_matrix matrices[] = {
    {"CAN", "cant", 62451, 62451, 4007383, 64, 14, 1, 78, 78, 75, 0.323, 38.189, 0.181, 0.293},
    {"SPH", "consph", 83334, 83334, 6010480, 72, 19, 1, 81, 91, 81, 0, 0, 0, 0.413},
    {"ACC", "cop20k_A", 121192, 121192, 2624331, 22, 14, 8, 81, 36, 23, 17.248, 52.727, 0.254, 0.228},
    {"DEN", "dense2", 2000, 2000, 4000000, 2000, 0, 2000, 2000, 200, 0, 100, 100, 0.672, 0},
    {"ECO", "mac_econ_fwd500", 206500, 206500, 1273389, 6, 4, 1, 44, 10, 7, 18.879, 69.635, 0.268, 0.117},
    {"EPI", "mc2depi", 525825, 525825, 2100225, 4, 0, 2, 4, 4, 4, 0, 0, 0, 0.149},
    {"PRO", "pdb1HYS", 36417, 36417, 4344765, 119, 32, 18, 204, 151, 138, 4.026, 41.016, 0.220, 0.316},
    {"WIN", "pwtk", 217918, 217918, 11634424, 53, 5, 2, 180, 58, 54, 0.561, 23.602, 0.2, 0.647},
    {"QCD", "conf5_4-8x8-05", 49152, 49152, 1916928, 39, 0, 39, 39, 39, 39, 0, 0, 0, 0.121},
    {"LP", "rail4284", 4284, 1092610, 11279748, 2633, 4209, 1, 56181, 200, 23, 99.147, 98.640, 2.782, 0.038},
    {"HAR", "rma10", 46835, 46835, 2374001, 51, 28, 4, 145, 79, 55, 18.673, 61.616, 0.247, 0.154},
    {"CIR", "scircuit", 170998, 170998, 958936, 6, 4, 1, 353, 10, 5, 21.775, 74.862, 0.238, 0.080},
    {"SHI", "shipsec1", 140874, 140874, 7813404, 55, 11, 24, 102, 66, 54, 6.850, 38.363, 0.270, 0.433},
    {"WEB", "webbase-1M", 1000005, 1000005, 3105536, 3, 25, 1, 4700, 28, 2, 35.788, 75.702, 0.508, 0.163},
};

constexpr printed_speed_up table3_speed_ups[] = {
    {"CSR, best kernel", 1.71, 1.19, 1.96, 1.64},
    {"HYB", 1.67, 1.45, 2.68, 2.47},
    {"JDS", 1.64, 1.30, 4.91, 3.54},
    {"RG12", 1.19, 1.08, 2.30, 1.69},
};

}  // namespace

std::span<const printed_matrix> printed_matrices() {
  return matrices;
}

const printed_matrix* find_printed(std::string_view name) {
  for (const printed_matrix& each : matrices) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::vector<std::string> printed_names() {
  std::vector<std::string> names;
  for (const printed_matrix& each : matrices) names.emplace_back(each.name);
  return names;
}

rows_by_table divided(const rows& all) {
  std::vector<std::string> titles;
  for (const printed_matrix& each : matrices) {
    std::string title = title_named(all, each.name);
    if (!title.empty()) titles.push_back(std::move(title));
  }
  if (titles.empty()) return {.of_table = all, .others = json::array()};
  rows_by_table two{.of_table = json::array(), .others = json::array()};
  for (const json& row : all) {
    const bool of_table = std::find(titles.begin(), titles.end(), title_of(row)) != titles.end();
    (of_table ? two.of_table : two.others).push_back(row);
  }
  return two;
}

std::size_t without_row(const rows& all) {
  const auto missing = static_cast<std::size_t>(
      std::count_if(std::begin(matrices), std::end(matrices),
                    [&](const printed_matrix& each) { return title_named(all, each.name).empty(); }));
  return missing == std::size(matrices) ? 0 : missing;
}

std::span<const printed_speed_up> printed_speed_ups() {
  return table3_speed_ups;
}

}  // namespace gossamer::experiments::brc
