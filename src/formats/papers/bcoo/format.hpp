// SPDX-License-Identifier: BSD-3-Clause
// Coordinates sorted by row, in chunks of equally many entries (paper 001's BCOO).
#pragma once

#include "formats/common/coordinates.hpp"
#include "formats/common/entry_chunks.hpp"
#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

struct bcoo_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t chunk = papers_chunk;
  std::int64_t chunks = 1;
  chunks_on_device device;  ///< cuda
  exec::carry_counts carries;
};

template <class V>
struct bcoo_pointers {
  bcoo_meta meta;
  const std::int32_t* row;
  const std::int32_t* col;
  const V* val;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct bcoo_storage {
  bcoo_meta meta;
  Buffer<std::int32_t> row;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row", self.row);
    f("col", self.col);
    f("val", self.val);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] bcoo_pointers<T> view() const {
    return {.meta = meta,
            .row = row.data(),
            .col = col.data(),
            .val = val.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

struct bcoo : stored_as<bcoo_storage, bcoo_pointers> {
  static constexpr std::string_view name = "bcoo";
  static constexpr std::string_view source = "paper 001, section 2.2 (BCOO)";
  static constexpr std::string_view help =
      "coordinates sorted by row, in chunks with equal numbers of entries";

  struct options {
    std::int64_t chunk = papers_chunk;
    chunk_accumulate accumulate = chunk_accumulate::ordered;
    std::int64_t entries_per_thread = 8;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(chunk_field(), self.chunk);
      f(chunk_accumulate_field(), self.accumulate);
      f(entries_per_thread_field(), self.entries_per_thread);
    }
  };

  static options resolve(options o, const row_statistics&, const exec::target&) {
    check_entries_per_thread(name, o.entries_per_thread);
    return o;
  }
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);
  static constexpr bool deterministic(const options& o) { return o.accumulate == chunk_accumulate::ordered; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target&) {
    const std::int64_t entries = s.nnz * static_cast<std::int64_t>(sizeof(V) + 2 * sizeof(std::int32_t));
    footprint f{.bytes = entries, .refusal = too_many_chunks(s.nnz, o.chunk)};
    f.exact = f.refusal.empty();
    if (o.accumulate == chunk_accumulate::atomic) return f;
    f.bytes += f.exact ? chunk_carry_bytes(a, o.chunk)
                       : exec::carry_bytes_bound(chunks_of(s.nnz, o.chunk), std::min(s.nnz, s.rows));
    return f;
  }
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::bcoo, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target&, const machine& m,
                     const footprint& size) {
    return chunks_roofline(size.bytes, sizeof(V), s, o.accumulate, m);
  }

  template <class T, offset O>
  static bcoo_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                            const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const bcoo_storage<V, host_buffer>& stored) {
    return csr_of_coordinates<V>(stored);
  }

  template <scalar_types S>
  static std::int64_t scratch(const bcoo_pointers<matrix_t<S>>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries);
  }
  template <scalar_types S>
  static cpu_passes<bcoo_pointers<matrix_t<S>>, S> passes(const bcoo_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const bcoo_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

template <class T, offset O>
bcoo_storage<T, host_buffer> bcoo::build(const csr_view<T, O>& a, const options& o,
                                         const exec::target& target) {
  bcoo_storage<T, host_buffer> s;
  const std::int64_t chunks = chunks_of(a.nnz(), o.chunk);
  s.meta = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .chunk = o.chunk, .chunks = chunks};
  make_coordinates(s, a);
  const bool on_a_device = target.kind == device_set::cuda;
  if (on_a_device) s.meta.device = chunks_on_device_of(a, o.accumulate, o.entries_per_thread);
  if (o.accumulate == chunk_accumulate::atomic) return s;
  s.carries = exec::list_carries(
      chunks,
      [&](std::int64_t u) {
        const std::int32_t* const first = s.row.data() + u * o.chunk;
        return first[-1] == first[0] ? first[0] : -1;
      },
      s.meta.carries);
  s.meta.carries.apart = on_a_device;
  return s;
}

}  // namespace gossamer::inline v0::formats
