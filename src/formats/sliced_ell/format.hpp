// SPDX-License-Identifier: BSD-3-Clause
// Sliced ELLPACK: slices of a few rows, each padded to its own longest row and stored by columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/common/padded_format.hpp"
#include "formats/common/row_order.hpp"
#include "formats/common/warps_a_row.hpp"

namespace gossamer::inline v0::formats {

struct sliced_ell_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t slices = 0;
  std::int64_t slots = 0;            ///< of all slices
  std::int32_t slice_rows = 1;       ///< a power of two
  std::int32_t threads_per_row = 1;  ///< cuda
  std::int32_t longest_walk = 0;     ///< cuda: columns that a thread walks, at most, outside wide groups
  std::int32_t wide_groups = 0;      ///< cuda: 32 positions that a thread block of their own multiplies
  std::int64_t units = 0;            ///< cpu
  bool sorted = false;               ///< position p holds row row_perm[p], else row p
};

template <class V>
struct sliced_ell_pointers {
  sliced_ell_meta meta;
  const std::int64_t* slice_ptr;
  const std::int32_t* row_perm;
  const std::int32_t* col;  ///< -1 in padding
  const V* val;
  const std::int32_t* unit_slice;
  const std::int32_t* wide_group;
};

template <class T, template <class> class Buffer>
struct sliced_ell_storage {
  sliced_ell_meta meta;
  Buffer<std::int64_t> slice_ptr;  ///< slices + 1: the first slot of each
  Buffer<std::int32_t> row_perm;   ///< sorted: rows
  Buffer<std::int32_t> col;  ///< slot of position r of a slice, column j: slice_ptr + j * slice_rows + r
  Buffer<T> val;
  Buffer<std::int32_t> unit_slice;  ///< cpu: units + 1
  Buffer<std::int32_t> wide_group;  ///< cuda: wide_groups, ascending; group g is positions 32 g ... 32 g + 31

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("slice_ptr", self.slice_ptr);
    f("row_perm", self.row_perm);
    f("col", self.col);
    f("val", self.val);
    f("unit_slice", self.unit_slice);
    f("wide_group", self.wide_group);
  }

  [[nodiscard]] sliced_ell_pointers<T> view() const {
    return {.meta = meta,
            .slice_ptr = slice_ptr.data(),
            .row_perm = row_perm.data(),
            .col = col.data(),
            .val = val.data(),
            .unit_slice = unit_slice.data(),
            .wide_group = wide_group.data()};
  }
};

struct sliced_ell : stored_as<sliced_ell_storage, sliced_ell_pointers> {
  static constexpr std::string_view name = "sliced_ell";
  static constexpr std::string_view source =
      "paper 003, section 2 (sliced ELLPACK: Monakov et al. 2010); sort_window: Kreutzer et al. 2014 "
      "(SELL-C-sigma)";
  static constexpr std::string_view help = "slices of rows; each slice is padded to its longest row";

