// SPDX-License-Identifier: BSD-3-Clause
// Coordinates in chunks, columns and values of which are compressed entry by entry (paper 001's BCCOO for
// CPUs) or in one way for all entries of a chunk (its BCCOO for GPUs).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "formats/contract/format.hpp"
#include "formats/papers/bccoo/chunks.hpp"
#include "formats/papers/bccoo/diagonals.hpp"
#include "formats/papers/bccoo/storage.hpp"
#include "formats/papers/bccoo/to_csr.hpp"
#include "formats/papers/bccoo/tuples.hpp"
#include "formats/papers/bccoo/uniform.hpp"

namespace gossamer::inline v0::formats {

/// The footprint, and the lookup table that measure() made.
template <value V>
struct bccoo_footprint : footprint {
  std::vector<V> lut;
};

struct bccoo {
  static constexpr std::string_view name = "bccoo";
  static constexpr std::string_view source = "paper 001, sections 2.1 to 2.3 (BCCOO)";
  static constexpr std::string_view help = "bcoo with compressed columns and a table of frequent values";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};
  static constexpr device_set reencodes = device_set::both;

  static constexpr std::array<option_choice, 4> encodings{
      option_choice{"auto", "tuples on a CPU, chunk_uniform on a GPU"},
      option_choice{"tuples", "the paper's encoding for CPUs: each entry in as few bytes as possible",
                    device_set::cpu},
      option_choice{
          "chunk_uniform",
          "the paper's encoding for GPUs: all entries of a chunk in one way, for vectors; on a CPU rows and "
          "columns in what the chunk allows"},
      option_choice{"chunk_published", "the paper's encoding for GPUs, unchanged, on a CPU",
                    device_set::cpu}};

  struct options {
    std::int64_t chunk = 0;
    bccoo_codes codes = bccoo_codes::automatic;
    chunk_accumulate accumulate = chunk_accumulate::ordered;
    std::int64_t entries_per_thread = 8;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      number_field chunk = chunk_field();
      chunk.has_auto = true;
      f(chunk, self.chunk);
      f(choice_field{.name = "codes", .help = "how entries are encoded", .choices = encodings}, self.codes);
      f(chunk_accumulate_field(), self.accumulate);
      f(entries_per_thread_field(), self.entries_per_thread);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);
  static constexpr bool deterministic(const options& o) { return o.accumulate == chunk_accumulate::ordered; }

  /// O(nonzeros): the bytes depend on the frequent values and on the distances of columns.
  template <class V, offset O>
  static bccoo_footprint<V> measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                    const exec::target& target);
  /// By a sample of chunks, and a table by a sample of values, finite ones, where there are many.
  template <class V, offset O>
  static bccoo_footprint<V> estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                     const exec::target& target);
  template <class V, offset O>
  static bccoo_footprint<V> least(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                  const exec::target& target);
  /// Tuples are decoded a byte at a time.
  static constexpr core_work work(const options& o) {
    return o.codes == bccoo_codes::tuples ? zen4::bccoo_tuples : zen4::bccoo_chunks;
  }
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::bccoo, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m,
                     const bccoo_footprint<V>& size);

  template <class T, offset O, template <class> class Buffer>
  using storage = bccoo_storage<T, Buffer>;

  template <value V, offset O>
  static bccoo_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o,
                                             const exec::target& target) {
    return encode(a, o, target, frequent_values<V>(a.val, bccoo_code::most_in_table));
  }
  template <value V, offset O>
  static bccoo_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o,
                                             const exec::target& target, const bccoo_footprint<V>& measured);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const bccoo_storage<V, host_buffer>& stored) {
    return bccoo_matrix(stored);
  }

  template <scalar_types S>
  static std::int64_t scratch(const bccoo_pointers<matrix_t<S>>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries);
  }
  template <scalar_types S>
  static cpu_passes<bccoo_pointers<matrix_t<S>>, S> passes(const bccoo_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const bccoo_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);

 private:
  /// What measure() says except for the table and the chunks' data; where there are too many chunks an upper
  /// bound of all.
  template <class V, offset O>
  static bccoo_footprint<V> footprint_of_headers(const csr_view<V, O>& a, const row_statistics& s,
                                                 const options& o);
  template <value V, offset O>
  static bccoo_storage<V, host_buffer> encode(const csr_view<V, O>& a, const options& o,
                                              const exec::target& target, const std::vector<V>& lut);
};

