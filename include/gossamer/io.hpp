// SPDX-License-Identifier: BSD-3-Clause
// Files: Matrix Market, plain or compressed by gzip, and the rules for writing them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/export.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/progress.hpp"

namespace gossamer::inline v0 {

/// Writes `bytes` as the complete content of a file.
/// - A regular file is written to a temporary file in the same directory, which is then renamed. Owner, mode
///   and attributes are preserved. Symbolic links are followed; the target of a dangling link is created.
/// - The file is overwritten in place if it has other hard links, is a mount point, or is in a directory that
///   is not writable. The same holds if a new file cannot be given its owner or attributes. All bytes are
///   ready, and space is reserved, before the overwrite begins.
/// - A device, a pipe or an open descriptor (/dev/stdout, /dev/fd/N, a link to one) is appended to.
/// Throws io_error, which names the file and the system's reason. A regular file then has its old content,
/// unless restoring it after a failed overwrite failed too; the message says so. A stream keeps the bytes
/// written so far.
GOSSAMER_API void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Throws io_error if the file is not writable, without creating or changing any file. A later write may
/// still fail.
GOSSAMER_API void check_output(const std::filesystem::path& file);

/// Whether writes to `file` are appended instead of replacing its content: true for a pipe, a device or a
/// descriptor.
GOSSAMER_API bool is_stream(const std::filesystem::path& file);

/// The number of this process's descriptor that `file` names (/dev/stdin, /dev/fd/N, a link to one), or -1.
GOSSAMER_API int own_descriptor(const std::filesystem::path& file);

/// For a signal handler that ends the process; async-signal-safe. The library installs no signal handler.
/// Removes the temporary files of writes in progress in this process, at most eight, and returns true.
/// Returns false and removes nothing while a file is overwritten in place. The handler then returns, and the
/// program ends after the write has returned; before that it would leave the file overwritten in part.
GOSSAMER_API bool remove_unfinished_files() noexcept;

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
  int threads = 0;  ///< 0: the current thread_limit, else OpenMP's maximum
  std::int64_t chunk_bytes =
      0;  ///< text that one task parses; 0: chosen. Tests use 1, which makes every line a chunk.
  progress_callback progress;
};

/// A matrix and the header of its file.
template <value V>
struct matrix_market_matrix {
  matrix_market_header header;
  csr_matrix<V, std::int64_t> matrix;
};

/// Reads coordinate or array files; real ("double" too), integer ("unsigned-integer" too) or pattern (values
/// are 1); general (also where the word is missing), symmetric ("hermitian" too) or skew-symmetric. Gzip is
/// recognised by the file's first bytes. docs/guides/reading-files.md lists the differences from SciPy's
/// mmread.
/// - Entries keep the order of their lines within a row; duplicates and explicit zeros stay. A symmetric or
///   skew-symmetric file has one triangle, and the other is filled in. A mirrored entry has the position of
///   its line; a diagonal entry is not doubled. Either triangle is accepted, but no entry may be given in
///   both. A skew-symmetric file may store zeros on its diagonal. None of this depends on threads or chunks.
/// - An array file gives every entry, zeros too, columns ascending; a skew-symmetric one gives no diagonal.
/// - The banner is case-insensitive, may follow spaces or a UTF-8 byte order mark, and may begin with one
///   '%'.
/// - CRLF, blank lines, tabs, leading spaces and a missing last newline are allowed. After the banner, a
///   comment runs from a word that begins with '%' to the end of the line.
/// - Numbers may have a leading '+' or a Fortran exponent (1.5D+03); inf, infinity and nan are read, and 2.0
///   is read as the integer 2. A value that overflows V is an error; one that underflows is 0.
/// - A line has at most 16 MiB.
/// - The header's number of entries is never trusted for an allocation.
/// Throws io_error, parse_error (message "FILE:LINE:COLUMN: reason"; columns count bytes from 1), unsupported
/// (complex, over 2^31 - 1 rows or columns, files of other kinds, which are named), out_of_memory, cancelled.
/// The first error in a file is reported; damaged gzip data is reported before errors in the text. A file
/// that is truncated while it is read throws io_error.
template <value V>
GOSSAMER_API matrix_market_matrix<V> read_matrix_market(const std::filesystem::path& file,
                                                        const read_options& options = {});

/// The library that inflates .gz files in this build: "ISA-L" or "zlib". They differ only in speed.
GOSSAMER_API std::string_view gzip_library() noexcept;

/// The same from text in memory; `name` stands for the file in messages.
template <value V>
GOSSAMER_API matrix_market_matrix<V> parse_matrix_market(std::string_view text, std::string_view name,
                                                         const read_options& options = {});

/// A vector: a file of one column (n x 1) or one row (1 x n). Entries of a coordinate file in the same place
/// are summed, and those it does not have are 0. Errors as above.
template <value V>
GOSSAMER_API host_buffer<V> read_vector(const std::filesystem::path& file, const read_options& options = {});

/// Writes "coordinate real general", with the shortest decimals that read back to the same bits; Inf and NaN
/// as "inf" and "nan" (a NaN's sign and payload are lost). A name that ends in .gz is compressed. The file
/// appears whole or not at all: see write_file(). Throws io_error, out_of_memory and what validate
/// throws.
template <value V, offset O>
GOSSAMER_API void write_matrix_market(const std::filesystem::path& file, const csr_view<V, O>& a);

/// Writes "array real general": n x 1, or several columns of the same size, which x has one after another.
/// As above; throws invalid_argument for less than one column, or if x does not have the same number of
/// elements for each.
template <value V>
GOSSAMER_API void write_vector(const std::filesystem::path& file, std::span<const V> x,
                               std::int64_t columns = 1);

}  // namespace gossamer::inline v0
