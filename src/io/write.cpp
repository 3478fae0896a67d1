// SPDX-License-Identifier: BSD-3-Clause
// The public writers: they cut the entries into blocks and format each block.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/io.hpp"
#include "gossamer/matrix.hpp"
#include "io/format_number.hpp"
#include "io/output_file.hpp"
#include "io/write_blocks.hpp"

namespace gossamer::inline v0 {
namespace {

/// Entries of one block: about a megabyte of text, which is also large enough to compress well on its own.
constexpr std::int64_t block_entries = std::int64_t{1} << 15;

void write_file(const std::filesystem::path& file, const std::string& header, std::int64_t entries,
                function_ref<char*(std::int64_t begin, std::int64_t end, char* out)> format,
                std::size_t entry_bytes) {
  const bool gzip = file.extension() == ".gz";
  const std::int64_t blocks = std::max<std::int64_t>(1, (entries + block_entries - 1) / block_entries);
  io::output_file out(file);
  io::write_blocks(out, blocks, gzip, [&](std::int64_t block, io::text_buffer& buffer) {
    const std::int64_t begin = block * block_entries;
    const std::int64_t end = std::min(entries, begin + block_entries);
    char* p = buffer.reserve(header.size() + static_cast<std::size_t>(block_entries) * entry_bytes);
    if (block == 0) p = std::copy(header.begin(), header.end(), p);
    buffer.end_at(format(begin, end, p));
  });
  out.commit();
}

template <class V, class O>
void write_matrix(const std::filesystem::path& file, const csr_view<V, O>& a) {
  validate(a);
  const std::string header =
      fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", a.rows, a.cols, a.nnz());
  const auto format = [&](std::int64_t begin, std::int64_t end, char* out) {
    // The row of entry `begin` is the last one that starts at or before it; empty rows before it start there
    // too.
    std::int64_t row =
        std::upper_bound(a.row_ptr.begin(), a.row_ptr.end(), static_cast<O>(begin)) - a.row_ptr.begin() - 1;
    for (std::int64_t k = begin; k < end; ++k) {
      while (k >= static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(row) + 1])) ++row;
      out = io::format_integer(out, row + 1);
      *out++ = ' ';
      out = io::format_integer(out, std::int64_t{a.col[static_cast<std::size_t>(k)]} + 1);
      *out++ = ' ';
      out = io::format_value(out, a.val[static_cast<std::size_t>(k)]);
      *out++ = '\n';
    }
    return out;
  };
  write_file(file, header, a.nnz(), format, 3 * io::longest_number);
}

template <class V>
void write_columns(const std::filesystem::path& file, std::span<const V> x, std::int64_t columns) {
  const auto size = static_cast<std::int64_t>(x.size());
  if (columns < 1 || size % columns != 0)
    fail(errc::invalid_argument, "write_vector: {} elements are no {} columns of the same size", size,
         columns);
  if (std::max(size / columns, columns) > max_dimension)
    fail(errc::unsupported, "{}: {} columns of {} elements: more than 2^31 - 1 are not supported",
         file.string(), columns, size / columns);
  const std::string header =
      fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", size / columns, columns);
  const auto format = [&](std::int64_t begin, std::int64_t end, char* out) {
    for (std::int64_t k = begin; k < end; ++k) {
      out = io::format_value(out, x[static_cast<std::size_t>(k)]);
      *out++ = '\n';
    }
    return out;
  };
  write_file(file, header, size, format, io::longest_number);
}

}  // namespace

template <value V, offset O>
void write_matrix_market(const std::filesystem::path& file, const csr_view<V, O>& a) {
  naming_out_of_memory(file.native(), [&] { write_matrix(file, a); });
}

template <value V>
void write_vector(const std::filesystem::path& file, std::span<const V> x, std::int64_t columns) {
  naming_out_of_memory(file.native(), [&] { write_columns(file, x, columns); });
}

#define GOSSAMER_INSTANCE(V, O) \
  template GOSSAMER_API void write_matrix_market(const std::filesystem::path&, const csr_view<V, O>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template GOSSAMER_API void write_vector(const std::filesystem::path&, std::span<const float>, std::int64_t);
template GOSSAMER_API void write_vector(const std::filesystem::path&, std::span<const double>, std::int64_t);

}  // namespace gossamer::inline v0
