// SPDX-License-Identifier: BSD-3-Clause
// What experiments on solvers have in common: matrices, report and figure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::solvers {

/// The label of our own solver.
inline constexpr std::string_view ours = "Gossamer";
/// The label of the loop that is compared with on a GPU.
inline constexpr std::string_view graph = "cuSPARSE + cuBLAS, graph";

/// Name, method and series of an experiment, with the report and the figure of all of them.
experiment of_method(std::string_view name, std::string_view method, std::string_view shows);

/// Loops of cuSPARSE and cuBLAS, and of MKL.
void add_loops(experiment& e);

/// Matrices of systems that are symmetric and positive definite, or are made so.
std::vector<std::string> matrices_of_systems();
/// Matrices of linear programs.
std::vector<std::string> matrices_of_programs();

/// Whether a row counts as small: below 1 M rows and 5 M nonzeros.
bool is_small(const json& row);

/// A number of the row's `solve`; nothing where the row is null or its method has none.
std::optional<double> solve_member(const json* row, const char* name);
/// Median seconds of a whole solve; the same.
std::optional<double> solve_seconds(const json* row);

/// The largest relative difference of two histories of residuals, over the iterations that both have, but at
/// most so many; nothing where one is missing.
std::optional<double> history_difference(const json* a, const json* b, std::size_t iterations);

}  // namespace gossamer::experiments::solvers
