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
#include "io/tar.hpp"
#include "io/text.hpp"
#include "io/text_source.hpp"

namespace gossamer::inline v0 {
namespace {

void check(const read_options& options) {
  if (options.threads < 0) fail(errc::invalid_argument, "read_options: threads is {}", options.threads);
  if (options.chunk_bytes < 0)
    fail(errc::invalid_argument, "read_options: chunk_bytes is {}", options.chunk_bytes);
}

/// The text of a matrix and its name in messages.
struct opened_text {
  std::unique_ptr<io::text_source> text;
  std::string name;
};

std::unique_ptr<io::byte_stream> open_zstd(const io::input_bytes& bytes, const std::string& name) {
  std::unique_ptr<io::byte_stream> stream = io::make_zstd_stream(bytes);
  if (stream == nullptr)
    fail(errc::unsupported,
         "{}: this is a Zstandard file, and this build has no libzstd: decompress it with zstd -d FILE",
         name);
  return stream;
}

opened_text open_text(const io::input_bytes& bytes, const std::filesystem::path& file) {
  const std::string& name = file.native();  // no copy, which could find no memory
  const std::string first = bytes.beginning(io::tar_header_bytes);
  const bool gzip = io::is_gzip(first);
  const bool compressed = gzip || io::is_zstd(first);
  const auto open_stream = [&] {
    return gzip         ? io::make_gzip_stream(bytes)
           : compressed ? open_zstd(bytes, name)
                        : io::make_file_stream(bytes);
  };
  std::string beginning = first;
  if (compressed) {
    beginning.resize(io::tar_header_bytes);
    beginning.resize(io::read_all(*open_stream(), beginning));
  }
  if (io::is_tar(beginning)) {
    io::tar_member member = io::open_matrix_in_tar(open_stream(), name);
    return {io::make_stream_source(std::move(member.bytes), io::size_hint_of_compressed(bytes)),
            name + "(" + member.name + ")"};
  }
  if (compressed) return {io::make_stream_source(open_stream(), io::size_hint_of_compressed(bytes)), name};
  if (file.extension() == ".gz" && bytes.size() > 0 &&
      io::known_kind(bytes.beginning(io::known_kind_bytes)).empty())
    io::fail_at(errc::parse_error, name, {}, "this is not gzip data, though the name ends in .gz");
  return {io::make_plain_source(bytes), name};
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
    const opened_text opened = open_text(bytes, file);
    return read_matrix<V>(*opened.text, opened.name, options);
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
    const opened_text opened = open_text(bytes, file);
    return read_vector_text<V>(*opened.text, opened.name, options);
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
