// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gossamer::experiments {
namespace {

/// Letters to insert, delete or replace.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const experiment> all_experiments() {
  static const std::vector<experiment> all = {
      brc::table1(),
      brc::fig4(),
      brc::table3(),
      brc::fig6(),
      brc::search(),
      brc::fig7(),
      brc::fig8(),
      brc::table4(),
      brc::table5(),
      brc::fig9(),
      brc::hybrid(),
      brc::options(),
      brc::coarsening(),
      brc::block_rows(),
      brc::conversion(),
      bccoo::fig1(),
      bccoo::fig2(),
      bccoo::fig3(),
      bccoo::fig4(),
      bccoo::fig5(),
      bccoo::fig6(),
      bccoo::fig7(),
      bccoo::fig8(),
      csr_m::fig12(),
      csr_m::fig13(),
      csr_m::fig14(),
      csr_m::fig15(),
      csr_m::fig16(),
      csr_m::fig17(),
      arg_csr::fig_csr(),
      arg_csr::fig_formats(),
      arg_csr::chunk_size(),
      arg_csr::block(),
      arg_csr::conversion(),
      partition::table1(),
      partition::table2(),
      partition::fig6(),
      partition::fig7(),
      partition::fig8(),
      partition::fig9(),
      partition::fig10(),
      partition::fig11(),
      partition::fig12(),
      partition::fig13(),
      partition::fig14(),
      partition::block_density(),
      solvers::cg(),
      solvers::minres(),
      solvers::lsqr(),
      solvers::pdhg(),
  };
  return all;
}

const experiment* find_experiment(std::string_view name) {
  for (const experiment& each : all_experiments()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::vector<std::string_view> near_names(std::string_view name) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::size_t, std::string_view>> by_distance;
  for (const experiment& each : all_experiments()) {
    // The idea alone is often what is typed, and a folder is a question of what it has.
    const std::string_view all = each.name;
    const std::size_t slash = all.find('/');
    const std::size_t distance =
        std::min({edit_distance(name, all), edit_distance(name, all.substr(slash + 1)),
                  edit_distance(name, all.substr(0, slash))});
    by_distance.emplace_back(distance, all);
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, near] : by_distance) {
    if (names.size() < most) names.push_back(near);
  }
  return names;
}

}  // namespace gossamer::experiments
