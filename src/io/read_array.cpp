// SPDX-License-Identifier: BSD-3-Clause
#include "io/read_array.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "core/csr_of_size.hpp"
#include "io/first_error.hpp"
#include "io/line.hpp"
#include "io/read_chunks.hpp"

namespace gossamer::inline v0::io {
namespace {

template <class V>
struct array_chunk {
  std::int64_t first = 0;  ///< how many values stand before it
  host_buffer<V> values;
};

template <class V, field Field>
class array_parser {
 public:
  explicit array_parser(const body_rules& rules) : parser_(rules) {}

  bool operator()(std::string_view text, array_chunk<V>& chunk) {
    scratch_.clear();
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      entry<V> e;
      const line_kind kind = parser_.parse(p, end, e);
      if (kind == line_kind::wrong) return false;
      if (kind == line_kind::entry) scratch_.push_back(e.val);
    }
    chunk.values = host_buffer<V>(scratch_.size());
    std::copy(scratch_.begin(), scratch_.end(), chunk.values.data());
    return true;
  }

 private:
  line_parser<V, Field, true> parser_;
  std::vector<V> scratch_;
};

template <class V, field Field>
void read_field(text_source& source, const parsed_header& header, std::string_view name,
                const read_options& options, std::deque<array_chunk<V>>& chunks) {
  using parser = array_parser<V, Field>;
  const bool parsed =
      read_chunks<parser>(source, options, chunks, [&] { return parser(body_rules(header)); });
  std::int64_t count = 0;
  for (array_chunk<V>& chunk : chunks) {
    chunk.first = count;
    count += static_cast<std::int64_t>(chunk.values.size());
  }
  if (parsed && count == header.words.entries) return;
  throw_first_error<V>(source, header, name);
  fail(errc::io_error, "{}: the file changed while it was read", name);
}

/// All values of the file. Nothing is taken from the shape before the body has been found to be complete.
template <class V>
std::deque<array_chunk<V>> read_values(text_source& source, const parsed_header& header,
                                       std::string_view name, const read_options& options) {
  std::deque<array_chunk<V>> chunks;
  if (body_rules(header).field == field::integer)
    read_field<V, field::integer>(source, header, name, options, chunks);
  else
    read_field<V, field::real>(source, header, name, options, chunks);
  return chunks;
}

template <class V, class Body>
void for_each_chunk(const std::deque<array_chunk<V>>& chunks, int threads, Body&& body) {
  core::parallel_for(
      static_cast<std::int64_t>(chunks.size()), 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) body(chunks[static_cast<std::size_t>(k)]);
      },
      threads);
}

/// Walks through the entries of a file, column by column, from the k-th on. `skip` rows of column j are not
/// in the file: none, those above the diagonal, or those and the diagonal.
class column_walk {
 public:
  column_walk(const body_rules& rules, std::int64_t k) : rules_(rules) {
    std::int64_t low = 0;
    std::int64_t high = rules.cols;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (begin_of(middle) <= k ? low : high) = middle;
    }
    col = low;
    row = first_row(col) + k - begin_of(col);
    settle();
  }

  void advance() {
    ++row;
    settle();
  }

  std::int64_t row = 0;
  std::int64_t col = 0;

 private:
  [[nodiscard]] std::int64_t first_row(std::int64_t j) const noexcept {
    return rules_.symmetry == symmetry::general ? 0 : rules_.symmetry == symmetry::symmetric ? j : j + 1;
  }
  /// How many entries stand before column j.
  [[nodiscard]] std::int64_t begin_of(std::int64_t j) const noexcept {
    const std::int64_t skipped = rules_.symmetry == symmetry::general     ? 0
                                 : rules_.symmetry == symmetry::symmetric ? j * (j - 1) / 2
                                                                          : j * (j + 1) / 2;
    return j * rules_.rows - skipped;
  }
  void settle() noexcept {
    if (row < rules_.rows) return;
    ++col;
    row = first_row(col);
  }

  const body_rules& rules_;
};

}  // namespace

template <class V>
host_buffer<V> read_vector_values(text_source& source, const parsed_header& header, std::string_view name,
                                  const read_options& options) {
  const std::deque<array_chunk<V>> chunks = read_values<V>(source, header, name, options);
  host_buffer<V> x(static_cast<std::size_t>(header.words.entries));
  for_each_chunk(chunks, options.threads, [&](const array_chunk<V>& chunk) {
    std::copy(chunk.values.span().begin(), chunk.values.span().end(), x.data() + chunk.first);
  });
  return x;
}

template <class V>
csr_matrix<V, std::int64_t> read_array(text_source& source, const parsed_header& header,
                                       std::string_view name, const read_options& options) {
  const std::deque<array_chunk<V>> chunks = read_values<V>(source, header, name, options);
  const body_rules rules(header);
  const bool skew = rules.symmetry == symmetry::skew;
  const std::int64_t width = std::max<std::int64_t>(0, rules.cols - (skew ? 1 : 0));
  auto a = csr_of_size<V>(rules.rows, rules.cols, rules.rows * width);
  a.row_ptr[0] = 0;
  core::parallel_for(
      rules.rows, std::max<std::int64_t>(1, core::default_grain / (width + 1)),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          a.row_ptr.data()[i + 1] = (i + 1) * width;
          std::int32_t* const col = a.col.data() + i * width;
          for (std::int64_t k = 0; k < width; ++k)
            col[k] = static_cast<std::int32_t>(skew && k >= i ? k + 1 : k);
        }
      },
      options.threads);
  V* const val = a.val.data();
  const auto slot = [&](std::int64_t i, std::int64_t j) { return i * width + j - (skew && j > i ? 1 : 0); };
  for_each_chunk(chunks, options.threads, [&](const array_chunk<V>& chunk) {
    if (chunk.values.empty()) return;
    column_walk at(rules, chunk.first);
    for (const V value : chunk.values.span()) {
      val[slot(at.row, at.col)] = value;
      if (rules.symmetry != symmetry::general && at.row != at.col)
        val[slot(at.col, at.row)] = skew ? -value : value;
      at.advance();
    }
  });
  return a;
}

template host_buffer<float> read_vector_values(text_source&, const parsed_header&, std::string_view,
                                               const read_options&);
template host_buffer<double> read_vector_values(text_source&, const parsed_header&, std::string_view,
                                                const read_options&);
template csr_matrix<float, std::int64_t> read_array(text_source&, const parsed_header&, std::string_view,
                                                    const read_options&);
template csr_matrix<double, std::int64_t> read_array(text_source&, const parsed_header&, std::string_view,
                                                     const read_options&);

}  // namespace gossamer::inline v0::io
