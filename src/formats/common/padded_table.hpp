// SPDX-License-Identifier: BSD-3-Clause
// Tables in which every row is padded to the longest: what they take, and when that is refused.
#pragma once

#include <algorithm>
#include <limits>

#include "formats/common/padding_limit.hpp"
#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

/// A table of `stride` slots a column (at least the rows' own) and `width` columns, of `slot_bytes` each, beside `other_bytes`. Refused
/// where it has more than `max_padding` slots a nonzero.
inline footprint measure_padded_table(const row_statistics& s, std::int64_t stride, std::int64_t width,
                                      std::int64_t slot_bytes, std::int64_t other_bytes,
                                      std::int64_t max_padding) {
  // stride < 2^37 and width <= nnz + 31 < 2^63 / 8, so only their product can overflow; long double orders it.
  const long double slots = static_cast<long double>(stride) * static_cast<long double>(width);
  const bool too_large = slots * static_cast<long double>(slot_bytes) > 9e18L;
  footprint f{.bytes = too_large ? std::numeric_limits<std::int64_t>::max()
                                 : stride * width * slot_bytes + other_bytes,
              .exact = !too_large};
  const auto nonzeros = static_cast<long double>(std::max<std::int64_t>(s.nnz, 1));
  if (slots > static_cast<long double>(max_padding) * nonzeros &&
      slots > static_cast<long double>(free_slots))
    f.refusal = message(
        "{} rows padded to the longest of {} entries need {:.3g} slots for {} nonzeros, {:.3g} a nonzero, "
        "{:.3g} bytes in all; max_padding = {}",
        {s.rows, s.max, slots, s.nnz, slots / nonzeros,
         slots * static_cast<long double>(slot_bytes) + static_cast<long double>(other_bytes), max_padding});
  return f;
}

}  // namespace gossamer::inline v0::formats