  struct options {
    std::int64_t slice_rows = 32;
    std::int64_t sort_window = 0;
    std::int64_t threads_per_row = 0;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "slice_rows", .help = "rows of a slice; a power of two", .min = 1, .max = 256},
        self.slice_rows);
      f(number_field{.name = "sort_window",
                     .help = "rows are sorted by length within windows of this many; 1: not at all; else a "
                             "multiple of slice_rows",
                     .min = 1,
                     .max = 1 << 30,
                     .has_auto = true},
        self.sort_window);
      f(warps_a_row_field("warps that share 32 rows; a power of two"), self.threads_per_row);
      f(max_padding_field(100), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  /// Sorted rows have no neighbours in x, nor in y.
  static device_work gpu_work(const row_statistics& s, const options& o) {
    const auto threads = static_cast<double>(o.threads_per_row);
    const double usual = usual_length(s) / threads;
    const double longest = static_cast<double>(s.max) / threads;
    if (o.sort_window > 1)
      return {.kernel = hopper::sliced_ell_sorted,
              .usual_steps = usual,
              .longest_steps = longest,
              .long_rows = s.max > long_row};
    return {.kernel = hopper::sliced_ell, .longest_steps = longest, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m,
                     const footprint& size) {
    return one_pass<V>(static_cast<double>(size.bytes), s, m);
  }

  template <class T, offset O>
  static sliced_ell_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                  const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const sliced_ell_storage<V, host_buffer>& stored) {
    const sliced_ell_meta& m = stored.meta;
    return csr_of_slots<V>(stored, [&](auto&& piece) {
      for (std::int64_t position = 0; position < m.rows; ++position) {
        const std::int64_t* const slice = stored.slice_ptr.data() + position / m.slice_rows;
        piece(m.sorted ? stored.row_perm.data()[position] : position, slice[0] + position % m.slice_rows,
              slice[1], m.slice_rows);
      }
    });
  }

  static constexpr bool multiplies_packs = true;
  template <scalar_types S>
  static cpu_passes<sliced_ell_pointers<matrix_t<S>>, S> passes(const sliced_ell_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const sliced_ell_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
  static constexpr std::int64_t columns_at_once = 16;
  static constexpr bool launches_packs = true;
  template <scalar_types S>
  static void launch_columns(const sliced_ell_pointers<matrix_t<S>>&, const columns_product<S>&, sum_t<S>*,
                             cuda_stream);
};

/// On a device: the columns of a slice that each of its threads walks in a row, at most. Wider slices, which
/// would be waited for long after the others, get a block of their own. A walk that is a small part of all
/// the slots a resident thread has to take is not noticed, and blocks for wide slices make the others slower:
/// 32 slices of 65 to 69 columns did so to 47,096 narrower ones (docs/notes/sliced_ell.md).
inline std::int64_t sliced_ell_longest_walk(std::int64_t slots, const sliced_ell::options& o) {
  constexpr std::int64_t least = 64;
  constexpr std::int64_t resident_threads = 1 << 17;  // of an H200, some 1000 on each of 132 multiprocessors
  constexpr std::int64_t part = 4;
  return std::clamp(slots / (o.threads_per_row * resident_threads * part), least,
                    std::int64_t{std::numeric_limits<std::int32_t>::max()});
}

inline constexpr std::int64_t sliced_ell_group_rows = 32;

/// The groups of 32 positions of which a slice has more than longest_walk columns for each of its threads;
/// width[s] is slice s's.
inline std::vector<std::int32_t> sliced_ell_wide_groups(const std::vector<std::int64_t>& width,
                                                        std::int64_t longest_walk,
                                                        const sliced_ell::options& o) {
  std::vector<std::int32_t> groups;
  for (std::size_t s = 0; s < width.size(); ++s) {
    if (width[s] <= longest_walk * o.threads_per_row) continue;
    const std::int64_t first = static_cast<std::int64_t>(s) * o.slice_rows;
    for (std::int64_t g = first / sliced_ell_group_rows; g * sliced_ell_group_rows < first + o.slice_rows;
         ++g) {
      if (groups.empty() || groups.back() != g) groups.push_back(static_cast<std::int32_t>(g));
    }
  }
  return groups;
}

template <class V, offset O>
footprint sliced_ell::measure(const csr_view<V, O>& a, const row_statistics&, const options& o,
                              const exec::target& target) {
  const bool sorted = o.sort_window > 1;
  std::vector<std::int32_t> order(
      static_cast<std::size_t>(sorted ? a.rows : 0));  // no part of a plan's memory
  if (sorted) order_rows(a, o.sort_window, order.data());
  const std::int32_t* const row_of = sorted ? order.data() : nullptr;
  const std::vector<std::int64_t> width = longest_of_groups(a, row_of, o.slice_rows);
  const auto slices = static_cast<std::int64_t>(width.size());
  // A slice is no wider than its entries are many, so slots <= 256 nnz: far from overflow for entries that
  // fit in memory.
  const std::int64_t slots = std::accumulate(width.begin(), width.end(), std::int64_t{0}) * o.slice_rows;
  footprint f{.bytes = slots * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t)) +
                       (slices + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
                       (sorted ? a.rows : 0) * static_cast<std::int64_t>(sizeof(std::int32_t))};
  if (target.kind == device_set::cpu)
    f.bytes += (cpu_units(slots + slices * o.slice_rows).units + 1) *
               static_cast<std::int64_t>(sizeof(std::int32_t));
  else
    f.bytes += static_cast<std::int64_t>(
        sliced_ell_wide_groups(width, sliced_ell_longest_walk(slots, o), o).size() * sizeof(std::int32_t));
  if (pads_too_much(static_cast<long double>(slots), a.nnz(), o.max_padding))
    f.refusal = message("{} rows in slices of {}, each padded to its longest row, {}",
                        {a.rows, o.slice_rows, padding_needed(slots, a.nnz(), f.bytes, o.max_padding)});
  return f;
}

