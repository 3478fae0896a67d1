// SPDX-License-Identifier: BSD-3-Clause
// How the columns of a row follow from those of the row before.
#pragma once

#include <cstdint>

#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// By how much the columns of row i + 1 exceed those of row i: 0 or 1 for all of them, else -1. Of an empty
/// row -1.
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

}  // namespace gossamer::inline v0::formats
