// SPDX-License-Identifier: BSD-3-Clause
// What formats share that pad groups of rows, each group to a width of its own, and store a group by columns:
// filling the columns in parallel, and refusing where padding grows out of hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/bisect.hpp"
#include "core/parallel.hpp"
#include "formats/common/padded_format.hpp"
#include "formats/common/row_order.hpp"

namespace gossamer::inline v0::formats {

/// A CPU kernel takes so many neighbouring slots of a column at once; a column has a multiple of this.
inline constexpr std::int64_t group_lanes = 32;

/// The greatest g in [0, count) with before(g) <= position, where before does not decrease and before(0) <=
/// position.
template <class Before>
constexpr std::int64_t last_at_or_before(std::int64_t count, std::int64_t position, Before&& before) {
  return first_where(std::int64_t{1}, count, [&](std::int64_t g) { return before(g) > position; }) - 1;
}

/// The first g in [0, count) with before(g) >= position, or count; before does not decrease.
template <class Before>
constexpr std::int64_t first_at_or_after(std::int64_t count, std::int64_t position, Before&& before) {
  return first_where(std::int64_t{0}, count, [&](std::int64_t g) { return before(g) >= position; });
}

/// body(g, first, last) for columns [first, last) of group g: every column of every group once, in equal
/// shares a thread, so that a group with a huge row is filled by many. before(g) is the number of columns
/// before group g, g = 0 ... groups.
template <class Before, class Body>
void fill_by_columns(std::int64_t groups, std::int64_t slots_per_column, Before&& before, Body&& body) {
  if (groups == 0) return;
  core::parallel_for(before(groups), core::default_grain / slots_per_column,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t g = last_at_or_before(groups, begin, before); begin < end; ++g) {
                         const std::int64_t base = before(g);
                         const std::int64_t stop = std::min(end, before(g + 1));
                         if (begin < stop) body(g, begin - base, stop - base);
                         begin = std::max(begin, stop);
                       }
                     });
}

/// Columns [first, last) of `lanes` neighbouring lanes: slot j of lane t is entry begin[t] + j, or padding
/// from length[t] on. With group_lanes of them, what they read stays in the first cache while their columns
/// go by (27-point stencil: half the time of 128 lanes at once).
template <class V, offset O>
void fill_lanes(const csr_view<V, O>& a, const std::int64_t* begin, const std::int64_t* length,
                std::int64_t lanes, std::int64_t first, std::int64_t last, std::int64_t stride,
                std::int32_t* to_col, V* to_val) {
  const std::int64_t shortest = *std::min_element(length, length + lanes);
  const std::int32_t* const col = a.col.data();
  const V* const val = a.val.data();
  for (std::int64_t j = first; j < last; ++j) {
    std::int32_t* const c = to_col + j * stride;
    V* const v = to_val + j * stride;
    if (j < shortest) {
      for (std::int64_t t = 0; t < lanes; ++t) {
        c[t] = col[begin[t] + j];
        v[t] = val[begin[t] + j];
      }
    } else {
      for (std::int64_t t = 0; t < lanes; ++t) {
        c[t] = j < length[t] ? col[begin[t] + j] : -1;
        v[t] = j < length[t] ? val[begin[t] + j] : V{};
      }
    }
  }
}

/// About how long the longest of some hundred rows is: two and a half deviations above the mean. The
/// deviation is that of the rows but the longest, since one huge row among a million widens one group alone.
inline double usual_longest(const row_statistics& s) {
  const double above = static_cast<double>(s.max) - s.mean;
  const double variance = s.standard_deviation * s.standard_deviation -
                          above * above / static_cast<double>(std::max<std::int64_t>(s.rows, 1));
  return std::min(static_cast<double>(s.max), s.mean + 2.5 * std::sqrt(std::max(0.0, variance)));
}

/// So many slots, and `other_bytes` beside them; refused where a nonzero would take more than max_padding
/// slots.
template <class V>
footprint footprint_of_slots(long double slots, std::int64_t other_bytes, const row_statistics& s,
                             std::int64_t max_padding) {
  const long double bytes =
      slots * (sizeof(V) + sizeof(std::int32_t)) + static_cast<long double>(other_bytes);
  footprint f = footprint_of(bytes);
  if (pads_too_much(slots, s.nnz, max_padding))
    f.refusal = message(
        "rows of up to {} entries share groups with short ones: {:.3g} slots ({:.3g} bytes) for {} nonzeros, "
        "{:.3g} a nonzero; max_padding = {}",
        {s.max, slots, bytes, s.nnz, slots_a_nonzero(slots, s.nnz), max_padding});
  return f;
}

}  // namespace gossamer::inline v0::formats
