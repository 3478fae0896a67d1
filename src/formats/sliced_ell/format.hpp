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
#include "formats/common/padding_limit.hpp"
#include "formats/common/row_order.hpp"
#include "formats/contract/format.hpp"

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

struct sliced_ell {
  static constexpr std::string_view name = "sliced_ell";
  static constexpr std::string_view source =
      "paper 003, section 2 (sliced ELLPACK: Monakov et al. 2010); sort_window: Kreutzer et al. 2014 "
      "(SELL-C-sigma)";
  static constexpr std::string_view help = "slices of rows, each padded to its own longest";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};

  struct options {
    std::int64_t slice_rows = 32;
    std::int64_t sort_window = 0;
    std::int64_t threads_per_row = 0;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "slice_rows", .help = "a power of two", .min = 1, .max = 256}, self.slice_rows);
      f(number_field{.name = "sort_window",
                     .help = "rows are sorted by length within windows of this many; 1: not at all; else a "
                             "multiple of slice_rows",
                     .min = 1,
                     .max = 1 << 30,
                     .has_auto = true},
        self.sort_window);
      f(number_field{.name = "threads_per_row",
                     .help = "warps that share 32 rows; a power of two",
                     .min = 1,
                     .max = 16,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.threads_per_row);
      f(max_padding_field(100), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  /// Sorted rows have no neighbours in x, nor in y. What memory takes of them is a guess: no matrix larger than the cache that would be sorted
  /// was among those that the rest was fitted to.
  static device_work gpu_work(const row_statistics& s, const options& o) {
    const auto threads = static_cast<double>(o.threads_per_row);
    const double usual = usual_length(s) / threads;
    const double longest = static_cast<double>(s.max) / threads;
    if (o.sort_window > 1)
      return {.start_us = 2.52,
              .fill_us = 0,
              .long_us = 2,
              .walk_ns = 29.3,
              .gather_step_ns = 19.6,
              .step_ns = 1,
              .cached = 1.06,
              .memory = 0.5,
              .jump_ps = 5.7,
              .usual_steps = usual,
              .longest_steps = longest,
              .long_rows = s.max > long_row};
    return {.start_us = 2.39,
            .fill_us = 0.17,
            .long_us = 21.97,
            .step_ns = 49.2,
            .cached = 0.74,
            .memory = 0.69,
            .jump_ps = 5.4,
            .longest_steps = longest,
            .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m,
                     const footprint& size);

  template <class T, offset O, template <class> class Buffer>
  using storage = sliced_ell_storage<T, Buffer>;

  template <class T, offset O>
  static sliced_ell_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                  const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const sliced_ell_storage<V, host_buffer>& stored);

  template <value V>
  static std::int64_t scratch(const sliced_ell_pointers<V>&) {
    return 0;
  }
  template <value V>
  static cpu_passes<sliced_ell_pointers<V>, V> passes(const sliced_ell_pointers<V>& a, isa level);
  template <value V>
  static void launch(const sliced_ell_pointers<V>& a, const product<V>& p, V* scratch, cuda_stream stream);
};

constexpr std::int64_t sliced_ell_slices(std::int64_t rows, std::int64_t slice_rows) {
  return (rows + slice_rows - 1) / slice_rows;
}

/// The longest row of a slice; `order` holds the row of each position, or is null where rows stand in order.
template <class V, offset O>
std::int64_t sliced_ell_width(const csr_view<V, O>& a, const std::int32_t* order, std::int64_t slice,
                              std::int64_t slice_rows) {
  const std::int64_t first = slice * slice_rows;
  // Windows are whole slices, so a slice's first position holds its longest row.
  if (order != nullptr) return row_length(a, order[first]);
  std::int64_t width = 0;
  for (std::int64_t i = first; i < std::min(a.rows, first + slice_rows); ++i)
    width = std::max(width, row_length(a, i));
  return width;
}

/// On a device: the columns of a slice that each of its threads walks in a row, at most. Wider slices, which would be waited for long
/// after the others, get a block of their own. A walk that is a small part of all the slots a resident thread has to take is not noticed,
/// and blocks for wide slices make the others slower: 32 slices of 65 to 69 columns did so to 47,096 narrower ones (docs/formats/sliced_ell.md).
inline std::int64_t sliced_ell_longest_walk(std::int64_t slots, const sliced_ell::options& o) {
  constexpr std::int64_t least = 64;
  constexpr std::int64_t resident_threads = 1 << 17;  // of an H200, some 1000 on each of 132 multiprocessors
  constexpr std::int64_t part = 4;
  return std::clamp(slots / (o.threads_per_row * resident_threads * part), least,
                    std::int64_t{std::numeric_limits<std::int32_t>::max()});
}

inline constexpr std::int64_t sliced_ell_group_rows = 32;

/// The groups of 32 positions of which a slice has more than longest_walk columns for each of its threads; width[s] is slice s's.
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

/// units + 1 slices: unit u begins at the first slice that has u * weight slots and positions before it.
inline host_buffer<std::int32_t> sliced_ell_cuts(const std::int64_t* slice_ptr, std::int64_t slices,
                                                 std::int64_t slice_rows, const unit_size& cuts) {
  host_buffer<std::int32_t> cut(static_cast<std::size_t>(cuts.units) + 1);
  std::int64_t slice = 0;
  for (std::int64_t u = 0; u < cuts.units; ++u) {
    while (slice < slices && slice_ptr[slice] + slice * slice_rows < u * cuts.weight) ++slice;
    cut.data()[u] = static_cast<std::int32_t>(slice);
  }
  cut.data()[cuts.units] = static_cast<std::int32_t>(slices);
  return cut;
}

template <class V, offset O>
footprint sliced_ell::measure(const csr_view<V, O>& a, const row_statistics&, const options& o,
                              const exec::target& target) {
  const bool sorted = o.sort_window > 1;
  const std::int64_t slices = sliced_ell_slices(a.rows, o.slice_rows);
  std::vector<std::int32_t> order(
      static_cast<std::size_t>(sorted ? a.rows : 0));  // no part of a plan's memory
  if (sorted) order_rows(a, o.sort_window, order.data());
  const std::int32_t* const row_of = sorted ? order.data() : nullptr;
  std::vector<std::int64_t> width(static_cast<std::size_t>(slices));
  core::parallel_for(slices, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s)
      width[static_cast<std::size_t>(s)] = sliced_ell_width(a, row_of, s, o.slice_rows);
  });
  // A slice is no wider than its entries are many, so slots <= 256 nnz: far from overflow for entries that fit in memory.
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
  const double entries = static_cast<double>(std::max<std::int64_t>(a.nnz(), 1));
  if (slots > free_slots && static_cast<double>(slots) > static_cast<double>(o.max_padding) * entries)
    f.refusal = message(
        "{} rows in slices of {}, each padded to its longest row, need {} slots for {} nonzeros, {:.3g} a "
        "nonzero, "
        "{} bytes in all; max_padding = {}",
        {a.rows, o.slice_rows, slots, a.nnz(), static_cast<double>(slots) / entries, f.bytes, o.max_padding});
  return f;
}

