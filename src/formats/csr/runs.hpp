// SPDX-License-Identifier: BSD-3-Clause
// Runs of rows whose columns follow from the run's first row, found once so that a product need not read them: the rows of a
// stencil (each row's columns are the last one's plus one), and those of a node of several unknowns (the same columns).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0::formats {

/// Rows [first, last) of one length; entry k of row i is in column col[first][k] + (i - first) step.
struct csr_run {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t step = 0;  ///< 0 or 1

  friend bool operator==(const csr_run&, const csr_run&) = default;
};

/// Shorter runs cost more in branches than they save. It also bounds how many there can be.
inline constexpr std::int64_t least_run_entries = 64;

/// The most runs that a matrix with so many entries can have.
constexpr std::int64_t runs_at_most(std::int64_t rows, std::int64_t nnz) noexcept {
  return std::min(nnz / least_run_entries, rows / 2);
}

struct csr_runs {
  host_buffer<csr_run> run;           ///< ascending, disjoint
  host_buffer<std::int32_t> of_unit;  ///< units + 1: unit u has the runs of_unit[u] ... of_unit[u + 1] - 1
};

/// The step from row i to row i + 1, or -1 where there is none (or i is empty).
template <class V, offset O>
std::int32_t step_after(const csr_view<V, O>& a, std::int64_t i) {
  const auto row = static_cast<std::size_t>(i);
  const auto length = static_cast<std::int64_t>(a.row_ptr[row + 1] - a.row_ptr[row]);
  if (length == 0 || static_cast<std::int64_t>(a.row_ptr[row + 2] - a.row_ptr[row + 1]) != length) return -1;
  const std::int32_t* const here = a.col.data() + a.row_ptr[row];
  const std::int32_t* const next = here + length;
  const std::int32_t step = next[0] - here[0];
  if (step != 0 && step != 1) return -1;
  std::int32_t differs = 0;
  for (std::int64_t k = 0; k < length; ++k) differs |= (next[k] - here[k]) ^ step;
  return differs == 0 ? step : -1;
}

/// Appends the runs among the rows [first, last).
template <class V, offset O>
void find_runs(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::vector<csr_run>& found) {
  for (std::int64_t i = first; i + 1 < last;) {
    const std::int32_t step = step_after(a, i);
    std::int64_t end = i + 1;
    if (step >= 0) {
      ++end;
      while (end < last && step_after(a, end - 1) == step) ++end;
      if (a.row_ptr[static_cast<std::size_t>(end)] - a.row_ptr[static_cast<std::size_t>(i)] >=
          least_run_entries)
        found.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(end), step});
      else
        --end;  // the last row may begin a run of the other step
    }
    i = end;
  }
}

/// The runs of each unit u among its whole rows, [first_row(u), last_row(u)).
template <class V, offset O, class First, class Last>
csr_runs find_runs_of_units(const csr_view<V, O>& a, std::int64_t units, First&& first_row, Last&& last_row) {
  constexpr std::int64_t units_at_once = 16;
  const std::int64_t parts = (units + units_at_once - 1) / units_at_once;
  std::vector<std::vector<csr_run>> found(static_cast<std::size_t>(parts));
  csr_runs runs;
  runs.of_unit = host_buffer<std::int32_t>(static_cast<std::size_t>(units) + 1);
  exec::parallel_for(parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      auto& here = found[static_cast<std::size_t>(part)];
      for (std::int64_t u = part * units_at_once; u < std::min(units, (part + 1) * units_at_once); ++u) {
        const std::size_t before = here.size();
        find_runs(a, first_row(u), last_row(u), here);
        runs.of_unit.data()[u + 1] = static_cast<std::int32_t>(here.size() - before);
      }
    }
  });
  runs.of_unit[0] = 0;
  for (std::int64_t u = 0; u < units; ++u) runs.of_unit.data()[u + 1] += runs.of_unit.data()[u];
  runs.run = host_buffer<csr_run>(
      static_cast<std::size_t>(std::as_const(runs.of_unit)[static_cast<std::size_t>(units)]));
  csr_run* to = runs.run.data();
  for (const auto& part : found) to = std::copy(part.begin(), part.end(), to);
  return runs;
}

}  // namespace gossamer::inline v0::formats
