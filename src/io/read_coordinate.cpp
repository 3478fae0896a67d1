// SPDX-License-Identifier: BSD-3-Clause
// Two passes: threads parse chunks of text into entries grouped by bucket, a range of rows; then each
// bucket's entries are counted and placed by one thread, chunk by chunk, which keeps the file's order for any
// thread count.
#include "io/read_coordinate.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "core/csr_of_size.hpp"
#include "io/first_error.hpp"
#include "io/line.hpp"
#include "io/read_chunks.hpp"
#include "io/slabs.hpp"

namespace gossamer::inline v0::io {
namespace {

/// Cuts the rows into ranges of 2^shift. A bucket's row counters and its part of the matrix should fit in a
/// cache.
struct bucket_map {
  int shift = 0;
  std::int64_t count = 1;

  bucket_map(std::int64_t rows, std::int64_t text_bytes) {
    constexpr std::int64_t most = 256;  // beyond that, writing to one stream a bucket misses the TLB
    const std::int64_t wanted = std::clamp(std::max(text_bytes >> 18, rows >> 16), std::int64_t{1}, most);
    while (((rows - 1) >> shift) >= wanted) ++shift;
    count = std::max<std::int64_t>(1, ((rows - 1) >> shift) + 1);
  }

  [[nodiscard]] std::size_t of(std::int32_t row) const noexcept {
    return static_cast<std::size_t>(row >> shift);
  }
};

template <class V>
struct coordinate_chunk {
  std::int64_t lines = 0;  ///< entries in the file; mirrored ones come on top
  bool lower = false;      ///< has an entry below the diagonal
  bool upper = false;
  std::span<const entry<V>> entries;        ///< by bucket, within a bucket in the file's order
  std::vector<std::uint32_t> bucket_begin;  ///< one more than buckets

  [[nodiscard]] std::span<const entry<V>> bucket(std::size_t b) const noexcept {
    return entries.subspan(bucket_begin[b], bucket_begin[b + 1] - bucket_begin[b]);
  }
};

template <class V, field Field>
class coordinate_parser {
 public:
  coordinate_parser(const body_rules& rules, const bucket_map& buckets, slabs<entry<V>>& store)
      : rules_(rules), buckets_(buckets), parser_(rules), store_(store) {}

  bool operator()(std::string_view text, coordinate_chunk<V>& chunk) {
    const bool mirror = rules_.symmetry != symmetry::general;
    // The shortest line, "1 1" and a newline, has four bytes. Untouched memory costs nothing.
    make_room((text.size() / 4 + 1) * (mirror ? 2 : 1));
    chunk.bucket_begin.assign(static_cast<std::size_t>(buckets_.count) + 1, 0);
    entry<V>* const begin = scratch_.get();
    entry<V>* const end =
        mirror ? parse_lines<true>(text, begin, chunk) : parse_lines<false>(text, begin, chunk);
    if (end == nullptr) return false;
    group(begin, end, chunk);
    return true;
  }

 private:
  void make_room(std::size_t entries) {
    if (entries <= room_) return;
    scratch_ = std::make_unique_for_overwrite<entry<V>[]>(entries);
    room_ = entries;
  }

  /// Returns where the entries end, or null for a line that is wrong.
  template <bool Mirror>
  entry<V>* parse_lines(std::string_view text, entry<V>* out, coordinate_chunk<V>& chunk) {
    const char* p = text.data();
    const char* const end = p + text.size();
    const bool skew = rules_.symmetry == symmetry::skew;
    std::uint32_t* const counts = chunk.bucket_begin.data() + 1;
    std::int64_t lines = 0;
    while (p != end) {
      const line_kind kind = parser_.parse(p, end, *out);
      if (kind == line_kind::nothing) continue;
      if (kind == line_kind::wrong) return nullptr;
      ++lines;
      const entry<V> e = *out++;
      ++counts[buckets_.of(e.row)];
      if constexpr (Mirror) {
        chunk.lower |= e.row > e.col;
        chunk.upper |= e.row < e.col;
        if (e.row != e.col) {
          ++counts[buckets_.of(e.col)];
          *out++ = {e.col, e.row, skew ? -e.val : e.val};
        }
      }
    }
    chunk.lines = lines;
    return out;
  }

  /// A stable counting sort by bucket, from scratch memory into a chunk of exact size.
  void group(const entry<V>* begin, const entry<V>* end, coordinate_chunk<V>& chunk) {
    const std::span<entry<V>> room = store_.take(static_cast<std::size_t>(end - begin));
    chunk.entries = room;
    entry<V>* const to = room.data();
    std::vector<std::uint32_t>& starts = chunk.bucket_begin;
    if (buckets_.count == 1) {
      std::copy(begin, end, to);
      return;
    }
    for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
    next_.assign(starts.begin(), starts.end());
    for (const entry<V>* e = begin; e != end; ++e) to[next_[buckets_.of(e->row)]++] = *e;
  }

