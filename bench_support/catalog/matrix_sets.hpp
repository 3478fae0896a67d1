// SPDX-License-Identifier: BSD-3-Clause
// Named sets of matrices: the papers' test sets, one small matrix of each generator, and the frozen headline
// list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer::bench_support {

/// At least one of `file` and `specification` is given.
struct matrix_set_member {
  std::string group;  ///< the class under which results are averaged
  std::string file;   ///< NAME of NAME.mtx or NAME.mtx.gz, taken where it is there; empty: always made
  std::string
      specification;   ///< for generate, taken where the file is not there; empty: the file alone will do
  std::string values;  ///< of a file: new ones as by assign_values; empty: as they are
};

struct matrix_set {
  std::string_view name;  ///< without the @ of the command line
  std::string_view help;
  std::vector<matrix_set_member> members;
};

/// brc, csr_m, bccoo and partition are the tables of papers 000, 002, 001 and 004: the real file, else
/// like(NAME). gallery has one small matrix of each generator. headline is the list that overall figures are
/// taken from: the geometric mean over its groups of each group's geometric mean. It never changes within a
/// major version. held_out has generated matrices that constants of the library are checked on. They are not
/// used to choose constants, with two exceptions (docs/notes/tuning.md).
std::span<const matrix_set> matrix_sets();

/// By name, without @. Throws invalid_argument that lists the sets.
const matrix_set& find_matrix_set(std::string_view name);

}  // namespace gossamer::bench_support
