// SPDX-License-Identifier: BSD-3-Clause
// The undirected graph of a square matrix: the rows are vertices, the entries of A + A^T off the diagonal are
// edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/parallel.hpp"
#include "core/transpose.hpp"

namespace gossamer::inline v0::core {

struct adjacency {
  host_buffer<std::int64_t> first;      ///< of each vertex: where its neighbors begin
  host_buffer<std::int32_t> degree;     ///< their number
  host_buffer<std::int32_t> neighbors;  ///< ascending, each once; there are gaps between vertices

  [[nodiscard]] std::span<const std::int32_t> neighbors_of(std::int32_t vertex) const noexcept {
    return {neighbors.data() + first.data()[vertex], static_cast<std::size_t>(degree.data()[vertex])};
  }
};

template <value V, offset O>
adjacency adjacency_of(const csr_view<V, O>& a) {
  const csr_matrix<V, O> at = transpose(a, nullptr);
  const auto rows = static_cast<std::size_t>(a.rows);
  adjacency graph{.first = host_buffer<std::int64_t>(rows),
                  .degree = host_buffer<std::int32_t>(rows),
                  .neighbors = host_buffer<std::int32_t>(2 * a.col.size())};
  parallel_for(a.rows, default_grain / 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto entries_of = [i](const auto& ptr, const auto& col) {
        return std::pair(col.data() + ptr.data()[i], col.data() + ptr.data()[i + 1]);
      };
      const auto [row, row_end] = entries_of(a.row_ptr, a.col);
      const auto [column, column_end] = entries_of(at.row_ptr, at.col);
      const std::int64_t first = static_cast<std::int64_t>(a.row_ptr.data()[i]) + at.row_ptr.data()[i];
      std::int32_t* const begin_of_row = graph.neighbors.data() + first;
      std::int32_t* last = std::copy(column, column_end, std::copy(row, row_end, begin_of_row));
      std::sort(begin_of_row, last);
      last = std::remove(begin_of_row, std::unique(begin_of_row, last), static_cast<std::int32_t>(i));
      graph.first.data()[i] = first;
      graph.degree.data()[i] = static_cast<std::int32_t>(last - begin_of_row);
    }
  });
  return graph;
}

}  // namespace gossamer::inline v0::core
