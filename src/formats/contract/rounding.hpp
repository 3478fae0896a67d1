// SPDX-License-Identifier: BSD-3-Clause
// Generic code for formats that may store rounded values: round them, report the error, and refuse values
// that would become infinite.
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>

#include "core/parallel.hpp"
#include "formats/common/row_groups.hpp"
#include "formats/contract/format.hpp"
#include "gossamer/format_info.hpp"

namespace gossamer::inline v0::formats {

/// The narrower type that stored values have; empty where they are as they are given.
template <class F, value V>
constexpr std::string_view rounds_to(const typename F::options& o) {
  if constexpr (rounds_values<F, V>) {
    static_assert(encodes_values<F>, "what is built over entry numbers cannot be rounded");
    return F::template rounds_to<V>(o);
  } else {
    return {};
  }
}

/// to[k] of from[k].
template <class F, value V>
void round_values(const typename F::options& o, const V* from, V* to, std::int64_t size) {
  core::parallel_for(size, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    if constexpr (rounds_values<F, V>) {
      if (!rounds_to<F, V>(o).empty()) {
        for (std::int64_t k = begin; k < end; ++k) to[k] = F::rounded(from[k], o);
        return;
      }
    }
    std::copy(from + begin, from + end, to + begin);
  });
}

/// The rounding error of a matrix whose values a format would round.
struct rounding_outcome {
  std::optional<rounding_error> error;  ///< absent where it rounds none
  std::string refusal;                  ///< of a value that would become infinite, the first one
};

template <class F, value V, offset O>
rounding_outcome rounding_of(const csr_view<V, O>& a, const typename F::options& o) {
  rounding_outcome all;
  if constexpr (rounds_values<F, V>) {
    const std::string_view narrow = rounds_to<F, V>(o);
    if (narrow.empty()) return all;
    all.error = rounding_error{.to = narrow};
    struct place {
      std::int64_t row = -1;
      std::int64_t entry = -1;
    } first;
    std::mutex held;
    const auto before = [&](std::int64_t row) { return static_cast<std::int64_t>(a.row_ptr.data()[row]); };
    core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
      rounding_error mine;
      place too_large;
      const std::int64_t last_row = first_at_or_after(a.rows, end, before);
      for (std::int64_t i = first_at_or_after(a.rows, begin, before); i < last_row; ++i) {
        double of_row = 0;
        for (std::int64_t k = before(i); k < before(i + 1); ++k) {
          const V given = a.val.data()[k];
          const V stored = F::rounded(given, o);
          if (stored == given || !std::isfinite(given)) continue;
          if (!std::isfinite(stored)) {
            if (too_large.row < 0) too_large = {.row = i, .entry = k};
            continue;
          }
          const double from = static_cast<double>(given);
          const double off = std::abs(from - static_cast<double>(stored));
          ++mine.changed;
          mine.to_zero += stored == V{0} ? 1 : 0;
          mine.largest_relative = std::max(mine.largest_relative, off / std::abs(from));
          mine.largest_absolute = std::max(mine.largest_absolute, off);
          of_row += off;
        }
        mine.largest_row_sum = std::max(mine.largest_row_sum, of_row);
      }
      const std::lock_guard lock(held);
      all.error->add(mine);
      if (too_large.row >= 0 && (first.row < 0 || too_large.row < first.row)) first = too_large;
    });
    if (first.row >= 0)
      all.refusal = message("row {}, column {} (both counted from 0): {} is too large for {}",
                            {first.row, a.col.data()[first.entry], a.val.data()[first.entry], narrow});
  }
  return all;
}

}  // namespace gossamer::inline v0::formats
