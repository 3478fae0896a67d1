// SPDX-License-Identifier: BSD-3-Clause
// The matrices that computing powers are measured on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::hybrids {

/// A square pattern of at most four million nonzeros.
struct power_matrix {
  std::string_view name;  ///< names the pattern in the cache; changes when the pattern does
  std::int64_t rows = 0;
  /// Appends the columns of a row, ascending. A column may repeat.
  void (*append_columns)(std::int64_t row, std::vector<std::int32_t>& columns) = nullptr;
};

/// Short and long rows, near and far columns; the same on every machine.
std::span<const power_matrix> power_matrices() noexcept;

/// Values differ from entry to entry, of either sign, with magnitudes from 1/2 to 1: formats that look for
/// equal values find none. Throws out_of_memory.
template <value V>
csr_matrix<V, std::int64_t> build(const power_matrix& pattern);

}  // namespace gossamer::inline v0::hybrids
