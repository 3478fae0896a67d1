// SPDX-License-Identifier: BSD-3-Clause
// Cutting a CSR matrix into units of equal weight, where a row weighs one and each of its entries weighs one:
// the merge of the row ends with the entries (Merrill and Garland's merge path), so that neither empty nor
// huge rows unbalance.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bisect.hpp"
#include "core/parallel.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

struct unit_size {
  std::int64_t units = 1;
  std::int64_t weight = 1;
};

/// Units of a CPU pass over work of that weight in all.
constexpr unit_size cpu_units(std::int64_t weight) noexcept {
  // Enough units for any number of cores to share evenly, each long enough (a microsecond and more) to hide
  // what starting it costs; a matrix of few entries is rather cut finer, since there a core with one unit
  // more than the others is what is waited for.
  constexpr std::int64_t least = 1024;
  constexpr std::int64_t enough = 256;
  constexpr std::int64_t long_enough = 8192;
  constexpr std::int64_t most = 2048;
  const std::int64_t each =
      std::max(std::clamp((weight + enough - 1) / enough, least, long_enough), (weight + most - 1) / most);
  return {std::max<std::int64_t>(1, (weight + each - 1) / each), each};
}

/// How many of those units take longer than waking a thread for them: some 16 thousand rows and entries.
constexpr std::int64_t min_units_to_wake_thread(std::int64_t weight, std::int64_t units) noexcept {
  constexpr std::int64_t worth = 16384;
  return std::max<std::int64_t>(1, worth * units / std::max<std::int64_t>(1, weight));
}

/// units + 1 numbers of blocks: unit u begins at the first of `count` blocks that has u * cuts.weight before
/// it.
template <class Number, class Weight>
host_buffer<Number> cut_blocks(std::int64_t count, const unit_size& cuts, Weight&& weight_before) {
  host_buffer<Number> cut(static_cast<std::size_t>(cuts.units) + 1);
  std::int64_t block = 0;
  for (std::int64_t u = 0; u < cuts.units; ++u) {
    while (block < count && weight_before(block) < u * cuts.weight) ++block;
    cut.data()[u] = static_cast<Number>(block);
  }
  cut.data()[cuts.units] = static_cast<Number>(count);
  return cut;
}

/// How many row ends lie before a position of the merge. A row's end weighs row_weight, an entry one.
template <class V, offset O>
std::int64_t row_at_cut(const csr_view<V, O>& a, std::int64_t position, std::int64_t row_weight = 1) {
  return first_where(std::int64_t{0}, a.rows, [&](std::int64_t i) {
    return static_cast<std::int64_t>(a.row_ptr.data()[i + 1]) + i * row_weight >= position;
  });
}

/// units + 1 row numbers: cut[u] row ends lie before position u * unit_weight of the merge, so unit u closes
/// rows cut[u] ... cut[u + 1] - 1 and begins in row cut[u], of which u * unit_weight - cut[u] * row_weight
/// entries lie before it (or none where that lies before the row's first). The last is `rows`.
template <class V, offset O>
host_buffer<std::int32_t> cut_equally(const csr_view<V, O>& a, std::int64_t units, std::int64_t unit_weight,
                                      std::int64_t row_weight = 1) {
  host_buffer<std::int32_t> cut(static_cast<std::size_t>(units) + 1);
  core::parallel_for(units, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u)
      cut.data()[u] = static_cast<std::int32_t>(row_at_cut(a, u * unit_weight, row_weight));
  });
  cut[static_cast<std::size_t>(units)] = static_cast<std::int32_t>(a.rows);
  return cut;
}

/// Rows of at most this many entries stay whole where cut_entries() is asked to keep them so.
constexpr std::int64_t longest_whole_row(std::int64_t unit_weight) noexcept {
  return unit_weight / 8;
}

/// The entry at which a unit begins that cut_equally() has begin in `row`, at a position of the merge: there,
/// but moved back to the row's first entry where the row has at most longest_whole_row().
template <class V, offset O>
std::int64_t entry_at_cut(const csr_view<V, O>& a, std::int64_t row, std::int64_t position,
                          std::int64_t unit_weight, std::int64_t row_weight = 1) {
  const std::int64_t entry = position - row * row_weight;
  if (row >= a.rows) return entry;
  const auto first = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(row)]);
  const std::int64_t length = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(row) + 1]) - first;
  return length <= longest_whole_row(unit_weight) ? first : std::max(entry, first);
}

/// units + 1 entries at which the units begin, see entry_at_cut(). A unit has then at most 9/8 of its weight,
/// and shares long rows only.
template <class V, offset O>
host_buffer<std::int64_t> cut_entries(const csr_view<V, O>& a, const host_buffer<std::int32_t>& cut_row,
                                      std::int64_t unit_weight, std::int64_t row_weight = 1) {
  const auto units = static_cast<std::int64_t>(cut_row.size()) - 1;
  host_buffer<std::int64_t> cut(cut_row.size());
  core::parallel_for(units, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u)
      cut.data()[u] = entry_at_cut(a, cut_row.data()[u], u * unit_weight, unit_weight, row_weight);
  });
  cut[static_cast<std::size_t>(units)] = a.nnz();
  return cut;
}

/// The row of entry k < nnz.
template <class V, offset O>
std::int32_t row_of_entry(const csr_view<V, O>& a, std::int64_t k) {
  const auto after = std::upper_bound(a.row_ptr.begin(), a.row_ptr.end(), static_cast<O>(k));
  return static_cast<std::int32_t>(after - a.row_ptr.begin()) - 1;
}

/// How many rows lie in several of those units.
template <class V, offset O>
std::int64_t rows_across_cuts(const csr_view<V, O>& a, const unit_size& cuts, std::int64_t row_weight = 1) {
  std::int64_t count = 0;
  std::int64_t last = -1;
  for (std::int64_t u = 1; u < cuts.units; ++u) {
    const std::int64_t position = u * cuts.weight;
    const std::int64_t row = row_at_cut(a, position, row_weight);
    if (row >= a.rows || row == last) continue;
    const std::int64_t first = a.row_ptr[static_cast<std::size_t>(row)];
    if (entry_at_cut(a, row, position, cuts.weight, row_weight) <= first) continue;
    last = row;
    ++count;
  }
  return count;
}

/// The row that entries on both sides of the cut before unit u belong to, or -1.
template <class V, offset O>
std::int32_t row_across_cut(const csr_view<V, O>& a, const host_buffer<std::int32_t>& cut_row,
                            const host_buffer<std::int64_t>& cut_entry, std::int64_t u) {
  const std::int32_t row = cut_row[static_cast<std::size_t>(u)];
  if (row >= a.rows) return -1;
  return cut_entry[static_cast<std::size_t>(u)] >
                 static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(row)])
             ? row
             : -1;
}

}  // namespace gossamer::inline v0::formats
