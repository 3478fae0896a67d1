// SPDX-License-Identifier: BSD-3-Clause
// Coordinates in chunks, columns and values of which are compressed entry by entry (paper 001's BCCOO for CPUs).
#pragma once

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"
#include "formats/bccoo/tuples.hpp"
#include "formats/format.hpp"

namespace gossamer::inline v0::formats {

struct bccoo_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t chunk = papers_chunk;
  std::int64_t chunks = 1;
  exec::carry_counts carries;
};

template <class V>
struct bccoo_pointers {
  bccoo_meta meta;
  const V* lut;
  const std::int32_t* row;
  const std::int64_t* offset;
  const std::uint8_t* data;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct bccoo_storage {
  bccoo_meta meta;
  Buffer<T> lut;                ///< at most 256: the most frequent values, the most frequent first
  Buffer<std::int32_t> row;     ///< chunks: the row of each one's first tuple
  Buffer<std::int64_t> offset;  ///< chunks + 1: where each one's tuples begin
  Buffer<std::uint8_t> data;    ///< nnz + rows tuples; see tuples.hpp
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("lut", self.lut);
    f("row", self.row);
    f("offset", self.offset);
    f("data", self.data);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] bccoo_pointers<T> view() const {
    return {.meta = meta,
            .lut = lut.data(),
            .row = row.data(),
            .offset = offset.data(),
            .data = data.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

struct bccoo {
  static constexpr std::string_view name = "bccoo";
  static constexpr std::string_view source = "paper 001, section 2.1 (BCCOO)";
  static constexpr std::string_view help =
      "bcoo in 2 to 13 bytes an entry: differences of columns, and a table of frequent values";
  static constexpr device_set devices = device_set::cpu;
  static constexpr kept keeps{};
  static constexpr bool recodes = true;

  struct options {
    std::int64_t chunk = papers_chunk;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(chunk_field(), self.chunk);
    }
  };

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  /// O(nonzeros): what values are frequent, and how columns differ, is all that decides. What it finds are the bits of `lut`.
  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m,
                     const footprint& size);

  template <class T, offset O, template <class> class Buffer>
  using storage = bccoo_storage<T, Buffer>;

  template <value V, offset O>
  static bccoo_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o, const exec::target&) {
    return encode(a, o, frequent_values<V>(a.val, bccoo_code::most_in_table));
  }
  template <value V, offset O>
  static bccoo_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o, const exec::target&,
                                             const footprint& measured);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const bccoo_storage<V, host_buffer>& stored);

  template <value V>
  static std::int64_t scratch(const bccoo_pointers<V>& a) {
    return exec::scratch_values<V>(a.carries);
  }
  template <value V>
  static cpu_passes<bccoo_pointers<V>, V> passes(const bccoo_pointers<V>& a, isa level);

 private:
  template <value V, offset O>
  static bccoo_storage<V, host_buffer> encode(const csr_view<V, O>& a, const options& o,
                                              const std::vector<V>& lut);
};

namespace bccoo_code {

/// A chunk takes microseconds.
inline constexpr std::int64_t chunks_worth_a_thread = 8;

/// size(h, bytes_of_chunk()) for each chunk, on all cores.
template <value V, offset O, class Size>
void for_each_size(const csr_view<V, O>& a, std::int64_t chunk, const value_index<V>& table, Size&& size) {
  exec::parallel_for(chunks_of(a.nnz(), chunk), chunks_worth_a_thread,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t h = begin; h < end; ++h) size(h, bytes_of_chunk(a, chunk, h, table));
                     });
}

}  // namespace bccoo_code

