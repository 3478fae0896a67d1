// SPDX-License-Identifier: BSD-3-Clause
// How CPU threads share CSR rows: the weight of a row, which units of rows take how long, and what a pass
// says of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.hpp"
#include "exec/cpu/cpu_cache.hpp"
#include "exec/cpu/work_stealing.hpp"
#include "formats/common/borrowed_csr.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/common/x_reach.hpp"
#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

/// What a row costs on a CPU beside its entries, in entries: a row alone takes some 3 ns, an entry 0.2 to
/// 0.6.
inline constexpr std::int64_t csr_row_weight = 8;

constexpr std::int64_t csr_cpu_weight(std::int64_t rows, std::int64_t nnz) noexcept {
  return csr_row_weight * rows + nnz;
}

/// Whole rows are given out by the cuts only as evenly as rows are long; past this share of a unit they are
/// cut.
inline bool balances_on_cpu(const row_statistics& s) {
  return s.max > cpu_units(csr_cpu_weight(s.rows, s.nnz)).weight / 2;
}

/// Hundredths of a nanosecond that a row takes alone, measured (docs/notes/pattern_csr-threads.md). They
/// follow the matrix alone, whatever CPU it is, so that the bits do.
struct separate_row_cost {
  std::int64_t short_row;  ///< of at most short_row_entries
  std::int64_t long_row;   ///< a longer one, beside
  std::int64_t lanes;      ///< each 64 bytes of its values
};

inline constexpr std::int64_t short_row_entries = 8;

template <class V>
constexpr separate_row_cost separate_row_cost_of() noexcept {
  if (value_bytes<V> == sizeof(float)) return {.short_row = 250, .long_row = 160, .lanes = 340};
  return {.short_row = 300, .long_row = 100, .lanes = 220};
}

/// Vectors of 64 bytes that so many values take.
template <class V>
constexpr std::int64_t lanes_of(std::int64_t values) noexcept {
  constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(value_bytes<V>);
  return (values + lanes - 1) / lanes;
}

/// A larger matrix is read from memory or a shared cache, where its bytes take the time; its units have equal
/// shares of them as it is.
template <class V>
constexpr bool has_unit_costs(std::int64_t nnz) noexcept {
  constexpr std::int64_t in_caches = 32 << 20;
  return nnz <= in_caches / static_cast<std::int64_t>(value_bytes<V> + sizeof(std::int32_t));
}

/// Bytes of values and columns that stay in a core's own cache.
inline constexpr std::int64_t stays_in_cache = 1 << 20;

/// Whether so many bytes of values and columns come from memory, where threads have so much of the last-level
/// caches, which others use too.
constexpr bool are_beyond_cache(std::int64_t bytes, std::int64_t cache) noexcept {
  return bytes > stays_in_cache && bytes > cache / 2;
}

/// From where a product reads the matrix and x, by which kernels prefetch.
struct csr_reading {
  bool x_scattered = false;           ///< see x_reach.hpp
  bool beyond_cache = false;          ///< see are_beyond_cache()
  std::int64_t entries_a_thread = 0;  ///< of the threads that the plan has
};

template <class T, offset O>
csr_reading reading_of(const csr_view<T, O>& a, const exec::target& target) {
  const std::int64_t bytes = a.nnz() * static_cast<std::int64_t>(value_bytes<T> + sizeof(std::int32_t));
  return {.x_scattered = is_x_scattered(a),
          .beyond_cache = are_beyond_cache(bytes, exec::cpu_cache_bytes(target.threads)),
          .entries_a_thread = a.nnz() / core::team_size(target.threads)};
}