  body_rules rules_;
  const bucket_map& buckets_;
  line_parser<V, Field, false> parser_;
  typename slabs<entry<V>>::taker store_;
  std::unique_ptr<entry<V>[]> scratch_;
  std::size_t room_ = 0;
  std::vector<std::uint32_t> next_;
};

template <class V>
class csr_builder {
 public:
  csr_builder(const std::deque<coordinate_chunk<V>>& chunks, const bucket_map& buckets,
              const parsed_header& header)
      : chunks_(chunks), buckets_(buckets), bucket_begin_(static_cast<std::size_t>(buckets.count) + 1, 0) {
    for (const auto& chunk : chunks_) {
      for (std::size_t b = 0; b + 1 < bucket_begin_.size(); ++b)
        bucket_begin_[b + 1] += static_cast<std::int64_t>(chunk.bucket(b).size());
    }
    for (std::size_t b = 1; b < bucket_begin_.size(); ++b) bucket_begin_[b] += bucket_begin_[b - 1];
    a_ =
        csr_of_size<V>(header.words.rows, header.words.cols, static_cast<std::int64_t>(bucket_begin_.back()));
    a_.row_ptr[0] = 0;
  }

  csr_matrix<V, std::int64_t> build(int threads) {
    std::atomic<std::int64_t> next = 0;
    const bool small = a_.nnz() + a_.rows <= core::default_grain;
    core::parallel(small ? 1 : threads, [&](int, int) {
      for (std::int64_t b = next++; b < buckets_.count; b = next++) place_bucket(static_cast<std::size_t>(b));
    });
    return std::move(a_);
  }

 private:
  void place_bucket(std::size_t b) {
    // Row i is counted in ends[i], which then becomes its first slot and, while it fills, its end: the offset
    // of row i + 1. So each bucket writes offsets that no other bucket touches.
    std::int64_t* const ends = a_.row_ptr.data() + 1;
    const std::int64_t first = static_cast<std::int64_t>(b) << buckets_.shift;
    const std::int64_t last = std::min(a_.rows, static_cast<std::int64_t>(b + 1) << buckets_.shift);
    std::fill(ends + first, ends + last, std::int64_t{0});
    for (const auto& chunk : chunks_) {
      for (const entry<V>& e : chunk.bucket(b)) ++ends[e.row];
    }
    std::int64_t slot = bucket_begin_[b];
    for (std::int64_t i = first; i < last; ++i) slot += std::exchange(ends[i], slot);
    std::int32_t* const col = a_.col.data();
    V* const val = a_.val.data();
    for (const auto& chunk : chunks_) {
      for (const entry<V>& e : chunk.bucket(b)) {
        const std::int64_t k = ends[e.row]++;
        col[k] = e.col;
        val[k] = e.val;
      }
    }
  }

  const std::deque<coordinate_chunk<V>>& chunks_;
  const bucket_map& buckets_;
  std::vector<std::int64_t> bucket_begin_;
  csr_matrix<V, std::int64_t> a_;
};

struct body_summary {
  std::int64_t lines = 0;
  bool lower = false;
  bool upper = false;
};

template <class V>
body_summary summarise(const std::deque<coordinate_chunk<V>>& chunks) {
  body_summary all;
  for (const auto& chunk : chunks) {
    all.lines += chunk.lines;
    all.lower |= chunk.lower;
    all.upper |= chunk.upper;
  }
  return all;
}

template <class V, field Field>
csr_matrix<V, std::int64_t> read_field(text_source& source, const parsed_header& header,
                                       std::string_view name, const read_options& options) {
  const body_rules rules(header);
  const bucket_map buckets(header.words.rows, source.size_hint());
  using parser = coordinate_parser<V, Field>;
  std::deque<coordinate_chunk<V>> chunks;
  // A line is seldom shorter than an entry is in memory.
  const std::int64_t expected =
      std::min(header.words.entries, source.size_hint() / std::int64_t{sizeof(entry<V>)});
  slabs<entry<V>> store(expected, plan_chunks(source, options).threads);
  const bool parsed =
      read_chunks<parser>(source, options, chunks, [&] { return parser(rules, buckets, store); });
  const body_summary body = summarise(chunks);
  const bool complete = parsed && body.lines == header.words.entries;
  // With entries on both sides only a second look can tell whether some pair is given twice.
  if (!complete || (body.lower && body.upper)) throw_first_error<V>(source, header, name);
  if (!complete) fail(errc::io_error, "{}: the file changed while it was read", name);
  csr_matrix<V, std::int64_t> a = csr_builder<V>(chunks, buckets, header).build(options.threads);
  store.release(options.threads);
  return a;
}

}  // namespace

template <class V>
csr_matrix<V, std::int64_t> read_coordinate(text_source& source, const parsed_header& header,
                                            std::string_view name, const read_options& options) {
  switch (body_rules(header).field) {
    case field::real:
      return read_field<V, field::real>(source, header, name, options);
    case field::integer:
      return read_field<V, field::integer>(source, header, name, options);
    case field::pattern:
      break;
  }
  return read_field<V, field::pattern>(source, header, name, options);
}

template csr_matrix<float, std::int64_t> read_coordinate(text_source&, const parsed_header&, std::string_view,
                                                         const read_options&);
template csr_matrix<double, std::int64_t> read_coordinate(text_source&, const parsed_header&,
                                                          std::string_view, const read_options&);

}  // namespace gossamer::inline v0::io
