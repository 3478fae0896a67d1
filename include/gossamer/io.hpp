// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market files, plain, compressed or in an archive, and the rules for writing files.
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
/// - A regular file is written to a temporary file in the same directory. The temporary file then replaces
///   the old one, with the owner, mode and attributes of the old one. Symbolic links are followed; if the
///   target does not exist, it is created.
/// - A file with several hard links, a mount point, or a file in a read-only directory is overwritten in
///   place. The same holds if a new file cannot get the owner or attributes of the old one. Space is reserved
///   before the overwrite begins.
/// - To a device, a pipe or an open descriptor (/dev/stdout, /dev/fd/N or a link to one), bytes are appended.
///
/// Throws io_error with the file's name and the system's reason. A regular file then has its old content. If
/// a failed overwrite could not be undone, the message says so. A device, pipe or descriptor keeps the bytes
/// written so far.
GOSSAMER_API void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Checks that a file can be written. It creates and changes nothing. A later write may still fail. Throws
/// io_error.
GOSSAMER_API void check_output(const std::filesystem::path& file);

/// Whether write_file() appends to `file`. True for a pipe, a device or a descriptor. False for all other
/// files, whose content it replaces.
GOSSAMER_API bool is_stream(const std::filesystem::path& file);

/// The descriptor of this process that `file` names (/dev/stdin, /dev/fd/N or a link to one), or -1.
GOSSAMER_API int own_descriptor(const std::filesystem::path& file);

/// Removes the temporary files of writes in progress in this process, eight at most. Async-signal-safe: call
/// it in the program's signal handler. The library installs no handler.
///
/// Returns true if the process may end now. Returns false, and removes nothing, while a file is overwritten
/// in place. The handler must then return, and the program may end when this write is done. If it ended
/// earlier, the file would be partly written.
GOSSAMER_API bool remove_unfinished_files() noexcept;

/// The banner and the size line of a Matrix Market file, as they are written there.
struct matrix_market_header {
  std::string format;        ///< "coordinate" or "array"
  std::string field;         ///< "real", "integer" or "pattern"
  std::string symmetry;      ///< "general", "symmetric" or "skew-symmetric"
  std::int64_t rows = 0;     ///< number of rows
  std::int64_t cols = 0;     ///< number of columns
  std::int64_t entries = 0;  ///< number of entries in the file; a symmetric file has one triangle
};

/// Options of the functions that read files.
struct read_options {
  int threads = 0;  ///< maximum number of threads; 0: the current thread_limit, else OpenMP's maximum
  /// Bytes of text that one task parses. 0: the library chooses. 1: every line is a task.
  std::int64_t chunk_bytes = 0;
  progress_callback progress;  ///< called during the read, with the stage "read"
};

/// A matrix and the header of its file.
template <value V>
struct matrix_market_matrix {
  matrix_market_header header;         ///< header of the file
  csr_matrix<V, std::int64_t> matrix;  ///< the whole matrix, with both triangles of a symmetric file
};

/// Reads a matrix from a Matrix Market file, plain or compressed by gzip or Zstandard. Of a tar archive, it
/// reads the only .mtx file, or else the only one that is named like its folder. The content of the file
/// shows what it is; its name does not matter.
///
/// @par Kinds of files
/// - Format: coordinate or array.
/// - Field: real (or double), integer (or unsigned-integer), or pattern, whose values are 1. Complex is
///   unsupported.
/// - Symmetry: general (also if the word is missing), symmetric (or hermitian), or skew-symmetric.
///
/// @par Entries
/// - Entries of a row keep the order of their lines. Duplicates and explicit zeros are kept. The result does
///   not depend on threads or chunks.
/// - A symmetric or skew-symmetric file has one of the entries (i, j) and (j, i); a file with both is an
///   error. The reader adds the other entry. The added entry takes the place of its line in the order of
///   entries. Diagonal entries are not added again.
/// - A skew-symmetric coordinate file may have zeros on its diagonal. A skew-symmetric array file has no
///   diagonal.
/// - An array file has all entries, including zeros, column by column.
///
/// @par Syntax
/// - The banner is case-insensitive. Spaces or a UTF-8 byte order mark may precede it. It may begin with one
///   '%'.
/// - CRLF, blank lines, tabs, leading spaces and a missing last newline are allowed. After the banner, a word
///   that begins with '%' starts a comment, up to the end of the line. A line has at most 16 MiB.
/// - Numbers may have a leading '+' or a Fortran exponent (1.5D+03). inf, infinity and nan are numbers. 2.0
///   is accepted as the integer 2. A value that overflows V is an error. A value that underflows is 0.
///
/// @par Errors
/// The first error in the file is reported. Damaged compressed data are reported before errors in the text.
/// - parse_error: the message is "FILE:LINE:COLUMN: reason", with "FILE(MEMBER)" for a file in an archive.
///   Columns count bytes from 1. Of an archive itself, it is "FILE: reason".
/// - unsupported: complex values, more than 2^31 - 1 rows or columns, or another kind of file, which the
///   message names.
/// - io_error, also if the file is truncated while it is read.
/// - out_of_memory. A wrong number of entries in the header does not cause this error: memory is allocated
///   for entries that exist.
/// - cancelled.
///
/// docs/guides/reading-files.md lists the differences from SciPy's mmread.
template <value V>
GOSSAMER_API matrix_market_matrix<V> read_matrix_market(const std::filesystem::path& file,
                                                        const read_options& options = {});

/// The library that decompresses .gz files in this build: "ISA-L" or "zlib". They differ only in speed.
GOSSAMER_API std::string_view gzip_library() noexcept;

/// Reads a matrix from Matrix Market text in memory, as read_matrix_market() does. Messages have `name` as
/// the file.
template <value V>
GOSSAMER_API matrix_market_matrix<V> parse_matrix_market(std::string_view text, std::string_view name,
                                                         const read_options& options = {});

/// Reads a vector from a file with one column (n x 1) or one row (1 x n). In a coordinate file, duplicate
/// entries add up, and missing entries are 0. Throws the errors of read_matrix_market().
template <value V>
GOSSAMER_API host_buffer<V> read_vector(const std::filesystem::path& file, const read_options& options = {});

/// Writes a matrix as a Matrix Market file "coordinate real general". A name that ends in .gz is compressed.
///
/// Numbers have the fewest digits that read back to the same bits. Inf and NaN are written as "inf" and
/// "nan"; the sign and payload of a NaN are lost. The file appears whole or not at all (see write_file()).
/// Throws io_error, out_of_memory and the errors of validate().
template <value V, offset O>
GOSSAMER_API void write_matrix_market(const std::filesystem::path& file, const csr_view<V, O>& a);

/// Writes a vector, or several columns of the same length, as a Matrix Market file "array real general". x
/// has the columns one after another. Otherwise as write_matrix_market(). Throws invalid_argument if columns
/// is less than 1 or does not divide the size of x.
template <value V>
GOSSAMER_API void write_vector(const std::filesystem::path& file, std::span<const V> x,
                               std::int64_t columns = 1);

}  // namespace gossamer::inline v0
