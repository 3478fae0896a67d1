// SPDX-License-Identifier: BSD-3-Clause
// What formats share that pad rows: the option that limits padding and its refusal, writing padded rows, and
// the way back to CSR.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/csr_of_size.hpp"
#include "core/parallel.hpp"
#include "formats/common/stored_as.hpp"

namespace gossamer::inline v0::formats {

/// Matrices that need no more slots than this are never refused: the padding costs less than looking for a
/// better format.
inline constexpr std::int64_t free_slots = 1 << 16;

/// The option. `most` is how much padding a user may ask for, which is also what tests over all options ask
/// for: little where formats pad blocks, each to its own longest row, so that tests do not spend their time
/// on padding.
constexpr number_field max_padding_field(std::int64_t most) {
  return {.name = "max_padding",
          .help = "refuse a matrix that needs more slots (values and padding) per nonzero",
          .min = 1,
          .max = most,
          .is_limit = true};
}

/// The options of a format that has no other option.
template <std::int64_t Most>
struct padding_options {
  std::int64_t max_padding = 10;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f(max_padding_field(Most), self.max_padding);
  }
};

/// In long double, whose 64 bits hold every number of slots that fits, and order those that do not.
inline bool pads_too_much(long double slots, std::int64_t nnz, std::int64_t max_padding) {
  return slots > static_cast<long double>(free_slots) &&
         slots >
             static_cast<long double>(max_padding) * static_cast<long double>(std::max<std::int64_t>(nnz, 1));
}

inline long double slots_a_nonzero(long double slots, std::int64_t nnz) {
  return slots / static_cast<long double>(std::max<std::int64_t>(nnz, 1));
}

/// So many bytes, or the largest number, not exact, where they are too many for one.
inline footprint footprint_of(long double bytes) {
  const bool too_large = bytes > 9e18L;
  return {.bytes = too_large ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(bytes),
          .exact = !too_large};
}

/// The end of a refusal of `slots` and `bytes` that are known exactly.
inline std::string padding_needed(std::int64_t slots, std::int64_t nnz, std::int64_t bytes,
                                  std::int64_t max_padding) {
  return message("need {} slots for {} nonzeros, {:.3g} a nonzero, {} bytes in all; max_padding = {}",
                 {slots, nnz, slots_a_nonzero(static_cast<long double>(slots), nnz), bytes, max_padding});
}

/// A table of `stride` slots a column (at least the rows' own) and `width` columns, beside `other_bytes`.
/// Refused where it has more than `max_padding` slots a nonzero.
template <class V>
footprint measure_padded_table(const row_statistics& s, std::int64_t stride, std::int64_t width,
                               std::int64_t other_bytes, std::int64_t max_padding) {
  const long double slots = static_cast<long double>(stride) * static_cast<long double>(width);
  const long double bytes =
      slots * (sizeof(V) + sizeof(std::int32_t)) + static_cast<long double>(other_bytes);
  footprint f = footprint_of(bytes);
  if (pads_too_much(slots, s.nnz, max_padding))
    f.refusal = message(
        "{} rows padded to the longest of {} entries need {:.3g} slots for {} nonzeros, {:.3g} a nonzero, "
        "{:.3g} bytes in all; max_padding = {}",
        {s.rows, s.max, slots, s.nnz, slots_a_nonzero(slots, s.nnz), bytes, max_padding});
  return f;
}

/// Allocates the columns and values of so many slots.
template <class Storage>
void make_slots(Storage& s, std::int64_t slots) {
  s.col = decltype(s.col)(static_cast<std::size_t>(slots));
  s.val = decltype(s.val)(static_cast<std::size_t>(slots));
}

/// One more than there are blocks: the first slot of each block of `rows` rows, which is as wide as it says.
inline host_buffer<std::int64_t> offsets_of_blocks(const std::vector<std::int64_t>& width,
                                                   std::int64_t rows) {
  host_buffer<std::int64_t> offset(width.size() + 1);
  offset[0] = 0;
  for (std::size_t b = 0; b < width.size(); ++b) offset[b + 1] = offset[b] + width[b] * rows;
  return offset;
}

/// The numbers of row i's entries; none for a row behind the last.
template <class T, offset O>
core::range entries_of_row(const csr_view<T, O>& a, std::int64_t i) {
  if (i >= a.rows) return {};
  const O* const row_ptr = a.row_ptr.data() + i;
  return {static_cast<std::int64_t>(row_ptr[0]), static_cast<std::int64_t>(row_ptr[1])};
}

/// Entry j of a row into that slot, or padding behind the row's last.
template <class Storage, class T, offset O>
void write_slot(Storage& s, std::int64_t slot, const csr_view<T, O>& a, core::range row, std::int64_t j) {
  const std::int64_t k = row.begin + j;
  s.col.data()[slot] = k < row.end ? a.col.data()[k] : -1;
  s.val.data()[slot] = k < row.end ? a.val.data()[k] : T{};
}

/// The matrix whose rows lie in slots. for_each_piece(f) calls f(row, slot, end, stride) for each piece of
/// each row, pieces of a row in order: entries are in slots slot, slot + stride, ... before `end`, up to the
/// first padding, whose column is negative.
template <value V, class Stored, class Pieces>
csr_matrix<V, std::int64_t> csr_of_slots(const Stored& stored, Pieces&& for_each_piece) {
  const auto& m = stored.meta;
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  const std::int32_t* const col = stored.col.data();
  std::int64_t* const row_ptr = a.row_ptr.data();
  std::fill_n(row_ptr, m.rows + 1, std::int64_t{0});
  for_each_piece([&](std::int64_t row, std::int64_t slot, std::int64_t end, std::int64_t stride) {
    for (; slot < end && col[slot] >= 0; slot += stride) ++row_ptr[row + 1];
  });
  for (std::int64_t i = 0; i < m.rows; ++i) row_ptr[i + 1] += row_ptr[i];
  std::vector<std::int64_t> next(row_ptr, row_ptr + m.rows);
  for_each_piece([&](std::int64_t row, std::int64_t slot, std::int64_t end, std::int64_t stride) {
    for (std::int64_t& k = next[static_cast<std::size_t>(row)]; slot < end && col[slot] >= 0;
         slot += stride, ++k) {
      a.col.data()[k] = col[slot];
      a.val.data()[k] = stored.val.data()[slot];
    }
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