template <class V, offset O>
double sliced_ell::cost(const row_statistics& s, const options&, const exec::target&, const machine& m,
                        const footprint& size) {
  return roofline(static_cast<double>(size.bytes) + static_cast<double>(s.rows + s.cols) * sizeof(V), 1, m);
}

template <class T, offset O>
sliced_ell_storage<T, host_buffer> sliced_ell::build(const csr_view<T, O>& a, const options& o,
                                                     const exec::target& target) {
  sliced_ell_storage<T, host_buffer> s;
  const std::int64_t slices = sliced_ell_slices(a.rows, o.slice_rows);
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .slices = slices,
            .slice_rows = static_cast<std::int32_t>(o.slice_rows),
            .threads_per_row = static_cast<std::int32_t>(o.threads_per_row),
            .sorted = o.sort_window > 1};
  if (s.meta.sorted) s.row_perm = order_rows(a, o.sort_window);
  const std::int32_t* const row_of = s.meta.sorted ? std::as_const(s.row_perm).data() : nullptr;
  s.slice_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(slices) + 1);
  std::int64_t* const slice_ptr = s.slice_ptr.data();
  slice_ptr[0] = 0;
  std::vector<std::int64_t> width(static_cast<std::size_t>(slices));
  core::parallel_for(slices, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      width[static_cast<std::size_t>(i)] = sliced_ell_width(a, row_of, i, o.slice_rows);
  });
  for (std::int64_t i = 0; i < slices; ++i)
    slice_ptr[i + 1] = slice_ptr[i] + width[static_cast<std::size_t>(i)] * o.slice_rows;
  s.col = host_buffer<std::int32_t>(static_cast<std::size_t>(slice_ptr[slices]));
  s.val = host_buffer<T>(static_cast<std::size_t>(slice_ptr[slices]));
  s.meta.slots = slice_ptr[slices];

  const auto fill = [&](std::int64_t first_slice, std::int64_t last_slice) {
    for (std::int64_t i = first_slice; i < last_slice; ++i) {
      for (std::int64_t r = 0; r < o.slice_rows; ++r) {
        const std::int64_t position = i * o.slice_rows + r;
        const bool real = position < a.rows;
        const std::int64_t row = real && row_of != nullptr ? row_of[position] : position;
        const std::int64_t first = real ? static_cast<std::int64_t>(a.row_ptr.data()[row]) : 0;
        const std::int64_t length = real ? row_length(a, row) : 0;
        std::int64_t j = 0;
        for (std::int64_t slot = slice_ptr[i] + r; slot < slice_ptr[i + 1]; slot += o.slice_rows, ++j) {
          s.col.data()[slot] = j < length ? a.col.data()[first + j] : -1;
          s.val.data()[slot] = j < length ? a.val.data()[first + j] : T{};
        }
      }
    }
  };
  if (target.kind == device_set::cpu) {
    const unit_size cuts = cpu_units(slice_ptr[slices] + slices * o.slice_rows);
    s.meta.units = cuts.units;
    s.unit_slice = sliced_ell_cuts(slice_ptr, slices, o.slice_rows, cuts);
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

template <value V>
csr_matrix<V, std::int64_t> sliced_ell::to_csr(const sliced_ell_storage<V, host_buffer>& stored) {
  const sliced_ell_meta& m = stored.meta;
  csr_matrix<V, std::int64_t> a{.rows = m.rows,
                                .cols = m.cols,
                                .row_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(m.rows) + 1),
                                .col = host_buffer<std::int32_t>(static_cast<std::size_t>(m.nnz)),
                                .val = host_buffer<V>(static_cast<std::size_t>(m.nnz))};
  /// f(row, first slot, past the last slot) for each row; its slots are slice_rows apart.
  const auto for_each_row = [&](auto&& f) {
    for (std::int64_t position = 0; position < m.rows; ++position) {
      const std::int64_t slice = position / m.slice_rows;
      const std::int64_t row = m.sorted ? stored.row_perm.data()[position] : position;
      f(row, stored.slice_ptr.data()[slice] + position % m.slice_rows, stored.slice_ptr.data()[slice + 1]);
    }
  };
  std::int64_t* const row_ptr = a.row_ptr.data();
  row_ptr[0] = 0;
  for_each_row([&](std::int64_t row, std::int64_t slot, std::int64_t end) {
    std::int64_t length = 0;
    for (; slot < end && stored.col.data()[slot] >= 0; slot += m.slice_rows) ++length;
    row_ptr[row + 1] = length;
  });
  for (std::int64_t i = 0; i < m.rows; ++i) row_ptr[i + 1] += row_ptr[i];
  for_each_row([&](std::int64_t row, std::int64_t slot, std::int64_t) {
    for (std::int64_t k = row_ptr[row]; k < row_ptr[row + 1]; ++k, slot += m.slice_rows) {
      a.col.data()[k] = stored.col.data()[slot];
      a.val.data()[k] = stored.val.data()[slot];
    }
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
