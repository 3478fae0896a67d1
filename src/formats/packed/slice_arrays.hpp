// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one slice, read in the way that its header says.
#pragma once

#include <algorithm>
#include <limits>

#include "formats/packed/choose_encoding.hpp"
#include "formats/packed/storage.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// The byte of a step and a lane among masks on a device, and in it the bit of row number r.
inline std::uint32_t mask_byte(std::uint32_t step, std::uint32_t lane) {
  return step / 2 * packed_lanes + lane;
}
inline std::uint32_t mask_bit(std::uint32_t step, int r) {
  return step % 2 * packed_rows_of_lane + static_cast<std::uint32_t>(r) / packed_lanes;
}

}  // namespace packed_code

/// Reads what write_packed() wrote.
template <value V>
class packed_reader {
 public:
  packed_reader(const packed_slice& s, const std::uint8_t* data, const V* table, const packed_meta& meta)
      : s_(packed_opened(s)),
        own_(s.delta_mask()),
        from_(data),
        table_(table),
        together_(meta.together),
        bf16_(meta.bf16) {}

  /// On diagonals: whether row number r has an entry there.
  [[nodiscard]] bool has(std::uint32_t step, int r) const {
    if (s_.is_full()) return true;
    const auto lane = static_cast<std::uint32_t>(r % packed_lanes);
    const std::uint8_t* const masks = from_ + s_.masks;
    if (together_ != 1)
      return (masks[packed_code::mask_byte(step, lane)] >> packed_code::mask_bit(step, r) & 1u) != 0;
    return (packed_code::get<std::uint32_t>(masks, slot_of(step, r)) >> lane & 1u) != 0;
  }
  /// Else: entries of a lane.
  [[nodiscard]] std::int64_t count(int lane) const {
    if (s_.is_full()) return s_.steps;
    const auto l = static_cast<std::uint32_t>(lane);
    return s_.steps - (s_.misses_many() ? packed_code::get<std::uint16_t>(from_ + s_.missing_at(), l)
                                        : packed_code::get<std::uint8_t>(from_ + s_.missing_at(), l));
  }
  /// Of entries: how many stand before those of row number r; behind the last row all.
  [[nodiscard]] std::uint32_t start(int r) const { return r < s_.rows() ? from_[r] : s_.steps; }
  /// The row of row number r; parts have none.
  [[nodiscard]] std::int32_t row(int r) const {
    return s_.row + (s_.lists_rows()
                         ? std::int32_t{packed_code::get<std::uint16_t>(from_, static_cast<std::uint32_t>(r))}
                         : r);
  }
  /// Of a lane, or, on diagonals, of row number `which`; or of entry number `step`.
  [[nodiscard]] std::int32_t column(std::uint32_t step, int which) const {
    if (s_.of_entries()) return packed_code::column_of_entry(s_, from_ + s_.columns_at, step);
    if (s_.on_diagonals()) return packed_code::get<std::int32_t>(from_ + s_.bases, step) + which;
    const auto l = static_cast<std::uint32_t>(which);
    const std::uint32_t place =
        s_.elides_deltas() ? packed_place(static_cast<std::uint32_t>(own_.before(step + std::int64_t{1}) - 1),
                                          l, packed_stored_deltas(own_), together_)
                           : packed_place(step, l, s_.steps, together_);
    const std::uint8_t* const columns = from_ + s_.columns_at;
    if (s_.columns() == packed_columns::four) return packed_code::get<std::int32_t>(columns, place);
    auto number = packed_code::get<std::uint32_t>(from_ + s_.bases, step);
    if (s_.starts() == packed_starts::row)
      number += static_cast<std::uint32_t>(row(which >> s_.sharing()) - s_.row);
    if (s_.starts() == packed_starts::given)
      number += packed_code::get<std::uint32_t>(from_ + s_.starts_at(), l);
    if (s_.columns() == packed_columns::one) number += packed_code::get<std::uint8_t>(columns, place);
    if (s_.columns() == packed_columns::two) number += packed_code::get<std::uint16_t>(columns, place);
    return static_cast<std::int32_t>(number);
  }
  [[nodiscard]] V value_of(std::uint32_t step, int which) const {
    const std::uint8_t* const values = from_ + s_.values_at;
    if (s_.of_entries()) return packed_code::value_of_entry(s_, values, table_, bf16_, step);
    const std::uint32_t slot = s_.on_diagonals() ? slot_of(step, which) : step;
    const auto lane = static_cast<std::uint32_t>(which % packed_lanes);
    const std::uint32_t slots = packed_slots(s_);
    const std::uint32_t place = packed_place(slot, lane, slots, together_);
    switch (s_.values()) {
      case packed_values::constant:
        return packed_code::get<V>(values, 0);
      case packed_values::of_step:
        return packed_code::get<V>(values, step);
      case packed_values::table4:
        return table_[packed_code::get<std::uint16_t>(values, slot / 4 * packed_lanes + lane) >>
                          (slot % 4 * 4) &
                      0xf];
      case packed_values::table8:
        return table_[packed_code::get<std::uint8_t>(values, place)];
      case packed_values::half:
        return static_cast<V>(
            from_16_bits(packed_code::get<std::uint16_t>(values, place), packed_half_kind(bf16_)));
      case packed_values::narrow:
        return static_cast<V>(packed_code::get<float>(values, place));
      case packed_values::full:
        break;
    }
    return packed_code::get<V>(values,
                               packed_place(slot, lane, slots, packed_values_together(together_, sizeof(V))));
  }

 private:
  static std::uint32_t slot_of(std::uint32_t step, int r) {
    return step * packed_rows_of_lane + static_cast<std::uint32_t>(r) / packed_lanes;
  }

  packed_slice s_;
  packed_delta_mask own_;  ///< where steps repeat numbers
  const std::uint8_t* from_;
  const V* table_;
  std::uint32_t together_;
  bool bf16_;
};

}  // namespace gossamer::inline v0::formats