namespace bccoo_code {

/// What stands beside chunk h, and its bytes, in either coding.
template <value V, offset O>
bccoo_uniform::chunk chunk_of(const csr_view<V, O>& a, const bccoo::options& o, std::int64_t h,
                              const value_index<V>& table, bool on_cpu) {
  if (o.codes != bccoo_codes::tuples) {
    const bool fitted = on_cpu && o.codes == bccoo_codes::chunk_uniform;
    const bccoo_uniform::chunk c = bccoo_uniform::chunk_of(a, o.chunk, h, table, fitted);
    return fitted ? bccoo_uniform::on_diagonals_or(c, a, o.chunk, h) : c;
  }
  return {.row = h == 0 ? 0 : row_of_entry(a, h * o.chunk), .bytes = bytes_of_chunk(a, o.chunk, h, table)};
}

/// Of `size` chunks, the i-th of which is number which(i).
template <value V, offset O, class Which>
std::int64_t bytes_of_chunks(const csr_view<V, O>& a, const bccoo::options& o, const std::vector<V>& lut,
                             const exec::target& target, std::int64_t size, Which&& which) {
  const value_index<V> table(lut);
  const bool on_cpu = target.kind == device_set::cpu;
  std::atomic<std::int64_t> sum{0};  // whole numbers: the same in any order
  for_each_chunk(size, [&](std::int64_t i) {
    sum.fetch_add(chunk_of(a, o, which(i), table, on_cpu).bytes, std::memory_order_relaxed);
  });
  return sum;
}

}  // namespace bccoo_code

template <class V, offset O>
bccoo_footprint<V> bccoo::footprint_of_headers(const csr_view<V, O>& a, const row_statistics& s,
                                               const options& o) {
  const std::int64_t chunks = chunks_of(s.nnz, o.chunk);
  const bool uniform = o.codes != bccoo_codes::tuples;
  const bool ordered = o.accumulate == chunk_accumulate::ordered;
  constexpr auto row_bytes = static_cast<std::int64_t>(sizeof(std::int32_t));
  constexpr auto offset_bytes = static_cast<std::int64_t>(sizeof(std::int64_t));
  const std::int64_t header_bytes = row_bytes + offset_bytes + (uniform ? 1 + row_bytes : 0);
  bccoo_footprint<V> f;
  f.bytes = chunks * header_bytes + offset_bytes + (uniform ? bccoo_uniform::behind_the_last : 0);
  f.refusal = too_many_chunks(s.nnz, o.chunk);
  if (!f.refusal.empty()) {
    constexpr auto table = static_cast<std::int64_t>(bccoo_code::most_in_table * sizeof(V));
    constexpr auto longest_tuple = static_cast<std::int64_t>(1 + sizeof(std::uint32_t) + sizeof(V));
    constexpr unsigned widest = 2u | 2u << bccoo_uniform::row_shift;
    f.exact = false;
    f.bytes += table + (ordered ? exec::carry_bytes_bound(chunks, std::min(s.nnz, s.rows)) : 0) +
               (uniform ? chunks * bccoo_uniform::layout_of(widest, o.chunk, sizeof(V)).end
                        : s.nnz * longest_tuple + s.rows);
  } else if (ordered) {
    f.bytes += chunk_carry_bytes(a, o.chunk);
  }
  return f;
}

template <class V, offset O>
bccoo_footprint<V> bccoo::measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                  const exec::target& target) {
  bccoo_footprint<V> f = footprint_of_headers(a, s, o);
  if (!f.refusal.empty()) return f;
  f.lut = frequent_values<V>(a.val, bccoo_code::most_in_table);
  f.bytes += static_cast<std::int64_t>(f.lut.size() * sizeof(V)) +
             bccoo_code::bytes_of_chunks(a, o, f.lut, target, chunks_of(s.nnz, o.chunk),
                                         [](std::int64_t i) { return i; });
  return f;
}

template <class V, offset O>
bccoo_footprint<V> bccoo::estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                   const exec::target& target) {
  constexpr std::int64_t sampled = 256;
  const std::int64_t chunks = chunks_of(s.nnz, o.chunk);
  if (chunks <= 2 * sampled || !too_many_chunks(s.nnz, o.chunk).empty()) return measure(a, s, o, target);
  bccoo_footprint<V> f = footprint_of_headers(a, s, o);
  const std::vector<V> lut = tabulate<V>(a.val, bccoo_code::most_in_table).values;
  const std::int64_t data = bccoo_code::bytes_of_chunks(
      a, o, lut, target, sampled, [&](std::int64_t i) { return sampled_place(i, chunks, sampled); });
  f.exact = false;
  f.bytes += static_cast<std::int64_t>(lut.size() * sizeof(V)) +
             static_cast<std::int64_t>(static_cast<double>(data) / sampled * static_cast<double>(chunks));
  return f;
}

