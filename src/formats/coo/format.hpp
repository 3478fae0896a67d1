// SPDX-License-Identifier: BSD-3-Clause
// Coordinates sorted by row: every entry carries its row, so work is cut anywhere.
#pragma once

#include <array>
#include <utility>

#include "formats/common/coordinates.hpp"
#include "formats/common/device_tile.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

enum class coo_accumulate : std::int32_t { segmented, atomic };

struct coo_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  coo_accumulate accumulate = coo_accumulate::segmented;
  std::int64_t units = 1;
  std::int64_t unit_entries = 1;  ///< cpu
  std::int32_t tile_items = 0;    ///< cuda
  exec::carry_counts carries;
};

template <class V>
struct coo_pointers {
  coo_meta meta;
  const std::int32_t* row;
  const std::int32_t* col;
  const V* val;
  const std::int32_t* cut_row;
  const std::int64_t* cut_entry;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct coo_storage {
  coo_meta meta;
  Buffer<std::int32_t> row;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<std::int32_t> cut_row;    ///< cuda, segmented: units + 1; see cut_between_rows()
  Buffer<std::int64_t> cut_entry;  ///< cuda, segmented: units + 1
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row", self.row);
    f("col", self.col);
    f("val", self.val);
    f("cut_row", self.cut_row);
    f("cut_entry", self.cut_entry);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] coo_pointers<T> view() const {
    return {.meta = meta,
            .row = row.data(),
            .col = col.data(),
            .val = val.data(),
            .cut_row = cut_row.data(),
            .cut_entry = cut_entry.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

struct coo : stored_as<coo_storage, coo_pointers> {
  static constexpr std::string_view name = "coo";
  static constexpr std::string_view source = "paper 000, section 2.1; segmented: Bell and Garland 2009";
  static constexpr std::string_view help = "coordinates sorted by row; 4 bytes a nonzero more than csr";

  static constexpr std::array<option_choice, 2> accumulates{
      option_choice{"segmented",
                    "sums within a work unit; rows that units share are combined in a fixed order"},
      option_choice{"atomic", "atomic additions into y, the paper's way; the bits vary from run to run"}};

  struct options {
    coo_accumulate accumulate = coo_accumulate::segmented;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(
          choice_field{
              .name = "accumulate", .help = "how the sums of a row are combined", .choices = accumulates},
          self.accumulate);
    }
  };

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);
  static constexpr bool deterministic(const options& o) { return o.accumulate == coo_accumulate::segmented; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::coo, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target,
                     const machine& m) {
    const double matrix = static_cast<double>(s.nnz) * (sizeof(V) + 2 * sizeof(std::int32_t));
    // Where y is scaled first, it is read and written again.
    const bool scales = target.kind == device_set::cpu || o.accumulate == coo_accumulate::atomic;
    const double vectors = static_cast<double>(s.rows * (scales ? 3 : 1) + s.cols) * sizeof(V);
    return roofline(matrix + vectors, 2, m);
  }

  template <class T, offset O>
  static coo_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                           const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const coo_storage<V, host_buffer>& stored) {
    return csr_of_coordinates<V>(stored);
  }

  template <scalar_types S>
  static std::int64_t scratch(const coo_pointers<matrix_t<S>>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries);
  }
  template <scalar_types S>
  static cpu_passes<coo_pointers<matrix_t<S>>, S> passes(const coo_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const coo_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

template <class T, offset O>
coo_storage<T, host_buffer> coo::build(const csr_view<T, O>& a, const options& o,
                                       const exec::target& target) {
  coo_storage<T, host_buffer> s;
  s.meta = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .accumulate = o.accumulate};
  make_coordinates(s, a);
  if (target.kind == device_set::cpu) {
    const unit_size cuts = cpu_units(a.nnz());
    s.meta.units = cuts.units;
    s.meta.unit_entries = cuts.weight;
    if (o.accumulate == coo_accumulate::segmented)
      s.carries = exec::list_carries(
          cuts.units,
          [&](std::int64_t u) {
            const auto k = static_cast<std::size_t>(u * cuts.weight);
            return s.row[k - 1] == s.row[k] ? s.row[k] : -1;
          },
          s.meta.carries);
  } else if (o.accumulate == coo_accumulate::segmented) {
    whole_row_cuts cuts = cut_between_rows(a, device_block_tile(a.rows, a.nnz(), longest_row(a)));
    s.meta.units = cuts.units();
    s.meta.tile_items = device_tile_items(a.rows + a.nnz());
    s.cut_row = std::move(cuts.row);
    s.cut_entry = std::move(cuts.entry);
    s.carries = exec::list_carries(
        s.meta.units, [&](std::int64_t u) { return row_across_cut(a, s.cut_row, s.cut_entry, u); },
        s.meta.carries);
  }
  return s;
}

template <class V, offset O>
footprint coo::measure(const csr_view<V, O>&, const row_statistics& s, const options& o,
                       const exec::target& target) {
  footprint f{.bytes = s.nnz * static_cast<std::int64_t>(sizeof(V) + 2 * sizeof(std::int32_t))};
  if (o.accumulate == coo_accumulate::atomic) return f;
  if (target.kind == device_set::cpu) {
    const std::int64_t units = cpu_units(s.nnz).units;
    f.exact = units <= 1;  // which cuts fall inside rows is known only by cutting
    f.bytes += exec::carry_bytes_bound(units, units - 1);
  } else {
    const block_tile tile = device_block_tile(s.rows, s.nnz, s.max);
    const std::int64_t units = units_at_most(s.rows, s.nnz, s.max, tile);
    f.exact = s.max <= tile.longest_whole;
    f.bytes += (units + 1) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(std::int64_t)) +
               exec::carry_bytes_bound(units, f.exact ? 0 : units - 1);
  }
  return f;
}

}  // namespace gossamer::inline v0::formats
