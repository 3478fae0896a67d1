// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"
#include "gossamer/statistics.hpp"
#include "partition/by_length.hpp"
#include "partition/runs.hpp"
#include "partition/shortest_first.hpp"
#include "partition/targets.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr const char* place = "partition_rows";

void number_rows(host_buffer<std::int32_t>& row) {
  core::parallel_for(static_cast<std::int64_t>(row.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       std::iota(row.data() + begin, row.data() + end, static_cast<std::int32_t>(begin));
                     });
}

/// Rows without entries stand first in the order of lengths, and belong to the last set.
void move_empty_rows(row_partition& p, const row_length_distribution& lengths) {
  if (lengths.empty() || lengths.front().first > 0) return;
  std::int32_t* const row = p.row.data();
  const std::int64_t empty = lengths.front().second;
  std::rotate(row, row + empty, row + empty + p.first[p.sets.size() - 1]);
}

template <value V, offset O>
row_partition cut(const csr_view<V, O>& a, const partition::targets& t, partition_algorithm algorithm) {
  row_partition p;
  const std::span<const O> row_ptr = a.row_ptr;
  p.row = host_buffer<std::int32_t>(static_cast<std::size_t>(a.rows));
  for (std::size_t k = 0; k < t.sets(); ++k) p.target_nnz.push_back(static_cast<double>(t.share(k, a.nnz())));
  if (algorithm == partition_algorithm::pmf) {
    const row_length_distribution lengths = measure_row_lengths(a);
    p.sets = partition::cut_by_length(lengths, t);
    p.first.assign(1, 0);
    for (const row_set& set : p.sets) p.first.push_back(p.first.back() + set.rows);
    partition::order_shortest_first(row_ptr, p.row.data());
    move_empty_rows(p, lengths);
    return p;
  }
  p.first = algorithm == partition_algorithm::rows ? partition::cut_by_rows(a.rows, t)
                                                   : partition::cut_by_nonzeros(row_ptr, t);
  p.sets = partition::measure_runs(row_ptr, p.first);
  number_rows(p.row);
  return p;
}

}  // namespace

std::string_view name(partition_algorithm algorithm) noexcept {
  switch (algorithm) {
    case partition_algorithm::rows:
      return "rows";
    case partition_algorithm::nonzeros:
      return "nnz";
    default:
      return "pmf";
  }
}

template <value V, offset O>
row_partition partition_rows(const csr_view<V, O>& a, std::span<const double> powers,
                             const partition_options& options) {
  return naming_out_of_memory(
      place, [&] { return cut(a, partition::targets(place, powers, options.carry), options.algorithm); });
}

double relative_difference(const row_partition& p, std::size_t k) noexcept {
  const double target = p.target_nnz[k];
  return target > 0 ? (static_cast<double>(p.sets[k].nnz) - target) / target : 0.0;
}

double relative_difference(const row_partition& p) noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < p.sets.size(); ++k) sum += std::abs(relative_difference(p, k));
  return sum;
}

template GOSSAMER_API row_partition partition_rows(const csr_view<float, std::int32_t>&,
                                                   std::span<const double>, const partition_options&);
template GOSSAMER_API row_partition partition_rows(const csr_view<float, std::int64_t>&,
                                                   std::span<const double>, const partition_options&);
template GOSSAMER_API row_partition partition_rows(const csr_view<double, std::int32_t>&,
                                                   std::span<const double>, const partition_options&);
template GOSSAMER_API row_partition partition_rows(const csr_view<double, std::int64_t>&,
                                                   std::span<const double>, const partition_options&);

}  // namespace gossamer::inline v0
