// SPDX-License-Identifier: BSD-3-Clause
// Converts the slices back to CSR, bit for bit.
#pragma once

#include <algorithm>

#include "core/csr_of_size.hpp"
#include "core/parallel.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// Reads what write_packed() wrote.
template <value V>
class packed_reader {
 public:
  packed_reader(const packed_slice& s, const std::uint8_t* data, const V* table, const packed_meta& meta)
      : s_(packed_opened(s)),
        delta_mask_(s.delta_mask()),
        from_(data),
        table_(table),
        together_(meta.together),
        bf16_(meta.bf16) {}

  /// In a diagonal slice: whether row r has an entry on the diagonal `step`.
  [[nodiscard]] bool has(std::uint32_t step, int r) const {
    if (s_.is_full()) return true;
    const auto lane = static_cast<std::uint32_t>(r % packed_lanes);
    const std::uint8_t* const masks = from_ + s_.masks;
    if (together_ != 1)
      return (masks[packed_mask_byte(step, lane)] >> packed_mask_bit(step, static_cast<std::uint32_t>(r)) &
              1u) != 0;
    return (packed_code::get<std::uint32_t>(masks,
                                            packed_diagonal_slot(step, static_cast<std::uint32_t>(r))) >>
                lane &
            1u) != 0;
  }
  /// In another lane slice: the entries of a lane.
  [[nodiscard]] std::int64_t count(int lane) const {
    if (s_.is_full()) return s_.steps;
    const auto l = static_cast<std::uint32_t>(lane);
    return s_.steps - (s_.misses_many() ? packed_code::get<std::uint16_t>(from_ + s_.missing_at(), l)
                                        : packed_code::get<std::uint8_t>(from_ + s_.missing_at(), l));
  }
  /// In a COO slice: how many entries come before row r; after the last row, all.
  [[nodiscard]] std::uint32_t start(int r) const { return r < s_.rows() ? from_[r] : s_.steps; }
  /// The matrix row of the slice's row r; not for row parts.
  [[nodiscard]] std::int32_t row(int r) const {
    return s_.row + (s_.lists_rows()
                         ? std::int32_t{packed_code::get<std::uint16_t>(from_, static_cast<std::uint32_t>(r))}
                         : r);
  }
  /// The column of an entry. `which` is the lane, or the row of a diagonal slice. In a COO slice `step` is
  /// the entry.
  [[nodiscard]] std::int32_t column(std::uint32_t step, int which) const {
    if (s_.is_coo_slice()) return static_cast<std::int32_t>(s_.bases + delta_at(step));
    if (s_.is_diagonal_slice()) return packed_code::get<std::int32_t>(from_ + s_.bases, step) + which;
    const auto l = static_cast<std::uint32_t>(which);
    const std::uint32_t place =
        s_.elides_deltas()
            ? packed_place(static_cast<std::uint32_t>(delta_mask_.before(step + std::int64_t{1}) - 1), l,
                           packed_stored_deltas(delta_mask_), together_)
            : packed_place(step, l, s_.steps, together_);
    std::uint32_t column = delta_at(place);
    if (s_.columns() == packed_columns::four) return static_cast<std::int32_t>(column);
    column += packed_code::get<std::uint32_t>(from_ + s_.bases, step);
    if (s_.starts() == packed_starts::row)
      column += static_cast<std::uint32_t>(row(which >> s_.sharing()) - s_.row);
    if (s_.starts() == packed_starts::given)
      column += packed_code::get<std::uint32_t>(from_ + s_.starts_at(), l);
    return static_cast<std::int32_t>(column);
  }
  [[nodiscard]] V value_of(std::uint32_t step, int which) const {
    using packed_code::get;
    const std::uint8_t* const values = from_ + s_.values_at;
    const auto row = static_cast<std::uint32_t>(which);
    const std::uint32_t slot = s_.is_diagonal_slice() ? packed_diagonal_slot(step, row) : step;
    const std::uint32_t lane = row % packed_lanes;
    const auto place = [&](std::uint32_t together) {
      return s_.is_coo_slice() ? step : packed_place(slot, lane, packed_slots(s_), together);
    };
    switch (s_.values()) {
      case packed_values::constant:
        return get<V>(values, 0);
      case packed_values::of_step:
        return get<V>(values, step);
      case packed_values::table4:
        if (s_.is_coo_slice()) return table_[values[step / 2] >> (step % 2 * 4) & 0xf];
        return table_[get<std::uint16_t>(values, slot / 4 * packed_lanes + lane) >> (slot % 4 * 4) & 0xf];
      case packed_values::table8:
        return table_[values[place(together_)]];
      case packed_values::half:
        return static_cast<V>(
            from_16_bits(get<std::uint16_t>(values, place(together_)), packed_half_kind(bf16_)));
      case packed_values::narrow:
        return static_cast<V>(get<float>(values, place(together_)));
      case packed_values::full:
        break;
    }
    return get<V>(values, place(packed_values_together(together_, sizeof(V))));
  }