template <class T, offset O>
sliced_ell_storage<T, host_buffer> sliced_ell::build(const csr_view<T, O>& a, const options& o,
                                                     const exec::target& target) {
  sliced_ell_storage<T, host_buffer> s;
  const std::int64_t slices = (a.rows + o.slice_rows - 1) / o.slice_rows;
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .slices = slices,
            .slice_rows = static_cast<std::int32_t>(o.slice_rows),
            .threads_per_row = static_cast<std::int32_t>(o.threads_per_row),
            .sorted = o.sort_window > 1};
  if (s.meta.sorted) s.row_perm = order_rows(a, o.sort_window);
  const std::int32_t* const row_of = s.meta.sorted ? std::as_const(s.row_perm).data() : nullptr;
  const std::vector<std::int64_t> width = longest_of_groups(a, row_of, o.slice_rows);
  s.slice_ptr = offsets_of_blocks(width, o.slice_rows);
  const std::int64_t* const slice_ptr = std::as_const(s.slice_ptr).data();
  make_slots(s, slice_ptr[slices]);
  s.meta.slots = slice_ptr[slices];

  const auto fill = [&](std::int64_t first_slice, std::int64_t last_slice) {
    for (std::int64_t i = first_slice; i < last_slice; ++i) {
      for (std::int64_t r = 0; r < o.slice_rows; ++r) {
        const std::int64_t position = i * o.slice_rows + r;
        const bool moved = position < a.rows && row_of != nullptr;
        const core::range row = entries_of_row(a, moved ? row_of[position] : position);
        std::int64_t j = 0;
        for (std::int64_t slot = slice_ptr[i] + r; slot < slice_ptr[i + 1]; slot += o.slice_rows)
          write_slot(s, slot, a, row, j++);
      }
    }
  };
  if (target.kind == device_set::cpu) {
    const unit_size cuts = cpu_units(slice_ptr[slices] + slices * o.slice_rows);
    s.meta.units = cuts.units;
    s.unit_slice = cut_blocks<std::int32_t>(slices, cuts,
                                            [&](std::int64_t i) { return slice_ptr[i] + i * o.slice_rows; });
    const std::int32_t* const unit_slice = s.unit_slice.data();
    core::parallel_for(cuts.units, 1, [&](std::int64_t begin, std::int64_t end) {
      fill(unit_slice[begin], unit_slice[end]);
    });
  } else {
    const std::int64_t longest_walk = sliced_ell_longest_walk(slice_ptr[slices], o);
    const std::vector<std::int32_t> wide = sliced_ell_wide_groups(width, longest_walk, o);
    s.meta.longest_walk = static_cast<std::int32_t>(longest_walk);
    s.meta.wide_groups = static_cast<std::int32_t>(wide.size());
    s.wide_group = host_buffer<std::int32_t>(wide.size());
    std::copy(wide.begin(), wide.end(), s.wide_group.data());
    core::parallel_for(slices, 64, fill);
  }
  return s;
}

}  // namespace gossamer::inline v0::formats
