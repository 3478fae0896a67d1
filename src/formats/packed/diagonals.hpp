// SPDX-License-Identifier: BSD-3-Clause
// The diagonals of some consecutive rows, where storing those rows diagonal by diagonal is worth it: what no
// row has on a diagonal is a hole there, which costs a value, and no entry costs a column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/common/frequent_values.hpp"
#include "formats/common/row_order.hpp"
#include "formats/packed/layout.hpp"
#include "formats/packed/window_costs.hpp"

namespace gossamer::inline v0::formats {

/// More are no stencil, and steps of a slice are counted in 16 bits.
inline constexpr std::size_t packed_most_diagonals_at_all = 1024;

/// How many diagonals 128 rows with so many entries may have to be stored on them: what holes share with
/// entries is a value, what each diagonal takes beside is its column and its bits, and an entry's column
/// would take a byte or more.
constexpr int packed_most_diagonals(std::int64_t entries, std::int64_t slot_bytes) noexcept {
  constexpr auto most = static_cast<std::int64_t>(packed_most_diagonals_at_all);
  constexpr std::int64_t extra_bytes = 4 + packed_rows_on_diagonals / 8;
  const std::int64_t value_bytes = slot_bytes - 2;
  const std::int64_t worth_it =
      entries * (value_bytes + 1) / (packed_rows_on_diagonals * value_bytes + extra_bytes);
  return static_cast<int>(worth_it < most ? worth_it : most);
}

class packed_diagonals {
 public:
  /// Whether rows first ... last - 1 are to be stored on diagonals. Their columns have to ascend.
  template <class V, offset O>
  bool find(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::int64_t slot_bytes) {
    diagonals_.clear();
    const std::int64_t entries = static_cast<std::int64_t>(a.row_ptr.data()[last] - a.row_ptr.data()[first]);
    const int most = packed_most_diagonals(entries, slot_bytes);
    if (most == 0) return false;
    for (std::int64_t i = first; i < last; ++i) {
      if (!add_row(a, i, static_cast<std::size_t>(most))) return false;
    }
    return true;
  }
  [[nodiscard]] std::span<const std::int64_t> all() const { return diagonals_; }

 private:
  /// False where the row's columns do not ascend, or diagonals are more than `most`.
  template <class V, offset O>
  bool add_row(const csr_view<V, O>& a, std::int64_t row, std::size_t most) {
    const auto begin = static_cast<std::int64_t>(a.row_ptr.data()[row]);
    const auto end = static_cast<std::int64_t>(a.row_ptr.data()[row + 1]);
    const std::int32_t* const col = a.col.data();
    const auto known = static_cast<std::int64_t>(diagonals_.size());
    if (end - begin == known && is_on_all(col + begin, row)) return true;
    std::size_t d = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      if (k > begin && col[k] <= col[k - 1]) return false;
      const std::int64_t diagonal = col[k] - row;
      while (d < diagonals_.size() && diagonals_[d] < diagonal) ++d;
      if (d == diagonals_.size() || diagonals_[d] != diagonal) {
        if (diagonals_.size() == most) return false;
        diagonals_.insert(diagonals_.begin() + static_cast<std::ptrdiff_t>(d), diagonal);
      }
    }
    return true;
  }

  /// Whether a row of as many entries as there are diagonals has one on each, in their order.
  [[nodiscard]] bool is_on_all(const std::int32_t* col, std::int64_t row) const {
    std::int64_t different = 0;
    for (std::size_t d = 0; d < diagonals_.size(); ++d) different |= diagonals_[d] ^ (col[d] - row);
    return different == 0;
  }

  std::vector<std::int64_t> diagonals_;
};

/// Whether a matrix's diagonals, if each value takes a byte, may have half as many slots as there are
/// entries, or more: as far as 32 times 128 rows tell.
template <class V, offset O>
bool packed_is_on_diagonals(const csr_view<V, O>& a) {
  constexpr std::int64_t looked_at = 32;
  const std::int64_t groups = (a.rows + packed_rows_on_diagonals - 1) / packed_rows_on_diagonals;
  const std::int64_t samples = std::min(groups, looked_at);
  packed_diagonals diagonals;
  std::int64_t entries = 0;
  std::int64_t slots = 0;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t first = sampled_place(k, groups, samples) * packed_rows_on_diagonals;
    const std::int64_t last = std::min(first + packed_rows_on_diagonals, a.rows);
    entries += a.row_ptr.data()[last] - a.row_ptr.data()[first];
    if (diagonals.find(a, first, last, packed_slot_bytes_by_table))
      slots += static_cast<std::int64_t>(diagonals.all().size()) * packed_rows_on_diagonals;
  }
  return 2 * slots >= entries;
}

}  // namespace gossamer::inline v0::formats
