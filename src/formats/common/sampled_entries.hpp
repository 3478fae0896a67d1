// SPDX-License-Identifier: BSD-3-Clause
// Entries that stand for all of a matrix, in a time that does not grow with their number.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/common/entry_chunks.hpp"
#include "formats/common/frequent_values.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

inline constexpr std::int64_t sampled_entries = 1024;

/// How far the part of the sample that has a property may be from the part of the matrix: three standard
/// deviations at most.
inline constexpr double sampling_error = 0.05;

/// f(entry) of sampled_entries places, or of all where there are no more.
template <class F>
void for_sampled_places(std::int64_t nnz, F&& f) {
  const std::int64_t samples = std::min(nnz, sampled_entries);
  for (std::int64_t k = 0; k < samples; ++k) f(nnz > samples ? sampled_place(k, nnz, samples) : k);
}

/// f(row, column) of the same places.
template <class V, offset O, class F>
void for_sampled_entries(const csr_view<V, O>& a, F&& f) {
  for_sampled_places(a.nnz(), [&](std::int64_t at) {
    f(std::int64_t{row_of_entry(a, at)}, std::int64_t{a.col.data()[at]});
  });
}

}  // namespace gossamer::inline v0::formats