 private:
  /// The delta at a position in `columns`.
  [[nodiscard]] std::uint32_t delta_at(std::uint32_t place) const {
    const std::uint8_t* const columns = from_ + s_.columns_at;
    if (s_.columns() == packed_columns::one) return columns[place];
    if (s_.columns() == packed_columns::two) return packed_code::get<std::uint16_t>(columns, place);
    return s_.columns() == packed_columns::four ? packed_code::get<std::uint32_t>(columns, place) : 0;
  }

  packed_slice s_;
  packed_delta_mask delta_mask_;  ///< only if the slice elides deltas
  const std::uint8_t* from_;
  const V* table_;
  std::uint32_t together_;
  bool bf16_;
};

/// The rows with their entries in the original order, and the values as they are stored. It uses all threads.
template <value V>
csr_matrix<V, std::int64_t> packed_matrix(const packed_storage<V, host_buffer>& stored) {
  const packed_meta& m = stored.meta;
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  std::int64_t* const row_ptr = a.row_ptr.data();
  std::fill_n(row_ptr, m.rows + 1, std::int64_t{0});
  // f(row, index in the row, step, lane or row of the slice, reader) for each entry of some slices.
  const auto for_each_entry = [&](std::int64_t first_slice, std::int64_t last_slice, auto&& f) {
    for (std::int64_t i = first_slice; i < last_slice; ++i) {
      const packed_slice& s = stored.slice.data()[i];
      const packed_reader<V> from(s, stored.data.data() + std::int64_t{s.at} * packed_piece,
                                  stored.table.data(), m);
      if (s.is_diagonal_slice()) {
        for (int r = 0; r < s.rows(); ++r) {
          std::int64_t k = 0;
          for (std::uint32_t j = 0; j < s.steps; ++j)
            if (from.has(j, r)) f(from.row(r), k++, j, r, from);
        }
        continue;
      }
      if (s.is_coo_slice()) {
        for (int r = 0; r < s.rows(); ++r)
          for (std::uint32_t k = from.start(r); k < from.start(r + 1); ++k)
            f(from.row(r), std::int64_t{k} - from.start(r), k, 0, from);
        continue;
      }
      std::int64_t before = 0;
      std::int32_t row_of_part = 0;
      if (s.is_row_part()) {
        const std::int64_t* const firsts = stored.carries.first.data();
        const std::int64_t cut_row =
            std::upper_bound(firsts, firsts + stored.carries.first.size(), std::int64_t{s.row}) - firsts - 1;
        row_of_part = stored.carries.row.data()[cut_row];
        before = (s.row - firsts[cut_row]) * m.longest_part;
      }
      for (int lane = 0; lane < s.rows() << s.sharing(); ++lane) {
        const int which = lane >> s.sharing();
        const std::int32_t row = s.is_row_part() ? row_of_part : from.row(which);
        const std::int64_t first = before + (lane & ((1 << s.sharing()) - 1));
        const auto count = static_cast<std::uint32_t>(from.count(lane));
        for (std::uint32_t j = 0; j < count; ++j)
          f(row, first + (std::int64_t{j} << s.sharing()), j, lane, from);
      }
    }
  };
  for_each_entry(0, m.slices,
                 [&](std::int32_t row, std::int64_t, std::uint32_t, int, const packed_reader<V>&) {
                   ++row_ptr[row + 1];
                 });
  for (std::int64_t i = 0; i < m.rows; ++i) row_ptr[i + 1] += row_ptr[i];
  core::parallel_for(m.slices, 64, [&](std::int64_t begin, std::int64_t end) {
    for_each_entry(
        begin, end,
        [&](std::int32_t row, std::int64_t at, std::uint32_t step, int which, const packed_reader<V>& from) {
          const std::int64_t k = row_ptr[row] + at;
          a.col.data()[k] = from.column(step, which);
          a.val.data()[k] = from.value_of(step, which);
        });
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
