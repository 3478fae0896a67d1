// SPDX-License-Identifier: BSD-3-Clause
// MATRIX on the command line: a Matrix Market file, a generator's specification, or a set of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments/command_line.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::cli {

inline constexpr const char* matrix_help =
    "A Matrix Market file (.mtx, .mtx.gz; - is stdin); a generator such as 'stencil(nx=100,ny=100)' or "
    "'like(cant)', see gossamer generate --list; or 'file(NAME,values=distinct)', a file with other values";

inline constexpr const char* matrices_help =
    "Matrix Market files (.mtx, .mtx.gz; - is stdin); generators such as 'stencil(nx=100,ny=100)' or "
    "'like(cant)', see gossamer generate --list; 'file(NAME,values=distinct)', a file with other values; or "
    "sets: @brc, @esb, @csr_m, @bccoo, @partition, @gallery, @headline, @held_out, see gossamer generate "
    "--list-matrices";

struct matrix_facts {
  std::string name;  ///< a file's name without folder and .mtx or .mtx.gz; a specification as it was given
  std::string symmetry = "general";
  std::string field = "real";
  std::optional<std::string> generator;  ///< its name, where one made the matrix
  std::string values = "file";  ///< distinct, few(K), constant or f32_exact; file: as the file has them
  std::optional<std::string> stand_in;  ///< the catalogue's name of the matrix that like(NAME) stands for
};

template <value V>
struct loaded_matrix {
  matrix_facts facts;
  any_csr<V> matrix;
};

/// One matrix that is to be loaded, of a set or alone.
struct matrix_member {
  std::string name;        ///< as in matrix_facts
  std::string class_name;  ///< the set's class for it; empty: it is of no set
  std::string values;      ///< as in matrix_facts
  std::string argument;    ///< what gives the same matrix alone
  /// Not empty: there is no such file, and nothing stands in for it. Records hold it, so that it names no
  /// folder.
  std::string absent_reason;

  std::string path;           ///< of a file, or
  std::string specification;  ///< of a generator
  std::uint64_t seed = 1;     ///< of a file's new values
};

/// The matrices of a command line, sets written out. `folder` has NAME.mtx.gz or NAME.mtx for sets and
/// file(NAME). Throws usage_error where it is clear without reading that a matrix given alone is not there;
/// one of a set that is not there has an absent_reason.
std::vector<matrix_member> expand_matrices(const std::vector<std::string>& arguments,
                                           const std::string& folder);

/// One matrix; throws usage_error for a set.
matrix_member expand_matrix(const std::string& argument, const std::string& folder);

/// Reads or generates, with a progress bar. Throws usage_error for an absent member.
template <value V>
loaded_matrix<V> load_matrix(const matrix_member& member);

/// The same of one argument; file(NAME) is looked for in GOSSAMER_MATRICES.
template <value V>
loaded_matrix<V> load_matrix(const std::string& argument);

/// The file that load_matrix would read; empty for a generator's matrix.
std::string matrix_file(const std::string& argument);
/// Those of several matrices.
std::vector<std::string> files_of(const std::vector<matrix_member>& members);

/// The name that load_matrix would give.
std::string matrix_name(const std::string& argument);

/// Throws usage_error where it is clear without reading that there is no such matrix, or that it is a set.
void check_matrix(const std::string& argument);

/// --matrices; without it the environment's GOSSAMER_MATRICES counts.
void add_matrices_to(subcommand& command, std::string& folder);

}  // namespace gossamer::cli
