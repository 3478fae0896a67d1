// SPDX-License-Identifier: BSD-3-Clause
// A coordinate matrix that somebody else owns.
#pragma once

#include <cstdint>

#include "gossamer/span.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// rows x cols; entry k is val[k] at (row[k], col[k]), indices from 0, in any order. Duplicates add up.
template <class V, class Space = host_space>
struct coo_view {
  using value_type = V;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  span_in<const std::int32_t, Space> row;
  span_in<const std::int32_t, Space> col;
  span_in<const V, Space> val;

  [[nodiscard]] constexpr std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
};

}  // namespace gossamer::inline v0
