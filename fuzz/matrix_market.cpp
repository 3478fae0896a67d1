// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a Matrix Market file: one result, a valid matrix or one error of the library, for every way to
// cut the text.
#include <bit>
#include <span>
#include <string_view>
#include <variant>

#include "fuzz/target.hpp"
#include "gossamer/error.hpp"
#include "gossamer/io.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::fuzz {
namespace {

struct refusal {
  errc code;
  std::string message;
  friend bool operator==(const refusal&, const refusal&) = default;
};

template <class V>
using outcome = std::variant<matrix_market_matrix<V>, refusal>;

template <class V>
outcome<V> parse(std::string_view text, const read_options& options) {
  try {
    return parse_matrix_market<V>(text, "f", options);
  } catch (const error& problem) {
    return refusal{problem.code(), problem.what()};
  }
}

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  const auto bytes_a = std::as_bytes(a);
  const auto bytes_b = std::as_bytes(b);
  return std::equal(bytes_a.begin(), bytes_a.end(), bytes_b.begin(), bytes_b.end());
}

template <class V>
bool same(const outcome<V>& a, const outcome<V>& b) {
  if (a.index() != b.index()) return false;
  if (const auto* r = std::get_if<refusal>(&a)) return *r == std::get<refusal>(b);
  const auto x = std::get<0>(a).matrix.view();
  const auto y = std::get<0>(b).matrix.view();
  return x.rows == y.rows && x.cols == y.cols && same_bytes(x.row_ptr, y.row_ptr) &&
         same_bytes(x.col, y.col) && same_bytes(x.val, y.val);
}

template <class V>
std::string text_of(const outcome<V>& o) {
  if (const auto* r = std::get_if<refusal>(&o)) return r->message;
  return "a matrix of " + std::to_string(std::get<0>(o).matrix.nnz()) + " entries";
}

template <class V>
void check(std::string_view text) {
  const outcome<V> whole = parse<V>(text, {.threads = 1, .chunk_bytes = 0, .progress = {}});
  if (const auto* read = std::get_if<0>(&whole)) {
    validate(read->matrix.view());
    if (read->header.rows != read->matrix.rows || read->header.cols != read->matrix.cols)
      found("the header and the matrix have different shapes");
  } else {
    const refusal& r = std::get<refusal>(whole);
    if (r.code != errc::parse_error && r.code != errc::unsupported && r.code != errc::out_of_memory)
      found("an unexpected error: " + r.message);
    if (!r.message.starts_with("f:") || r.message.find('\n') != std::string::npos)
      found("a message without a name, or of several lines: " + r.message);
  }
  const std::int64_t cut = 1 + static_cast<std::int64_t>(text.size() % 61);
  for (const read_options& way : {read_options{.threads = 1, .chunk_bytes = 1, .progress = {}},
                                  read_options{.threads = 2, .chunk_bytes = cut, .progress = {}}}) {
    const outcome<V> again = parse<V>(text, way);
    // Which array is too large may differ; that memory ran out may not.
    const auto* r = std::get_if<refusal>(&whole);
    const auto* s = std::get_if<refusal>(&again);
    if (r != nullptr && s != nullptr && r->code == errc::out_of_memory && s->code == r->code) continue;
    if (!same<V>(whole, again))
      found("chunks of " + std::to_string(way.chunk_bytes) + ": " + text_of<V>(again) +
            "; else: " + text_of<V>(whole));
  }
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gossamer::fuzz::bound_memory();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size % 4 == 0)
    gossamer::fuzz::check<float>(text);
  else
    gossamer::fuzz::check<double>(text);
  return 0;
}
