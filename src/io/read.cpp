// SPDX-License-Identifier: BSD-3-Clause
// The public readers: they open the text, read the header and hand the body to the reader of its kind.
#include <algorithm>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/io.hpp"
#include "gossamer/resource.hpp"
#include "io/gzip.hpp"
#include "io/header.hpp"
#include "io/inflater.hpp"
#include "io/input_bytes.hpp"
#include "io/known_kinds.hpp"
#include "io/read_array.hpp"
#include "io/read_chunks.hpp"
#include "io/read_coordinate.hpp"
#include "io/text.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0 {
namespace {

void check(const read_options& options) {
  if (options.threads < 0) fail(errc::invalid_argument, "read_options: threads is {}", options.threads);
  if (options.chunk_bytes < 0)
    fail(errc::invalid_argument, "read_options: chunk_bytes is {}", options.chunk_bytes);
}

std::unique_ptr<io::text_source> open_text(const io::input_bytes& bytes, const std::filesystem::path& file) {
  if (io::is_gzip(bytes.beginning(2))) return io::make_gzip_source(bytes);
  if (file.extension() == ".gz" && bytes.size() > 0 &&
      io::known_kind(bytes.beginning(io::known_kind_bytes)).empty())
    io::fail_at(errc::parse_error, file.string(), {}, "this is not gzip data, though the name ends in .gz");
  return io::make_plain_source(bytes);
}

/// Text from damaged data may be anything, so nothing that is wrong with it counts before the damage. What is
/// not supported was recognised by its first words, and the rest is not decompressed to look for damage.
template <class Body>
auto blaming_damage_first(io::text_source& source, std::string_view name, Body&& body) {
  try {
    return body();
  } catch (const error& e) {
    if (e.code() != errc::parse_error) throw;
    if (const auto damage = source.find_damage())
      io::fail_at(errc::parse_error, name, damage->at, "{}", damage->reason);
    throw;
  }
}

template <class V>
csr_matrix<V, std::int64_t> read_body(io::text_source& source, const io::parsed_header& header,
                                      std::string_view name, const read_options& options) {
  return header.is_array() ? io::read_array<V>(source, header, name, options)
                           : io::read_coordinate<V>(source, header, name, options);
}

template <class V>
matrix_market_matrix<V> read_matrix(io::text_source& source, std::string_view name,
                                    const read_options& options) {
  return blaming_damage_first(source, name, [&]() -> matrix_market_matrix<V> {
    io::report(options.progress, 0);
    const io::parsed_header header = io::read_header(source, name, io::content::matrix);
    csr_matrix<V, std::int64_t> a = read_body<V>(source, header, name, options);
    io::report(options.progress, 1);
    return {.header = header.words, .matrix = std::move(a)};
  });
}

/// Entries in one place are summed, as a product sums them.
template <class V>
host_buffer<V> to_vector(const csr_matrix<V, std::int64_t>& a) {
  host_buffer<V> x(static_cast<std::size_t>(a.rows * a.cols));
  std::fill(x.data(), x.data() + x.size(), V{0});
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k)
      x.data()[i + a.col.data()[k]] += a.val.data()[k];
  }
  return x;
}

template <class V>
host_buffer<V> read_vector_text(io::text_source& source, std::string_view name, const read_options& options) {
  return blaming_damage_first(source, name, [&] {
    io::report(options.progress, 0);
    const io::parsed_header header = io::read_header(source, name, io::content::vector);
    host_buffer<V> x = header.is_array() && header.is_general()
                           ? io::read_vector_values<V>(source, header, name, options)
                           : to_vector(read_body<V>(source, header, name, options));
    io::report(options.progress, 1);
    return x;
  });
}

}  // namespace

std::string_view gzip_library() noexcept {
  return io::have_isal() ? "ISA-L" : "zlib";
}

template <value V>
matrix_market_matrix<V> read_matrix_market(const std::filesystem::path& file, const read_options& options) {
  check(options);
  const thread_limit limit(options.threads);
  const std::string& name = file.native();  // no copy, which could find no memory
  return naming_out_of_memory(name, [&] {
    const io::input_bytes bytes(file);
    return read_matrix<V>(*open_text(bytes, file), name, options);
  });
}

template <value V>
matrix_market_matrix<V> parse_matrix_market(std::string_view text, std::string_view name,
                                            const read_options& options) {
  check(options);
  const thread_limit limit(options.threads);
  return naming_out_of_memory(name,
                              [&] { return read_matrix<V>(*io::make_plain_source(text), name, options); });
}

template <value V>
host_buffer<V> read_vector(const std::filesystem::path& file, const read_options& options) {
  check(options);
  const thread_limit limit(options.threads);
  const std::string& name = file.native();  // no copy, which could find no memory
  return naming_out_of_memory(name, [&] {
    const io::input_bytes bytes(file);
    return read_vector_text<V>(*open_text(bytes, file), name, options);
  });
}

template GOSSAMER_API matrix_market_matrix<float> read_matrix_market(const std::filesystem::path&,
                                                                     const read_options&);
template GOSSAMER_API matrix_market_matrix<double> read_matrix_market(const std::filesystem::path&,
                                                                      const read_options&);
template GOSSAMER_API matrix_market_matrix<float> parse_matrix_market(std::string_view, std::string_view,
                                                                      const read_options&);
template GOSSAMER_API matrix_market_matrix<double> parse_matrix_market(std::string_view, std::string_view,
                                                                       const read_options&);
template GOSSAMER_API host_buffer<float> read_vector(const std::filesystem::path&, const read_options&);
template GOSSAMER_API host_buffer<double> read_vector(const std::filesystem::path&, const read_options&);

}  // namespace gossamer::inline v0
