// SPDX-License-Identifier: BSD-3-Clause
// MATRIX on the command line: a Matrix Market file, or a generator's specification.
#pragma once

#include <optional>
#include <string>

#include "gossamer/csr_matrix.hpp"

namespace gossamer::cli {

inline constexpr const char* matrix_help =
    "A file (.mtx, .mtx.gz) or a specification such as 'stencil(nx=100,ny=100)'";

struct matrix_facts {
  std::string name;  ///< a file's name without folder and .mtx or .mtx.gz; a specification as it was given
  std::string symmetry = "general";
  std::string field = "real";
  std::optional<std::string> generator;  ///< its name, where one made the matrix
};

template <value V>
struct loaded_matrix {
  matrix_facts facts;
  any_csr<V> matrix;
};

/// Reads or generates, with a progress bar. `threads` read; 0: all.
template <value V>
loaded_matrix<V> load_matrix(const std::string& argument, int threads = 0);

/// The name that load_matrix would give.
std::string matrix_name(const std::string& argument);

/// Throws usage_error where it is clear without reading that there is no such matrix.
void check_matrix(const std::string& argument);

}  // namespace gossamer::cli
