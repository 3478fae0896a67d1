// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market files (.mtx and .mtx.gz): reading into CSR, and writing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/csr_matrix.hpp"
#include "gossamer/export.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::inline v0 {

/// The banner and the size line, as the file states them.
struct matrix_market_header {
  std::string format;    ///< "coordinate" or "array"
  std::string field;     ///< "real", "integer" or "pattern"
  std::string symmetry;  ///< "general", "symmetric" or "skew-symmetric"
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;  ///< stored in the file: one triangle of a symmetric one
};

struct read_options {
  int threads = 0;               ///< 0: all
  std::int64_t chunk_bytes = 0;  ///< text that one task parses; 0: chosen. Tests use 1, which makes every line a chunk.
  progress_callback progress;
};

/// A matrix and what its file said of itself.
template <value V>
struct matrix_market_matrix {
  matrix_market_header header;
  csr_matrix<V, std::int64_t> matrix;
};

/// Reads coordinate or array files; real, integer or pattern (values are 1); general, symmetric or skew-symmetric
/// (the other triangle is filled in; a diagonal entry is not doubled). Entries keep the file's order within a row;
/// duplicates and explicit zeros stay. CRLF, blank lines, tabs, comment lines and a missing last newline are
/// allowed. The header's number of entries is never trusted for an allocation.
/// Throws io_error, parse_error (message "FILE:LINE:COLUMN: reason"; columns count bytes from 1), unsupported
/// (complex, hermitian), out_of_memory, cancelled.
template <value V>
GOSSAMER_API matrix_market_matrix<V> read_matrix_market(const std::filesystem::path& file,
                                                        const read_options& options = {});

/// The same from text in memory; `name` stands for the file in messages.
template <value V>
GOSSAMER_API matrix_market_matrix<V> parse_matrix_market(std::string_view text, std::string_view name,
                                                         const read_options& options = {});

/// A vector: an array file of one column (n x 1) or one row (1 x n). Errors as above.
template <value V>
GOSSAMER_API host_buffer<V> read_vector(const std::filesystem::path& file, const read_options& options = {});

/// Writes "coordinate real general", with the shortest decimals that read back to the same bits; Inf and NaN as
/// "inf" and "nan", which read_matrix_market accepts. A name that ends in .gz is compressed. The file appears whole or not at
/// all: it is written beside its place and renamed. Throws io_error.
template <value V, offset O>
GOSSAMER_API void write_matrix_market(const std::filesystem::path& file, const csr_view<V, O>& a);

/// Writes "array real general", n x 1. As above.
template <value V>
GOSSAMER_API void write_vector(const std::filesystem::path& file, std::span<const V> x);

}  // namespace gossamer::inline v0
