// SPDX-License-Identifier: BSD-3-Clause
// The matrices that the papers' tables name, with the figures printed there: what like(NAME) makes stand-ins
// of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/statistics.hpp"

namespace gossamer::bench_support {

/// What a matrix comes from, hence how its columns lie.
enum class matrix_class { fem, stencil, circuit, graph, lp, dense };

/// "fem", "stencil", "circuit", "graph", "lp" or "dense".
std::string_view name(matrix_class kind) noexcept;

/// Distinct 32-byte sectors of x that 32 consecutive rows touch, per entry of those rows, with 4 columns a
/// sector (f64): 1/128 where the rows are dense, 1 where no two entries share a sector. The bounds enclose
/// real matrices of the class (docs/guides/generators.md lists them); every stand-in of the class lies
/// between them.
struct sector_bounds {
  double least = 0;
  double most = 0;
};
sector_bounds sectors_per_entry(matrix_class kind) noexcept;

/// One number of a table.
struct published_figure {
  std::string_view figure;  ///< rows, cols, nnz, mean, sd, min, max, hyb_k or coo_percent
  std::string printed;      ///< its digits, without commas
  std::string_view source;  ///< for example "paper 000, Table 1" or "SuiteSparse index"
  /// Why the stand-in differs, where arithmetic or the real structure forbids the printed number; else empty.
  std::string_view exception;
};

struct known_matrix {
  std::string_view name;  ///< the SuiteSparse collection's, where it has one
  std::vector<std::string_view> aliases;
  matrix_class kind = matrix_class::fem;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::vector<published_figure>
      figures;  ///< the paper's; the index's where no paper prints rows, cols and nnz
  std::vector<std::string_view> tables;  ///< that name it: "000", "001", "002", "004"
};

/// All of them, each once, in the order of the papers.
std::span<const known_matrix> known_matrices();

/// By name or alias, in any case of letters. Throws invalid_argument that lists the names nearest to it.
const known_matrix& find_known_matrix(std::string_view name);

/// How the HYB format of the CUSP library divides a matrix: k is the largest width that at least
/// max(4096, rows / 3) rows have or exceed, 0 where there is none; what is beyond it goes to the COO part.
struct hyb_division {
  std::int64_t k = 0;
  double coo_percent = 0;  ///< of the nonzeros; 0 without any
};
hyb_division divide_as_cusp(const row_length_distribution& lengths);

}  // namespace gossamer::bench_support
