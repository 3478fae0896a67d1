// SPDX-License-Identifier: BSD-3-Clause
// What paper 000 prints of its matrices and its results: Tables 1, 3 and 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct printed_matrix {
  std::string_view abbreviation;
  std::string_view name;  ///< as published_name
  // Table 1. Mean and deviation are printed as whole numbers.
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t mean = 0;
  std::int64_t sd = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t b2 = 0;
  std::int64_t hyb_k = 0;
  // Table 4.
  double coo_percent = 0;       ///< CNZ: of the nonzeros, in the COO part
  double coo_time_percent = 0;  ///< CTR: of the time of both parts
  double coo_ms = 0;            ///< CTA
  double ell_ms = 0;            ///< ETA
};

/// In the table's order.
std::span<const printed_matrix> printed_matrices();

/// Null where the tables do not have it.
const printed_matrix* find_printed(std::string_view name);

/// The names of the matrices of Table 1.
std::vector<std::string> printed_names();

/// The rows of the matrices of Table 1, of each its file's or where that is not here its stand-in's; and the
/// rows of all others. Where none is of the table, all of them are taken for it: the matrices were named on
/// the command line.
struct rows_by_table {
  rows of_table;
  rows others;
};
rows_by_table divided(const rows& all);

/// Matrices of Table 1 that have no row; 0 where none has.
std::size_t without_row(const rows& all);

/// FEM/Spheres: by its own mean, deviation and longest row, Equation (3) gives this and not the 91 that is
/// printed.
inline constexpr std::int64_t b2_of_spheres_by_equation_3 = 81;

/// Table 3: average speed-ups of BRC.
struct printed_speed_up {
  std::string_view over;  ///< as the series are called here
  double fermi_f32 = 0;
  double fermi_f64 = 0;
  double kepler_f32 = 0;
  double kepler_f64 = 0;
};
std::span<const printed_speed_up> printed_speed_ups();

}  // namespace gossamer::experiments::brc