/// Values that no table holds are stored; a tuple has a byte for its column and one for a value of the table.
template <class V, offset O>
bccoo_footprint<V> bccoo::least(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                const exec::target&) {
  const double held = most_in_table<V>(a.val, bccoo_code::most_in_table);
  const double for_others = (1 - held) * sizeof(V);
  const double of_each = for_others + (o.codes == bccoo_codes::tuples ? 1 + held : 0);
  bccoo_footprint<V> f;
  f.bytes = static_cast<std::int64_t>(static_cast<double>(s.nnz) * of_each);
  f.exact = false;
  return f;
}

template <class V, offset O>
double bccoo::cost(const row_statistics& s, const options& o, const exec::target&, const machine& m,
                   const bccoo_footprint<V>& size) {
  return chunks_roofline(size.bytes, sizeof(V), s, o.accumulate, m);
}

template <value V, offset O>
bccoo_storage<V, host_buffer> bccoo::build(const csr_view<V, O>& a, const options& o,
                                           const exec::target& target, const bccoo_footprint<V>& measured) {
  return encode(a, o, target, measured.lut);
}

template <value V, offset O>
bccoo_storage<V, host_buffer> bccoo::encode(const csr_view<V, O>& a, const options& o,
                                            const exec::target& target, const std::vector<V>& lut) {
  bccoo_storage<V, host_buffer> s;
  const std::int64_t chunks = chunks_of(a.nnz(), o.chunk);
  const bool uniform = o.codes != bccoo_codes::tuples;
  const bool on_cpu = target.kind == device_set::cpu;
  s.meta = {
      .rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .chunk = o.chunk, .chunks = chunks, .codes = o.codes};
  if (on_cpu) s.meta.threads = core::team_size(target.threads);
  s.lut = host_buffer<V>(lut.size());
  std::copy(lut.begin(), lut.end(), s.lut.data());
  s.row = host_buffer<std::int32_t>(static_cast<std::size_t>(chunks));
  s.format = host_buffer<std::uint8_t>(uniform ? static_cast<std::size_t>(chunks) : 0);
  s.column = host_buffer<std::int32_t>(uniform ? static_cast<std::size_t>(chunks) : 0);
  s.offset = host_buffer<std::int64_t>(static_cast<std::size_t>(chunks) + 1);
  const value_index<V> table(lut);
  std::int64_t* const offset = s.offset.data();
  bccoo_code::for_each_chunk(chunks, [&](std::int64_t h) {
    const bccoo_uniform::chunk c = bccoo_code::chunk_of(a, o, h, table, on_cpu);
    s.row.data()[h] = c.row;
    if (uniform) s.format.data()[h] = c.format;
    if (uniform) s.column.data()[h] = c.column;
    offset[h + 1] = c.bytes;
  });
  offset[0] = 0;
  for (std::int64_t h = 0; h < chunks; ++h) offset[h + 1] += offset[h];
  const std::int64_t behind = uniform ? bccoo_uniform::behind_the_last : 0;
  s.data = host_buffer<std::uint8_t>(static_cast<std::size_t>(offset[chunks] + behind));
  std::fill_n(s.data.data() + offset[chunks], behind, std::uint8_t{0});
  bccoo_code::for_each_chunk(chunks, [&](std::int64_t h) {
    std::uint8_t* const to = s.data.data() + offset[h];
    if (!uniform) return bccoo_code::write_chunk(a, o.chunk, h, table, to);
    const bccoo_uniform::chunk c = bccoo_code::chunk_at(s, h);
    if ((c.format & bccoo_uniform::on_diagonals) != 0)
      bccoo_uniform::write_diagonals(a, o.chunk, h, table, c, to);
    else
      bccoo_uniform::write_chunk(a, o.chunk, h, table, c, to);
  });
  if (!on_cpu) s.meta.device = chunks_on_device_of(a, o.accumulate, o.entries_per_thread);
  if (o.accumulate == chunk_accumulate::atomic) return s;
  s.carries = exec::list_carries(
      chunks, [&](std::int64_t u) { return row_across_chunks(a, o.chunk, u); }, s.meta.carries);
  s.meta.carries.apart = !on_cpu;
  return s;
}

}  // namespace gossamer::inline v0::formats
