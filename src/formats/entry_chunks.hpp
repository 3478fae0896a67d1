// SPDX-License-Identifier: BSD-3-Clause
// Chunks of equally many consecutive entries, whatever rows they belong to (paper 001, section 2.2): only the first and the last row
// of a chunk may have entries in another one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/fail.hpp"
#include "exec/carries.hpp"
#include "formats/option_fields.hpp"
#include "gossamer/csr_view.hpp"

namespace gossamer::inline v0::formats {

/// The papers' chunk, on CPUs and GPUs alike.
inline constexpr std::int64_t papers_chunk = 1024;

constexpr number_field chunk_field() {
  return {.name = "chunk",
          .help = "entries of a chunk, the unit of work",
          .min = 1,
          .max = 1 << 20,
          .between = 72};
}

/// The last one may be shorter; one without entries where there are none at all.
constexpr std::int64_t chunks_of(std::int64_t nnz, std::int64_t chunk) noexcept {
  return std::max<std::int64_t>(1, nnz / chunk + (nnz % chunk != 0 ? 1 : 0));
}

/// Why there may not be so many chunks, or nothing: their shared rows are numbered with 32 bits.
inline std::string too_many_chunks(std::int64_t nnz, std::int64_t chunk) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t chunks = chunks_of(nnz, chunk);
  if (chunks <= most) return {};
  return message("{} entries make {} chunks of {}; there may be {}", {nnz, chunks, chunk, most});
}

/// The row of entry k < nnz.
template <class V, offset O>
std::int32_t row_of_entry(const csr_view<V, O>& a, std::int64_t k) {
  const auto after = std::upper_bound(a.row_ptr.begin(), a.row_ptr.end(), static_cast<O>(k));
  return static_cast<std::int32_t>(after - a.row_ptr.begin()) - 1;
}

/// The row with entries on both sides of the cut before chunk u (1 <= u < chunks_of()), or -1.
template <class V, offset O>
std::int32_t row_across_chunks(const csr_view<V, O>& a, std::int64_t chunk, std::int64_t u) {
  const std::int32_t row = row_of_entry(a, u * chunk);
  return static_cast<std::int64_t>(a.row_ptr.data()[row]) < u * chunk ? row : -1;
}

/// What exec::list_carries() allocates for the chunks, exactly.
template <class V, offset O>
std::int64_t chunk_carry_bytes(const csr_view<V, O>& a, std::int64_t chunk) {
  const std::int64_t chunks = chunks_of(a.nnz(), chunk);
  std::int64_t runs = 0;
  std::int32_t last = -1;
  for (std::int64_t u = 1; u < chunks; ++u) {
    const std::int32_t across = row_across_chunks(a, chunk, u);
    if (across >= 0 && across != last) ++runs;
    if (across >= 0) last = across;
  }
  return exec::carry_bytes_bound(chunks, runs);
}

}  // namespace gossamer::inline v0::formats