/// Of how many threads it pays to have units taken over: each one's share stays in its core's cache, so that
/// no kernel asks for it ahead by how long it is, and takes longer than looking for units of others. `cost`
/// as of unit_costs(), or null.
template <class V>
exec::thread_counts unequal_threads(std::int64_t nnz, const std::int64_t* cost, std::int64_t units) noexcept {
  constexpr std::int64_t long_enough = 600'000;  // hundredths of a nanosecond: 6 microseconds
  if (cost == nullptr) return {};
  const std::int64_t bytes = nnz * static_cast<std::int64_t>(value_bytes<V> + sizeof(std::int32_t));
  return {.from = static_cast<int>(std::max<std::int64_t>(2, (bytes + stays_in_cache - 1) / stays_in_cache)),
          .to = static_cast<int>(
              std::min<std::int64_t>(cost[units] / long_enough, exec::work_stealing_units::most_threads))};
}

/// units + 1: what the units before each one take. Unit u has the rows from cut_row[u] on and, where
/// cut_entry is not empty, the entries from cut_entry[u] on. cost_of_rows(u, first, last, alone) is what the
/// unit's rows [first, last) take, where alone(i, j) is what rows [i, j) take alone.
template <class V, offset O, class CostOfRows>
host_buffer<std::int64_t> unit_costs(const csr_view<V, O>& a, const host_buffer<std::int32_t>& cut_row,
                                     const host_buffer<std::int64_t>& cut_entry, CostOfRows&& cost_of_rows) {
  constexpr separate_row_cost cost = separate_row_cost_of<V>();
  const auto units = static_cast<std::int64_t>(cut_row.size()) - 1;
  host_buffer<std::int64_t> before(cut_row.size());
  core::parallel_for(units, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t first_row = cut_row.data()[u];
      const std::int64_t last_row = cut_row.data()[u + 1];
      const std::int64_t first_entry = cut_entry.empty() ? a.row_ptr[first_row] : cut_entry.data()[u];
      const std::int64_t last_entry = cut_entry.empty() ? a.row_ptr[last_row] : cut_entry.data()[u + 1];
      const auto alone = [&](std::int64_t from, std::int64_t to) {
        std::int64_t sum = 0;
        for (std::int64_t i = from; i < to; ++i) {
          const std::int64_t length = std::min<std::int64_t>(a.row_ptr[i + 1], last_entry) -
                                      std::max<std::int64_t>(a.row_ptr[i], first_entry);
          sum +=
              length <= short_row_entries ? cost.short_row : cost.long_row + cost.lanes * lanes_of<V>(length);
        }
        return sum;
      };
      std::int64_t sum = cost_of_rows(u, first_row, last_row, alone);
      if (last_row < a.rows && last_entry > a.row_ptr[last_row]) sum += alone(last_row, last_row + 1);
      before.data()[u + 1] = sum;
    }
  });
  before[0] = 0;
  for (std::int64_t u = 0; u < units; ++u) before.data()[u + 1] += before.data()[u];
  return before;
}

/// The pass of a format that keeps CSR rows. `run`: its kernel.
template <class S, class View, class Run>
cpu_pass<View, S> csr_pass(const View& a, Run run) {
  return {
      .run = run,
      .units = a.meta.units,
      .carries = a.carries,
      .cost = a.unit_cost,
      .min_units_per_thread = min_units_to_wake_thread(csr_cpu_weight(a.meta.rows, a.meta.nnz), a.meta.units),
      .stealing_threads = unequal_threads<matrix_t<S>>(a.meta.nnz, a.unit_cost, a.meta.units),
      .first_row = a.cut_row};
}

/// Seconds that the CSR arrays and both vectors take at the bandwidth of the machine.
template <class V, offset O>
double csr_cost(const row_statistics& s, const machine& m) {
  const double matrix = static_cast<double>(s.nnz) * (sizeof(V) + sizeof(std::int32_t)) +
                        static_cast<double>(s.rows + 1) * sizeof(O);
  const double vectors = static_cast<double>(s.rows + s.cols) * sizeof(V);
  return roofline(matrix + vectors, 1, m);
}

}  // namespace gossamer::inline v0::formats
