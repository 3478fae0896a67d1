// SPDX-License-Identifier: BSD-3-Clause
// One set of rows with the plan that multiplies it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/scalars.hpp"
#include "gossamer/hybrid.hpp"

namespace gossamer::inline v0::hybrids {

/// Rows first_row, first_row + 1, ... where `rows` is empty, else those that it lists in the order of the
/// plan's.
template <scalar_types S>
struct part {
  /// Offsets that the plan may refer to.
  std::shared_ptr<const void> keeps_alive = {};
  plan<matrix_t<S>, vector_t<S>> product;
  std::size_t number = 0;  ///< among all parts, those without rows included
  std::int64_t first_row = 0;
  std::int64_t first_col = 0;  ///< of the columns that a plan on a GPU has; the rest of x is not copied there
  host_buffer<std::int32_t> rows = {};
  /// For update_values: which entries of the matrix the plan's are; empty where rows are adjacent, and so are
  /// entries from first_entry on.
  std::int64_t first_entry = 0;
  host_buffer<std::int64_t> entries = {};

  [[nodiscard]] bool adjacent() const noexcept { return rows.empty(); }
  [[nodiscard]] std::int64_t row(std::int64_t k) const noexcept {
    return adjacent() ? first_row + k : rows[static_cast<std::size_t>(k)];
  }
};

/// Whether each row is the next one of the matrix.
bool are_adjacent(std::span<const std::int32_t> rows);

/// The options for the plan of a part: it multiplies by its own matrix alone.
inspect_options options_of(const hybrid_part& part, const inspect_options& options);

/// The plan of rows[0], rows[1], ... of `a`, which is valid. `rows` is not empty. Throws what inspect throws.
template <value V, offset O>
part<scalars<V>> make_part(const csr_view<V, O>& a, std::span<const std::int32_t> rows, const resource& where,
                           const inspect_options& options);

}  // namespace gossamer::inline v0::hybrids