template <class V, offset O>
footprint bccoo::measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                         const exec::target&) {
  const std::int64_t chunks = chunks_of(s.nnz, o.chunk);
  constexpr auto index_bytes = static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(std::int64_t));
  footprint f{.bytes = chunks * index_bytes + static_cast<std::int64_t>(sizeof(std::int64_t)),
              .refusal = too_many_chunks(s.nnz, o.chunk)};
  if (!f.refusal.empty()) {
    constexpr auto longest = static_cast<std::int64_t>(1 + sizeof(std::uint32_t) + sizeof(V));
    f.exact = false;
    f.bytes += static_cast<std::int64_t>(bccoo_code::most_in_table * sizeof(V)) + s.nnz * longest + s.rows +
               exec::carry_bytes_bound(chunks, std::min(s.nnz, s.rows));
    return f;
  }
  const std::vector<V> lut = frequent_values<V>(a.val, bccoo_code::most_in_table);
  std::atomic<std::int64_t> data{0};  // whole numbers: the same in any order
  bccoo_code::for_each_size(a, o.chunk, value_index<V>(lut),
                            [&](std::int64_t, std::int64_t bytes) { data.fetch_add(bytes); });
  f.bytes += static_cast<std::int64_t>(lut.size() * sizeof(V)) + data + chunk_carry_bytes(a, o.chunk);
  for (const V each : lut) f.found.push_back(std::bit_cast<bits_of_value<V>>(each));
  return f;
}

template <class V, offset O>
double bccoo::cost(const row_statistics& s, const options&, const exec::target&, const machine& m,
                   const footprint& size) {
  return roofline(static_cast<double>(size.bytes) + static_cast<double>(s.rows + s.cols) * sizeof(V), 1, m);
}

template <value V, offset O>
bccoo_storage<V, host_buffer> bccoo::build(const csr_view<V, O>& a, const options& o, const exec::target&,
                                           const footprint& measured) {
  std::vector<V> lut;
  for (const std::uint64_t bits : measured.found)
    lut.push_back(std::bit_cast<V>(static_cast<bits_of_value<V>>(bits)));
  return encode(a, o, lut);
}

template <value V, offset O>
bccoo_storage<V, host_buffer> bccoo::encode(const csr_view<V, O>& a, const options& o,
                                            const std::vector<V>& lut) {
  bccoo_storage<V, host_buffer> s;
  const std::int64_t chunks = chunks_of(a.nnz(), o.chunk);
  s.meta = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .chunk = o.chunk, .chunks = chunks};
  s.lut = host_buffer<V>(lut.size());
  std::copy(lut.begin(), lut.end(), s.lut.data());
  s.row = host_buffer<std::int32_t>(static_cast<std::size_t>(chunks));
  s.offset = host_buffer<std::int64_t>(static_cast<std::size_t>(chunks) + 1);
  const value_index<V> table(lut);
  std::int64_t* const offset = s.offset.data();
  bccoo_code::for_each_size(a, o.chunk, table, [&](std::int64_t h, std::int64_t bytes) {
    s.row.data()[h] = h == 0 ? 0 : row_of_entry(a, h * o.chunk);
    offset[h + 1] = bytes;
  });
  offset[0] = 0;
  for (std::int64_t h = 0; h < chunks; ++h) offset[h + 1] += offset[h];
  s.data = host_buffer<std::uint8_t>(static_cast<std::size_t>(offset[chunks]));
  exec::parallel_for(chunks, bccoo_code::chunks_worth_a_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t h = begin; h < end; ++h)
      bccoo_code::write_chunk(a, o.chunk, h, table, s.data.data() + offset[h]);
  });
  s.carries = exec::list_carries(
      chunks, [&](std::int64_t u) { return row_across_chunks(a, o.chunk, u); }, s.meta.carries);
  return s;
}

template <value V>
csr_matrix<V, std::int64_t> bccoo::to_csr(const bccoo_storage<V, host_buffer>& stored) {
  const bccoo_meta& m = stored.meta;
  csr_matrix<V, std::int64_t> a{.rows = m.rows,
                                .cols = m.cols,
                                .row_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(m.rows) + 1),
                                .col = host_buffer<std::int32_t>(static_cast<std::size_t>(m.nnz)),
                                .val = host_buffer<V>(static_cast<std::size_t>(m.nnz))};
  a.row_ptr[0] = 0;
  exec::parallel_for(m.chunks, bccoo_code::chunks_worth_a_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t h = begin; h < end; ++h) {
      std::int64_t k = h * m.chunk;
      std::int64_t row = stored.row.data()[h];
      bccoo_code::read_chunk(
          stored.data.data() + stored.offset.data()[h], stored.data.data() + stored.offset.data()[h + 1],
          stored.lut.data(),
          [&](std::int32_t col, V val) {
            a.col.data()[k] = col;
            a.val.data()[k++] = val;
          },
          [&] { a.row_ptr.data()[++row] = k; });
    }
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
