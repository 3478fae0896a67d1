// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "core/entry_number.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "core/row_lengths.hpp"
#include "core/spread_sample.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::int64_t distinct_limit = 256;

template <class V>
using bits_of = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

/// One thread's part of measure_entries.
template <class V>
struct entry_part {
  std::int64_t bandwidth = 0;
  std::int64_t sectors = 0;
  std::unordered_set<bits_of<V>> values;
};

template <class V, offset O>
void measure_group(const csr_view<V, O>& a, std::int64_t first_row, std::int64_t last_row,
                   std::vector<std::int32_t>& scratch, entry_part<V>& part) {
  constexpr std::int32_t per_sector = 32 / sizeof(V);
  scratch.clear();
  std::int32_t previous = -1;
  for (std::int64_t i = first_row; i < last_row; ++i) {
    const auto begin = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      const std::int32_t j = a.col[k];
      part.bandwidth = std::max(part.bandwidth, std::abs(i - j));
      const std::int32_t sector = j / per_sector;
      if (sector != previous) scratch.push_back(sector);
      previous = sector;
      if (static_cast<std::int64_t>(part.values.size()) <= distinct_limit)
        part.values.insert(std::bit_cast<bits_of<V>>(a.val[k]));
    }
  }
  std::sort(scratch.begin(), scratch.end());
  part.sectors += std::unique(scratch.begin(), scratch.end()) - scratch.begin();
}

/// Costs a fraction of a millisecond of one core.
template <class V, offset O>
double sample_spread(const csr_view<V, O>& a) {
  constexpr std::int64_t groups = spread_sample::groups;
  constexpr std::int64_t rows_per_group = spread_sample::rows_of_a_group;
  constexpr std::int64_t most_entries = spread_sample::entries_of_a_group;
  const std::int64_t all = std::max<std::int64_t>(1, a.rows / rows_per_group);
  const std::int64_t taken = std::min(groups, all);
  std::array<std::int64_t, groups> entries{};
  std::array<std::int64_t, groups> distinct{};
  core::parallel_for(
      taken, a.nnz() <= core::default_grain ? taken : 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> columns;
        for (std::int64_t g = begin; g < end; ++g) {
          const std::int64_t first = all * g / taken * rows_per_group;
          const std::int64_t last = std::min(a.rows, first + rows_per_group);
          const auto from = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(first)]);
          const auto to = std::min(static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(last)]),
                                   from + most_entries);
          columns.clear();
          for (std::int64_t k = from; k < to; ++k)
            columns.push_back(a.col[static_cast<std::size_t>(k)] / spread_sample::columns_together);
          std::sort(columns.begin(), columns.end());
          distinct[static_cast<std::size_t>(g)] =
              std::unique(columns.begin(), columns.end()) - columns.begin();
          entries[static_cast<std::size_t>(g)] = to - from;
        }
      });
  const std::int64_t sum = std::accumulate(entries.begin(), entries.end(), std::int64_t{0});
  if (sum == 0) return 0.0;
  return static_cast<double>(std::accumulate(distinct.begin(), distinct.end(), std::int64_t{0})) /
         static_cast<double>(sum);
}

/// Short lengths are counted in an array, the few long ones in a map.
struct length_counts {
  static constexpr std::int64_t short_limit = 4096;
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(short_limit, 0);
  std::map<std::int64_t, std::int64_t> others;
  std::int64_t sliced_slots = 0;
};

struct row_lengths {
  row_length_distribution distribution;
  std::int64_t sliced_slots = 0;
};

template <class V, offset O>
row_lengths row_lengths_of(const csr_view<V, O>& a) {
  constexpr std::int64_t group = 32;
  const int threads = a.rows <= core::default_grain ? 1 : core::default_threads();
  std::vector<length_counts> parts(static_cast<std::size_t>(threads));
  core::parallel(threads, [&](int thread, int team) {
    length_counts& part = parts[static_cast<std::size_t>(thread)];
    const core::range r = core::share((a.rows + group - 1) / group, thread, team);
    for (std::int64_t first = r.begin * group; first < std::min(r.end * group, a.rows); first += group) {
      const std::int64_t last = std::min(first + group, a.rows);
      std::int64_t longest = 0;
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t n = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]) -
                               static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(i)]);
        if (n < length_counts::short_limit)
          ++part.counts[static_cast<std::size_t>(n)];
        else
          ++part.others[n];
        longest = std::max(longest, n);
      }
      part.sliced_slots += longest * (last - first);
    }
  });
  length_counts& all = parts.front();
  for (std::size_t t = 1; t < parts.size(); ++t) {
    for (std::size_t n = 0; n < all.counts.size(); ++n) all.counts[n] += parts[t].counts[n];
    for (const auto& [n, rows] : parts[t].others) all.others[n] += rows;
    all.sliced_slots += parts[t].sliced_slots;
  }
  row_length_distribution result;
  for (std::int64_t n = 0; n < length_counts::short_limit; ++n) {
    const std::int64_t rows = all.counts[static_cast<std::size_t>(n)];
    if (rows > 0) result.emplace_back(n, rows);
  }
  result.insert(result.end(), all.others.begin(), all.others.end());
  return {.distribution = std::move(result), .sliced_slots = all.sliced_slots};
}

template <class V, offset O>
row_statistics rows_of(const csr_view<V, O>& a) {
  const row_lengths lengths = row_lengths_of(a);
  row_statistics s = statistics_of(lengths.distribution, a.cols);
  s.sliced_slots = lengths.sliced_slots;
  if (s.rows > 0) s.spread = sample_spread(a);
  return s;
}

template <value V, offset O>
entry_statistics entries_of(const csr_view<V, O>& a) {
  constexpr std::int64_t group = 32;
  const std::int64_t groups = (a.rows + group - 1) / group;
  const int threads = a.nnz() <= core::default_grain ? 1 : core::default_threads();
  std::vector<entry_part<V>> parts(static_cast<std::size_t>(threads));
  core::parallel(threads, [&](int thread, int team) {
    std::vector<std::int32_t> scratch;
    entry_part<V>& part = parts[static_cast<std::size_t>(thread)];
    const core::range r = core::share(groups, thread, team);
    for (std::int64_t g = r.begin; g < r.end; ++g)
      measure_group(a, g * group, std::min(a.rows, (g + 1) * group), scratch, part);
  });
  entry_part<V> all;
  for (entry_part<V>& part : parts) {
    all.bandwidth = std::max(all.bandwidth, part.bandwidth);
    all.sectors += part.sectors;
    all.values.merge(part.values);
  }
  return {.bandwidth = all.bandwidth,
          .distinct_values =
              std::min<std::int64_t>(static_cast<std::int64_t>(all.values.size()), distinct_limit + 1),
          .sectors_per_32_rows =
              groups == 0 ? 0.0 : static_cast<double>(all.sectors) / static_cast<double>(groups)};
}

}  // namespace

template <class V, offset O>
row_statistics measure_rows(const csr_view<V, O>& a) {
  return naming_out_of_memory("measure_rows", [&] { return rows_of(a); });
}

template <class V, offset O>
row_length_distribution measure_row_lengths(const csr_view<V, O>& a) {
  return naming_out_of_memory("measure_row_lengths", [&] { return row_lengths_of(a).distribution; });
}

template <value V, offset O>
entry_statistics measure_entries(const csr_view<V, O>& a) {
  return naming_out_of_memory("measure_entries", [&] { return entries_of(a); });
}

#define GOSSAMER_INSTANCE(V, O)                                                              \
  template GOSSAMER_API row_statistics measure_rows(const csr_view<V, O>&);                  \
  template row_statistics measure_rows(const csr_view<entry_number<V>, O>&);                 \
  template row_length_distribution measure_row_lengths(const csr_view<entry_number<V>, O>&); \
  template GOSSAMER_API row_length_distribution measure_row_lengths(const csr_view<V, O>&);  \
  template GOSSAMER_API entry_statistics measure_entries(const csr_view<V, O>&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
// Formats are built over entry numbers too, and may look at row lengths then.

}  // namespace gossamer::inline v0
