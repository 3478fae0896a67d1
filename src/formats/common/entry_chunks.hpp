// SPDX-License-Identifier: BSD-3-Clause
// Chunks of equally many consecutive entries, whatever rows they belong to (paper 001, section 2.2): only the
// first and the last row of a chunk may have entries in another one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

#include "core/fail.hpp"
#include "core/parallel.hpp"
#include "exec/reduction/carries.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/contract/format.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// The papers' chunk, on CPUs and GPUs alike.
inline constexpr std::int64_t papers_chunk = 1024;

constexpr number_field chunk_field() {
  return {.name = "chunk",
          .help = "entries of a chunk, the unit of work",
          .min = 1,
          .max = 1 << 20,
          .test_value = 72};
}

/// How a GPU combines what chunks have of a row.
enum class chunk_accumulate : std::int32_t { ordered, atomic };

inline constexpr std::array<option_choice, 2> chunk_accumulates{
    option_choice{"ordered", "sums of shared rows are left in slots and added in a fixed order"},
    option_choice{"atomic", "atomic additions into y, the paper's way; the bits vary from run to run"}};

constexpr choice_field chunk_accumulate_field() {
  return {.name = "accumulate",
          .help = "how sums of rows that chunks share reach y",
          .choices = chunk_accumulates,
          .devices = device_set::cuda};
}

/// The paper's 2 or 4, or 8, which is faster.
constexpr number_field entries_per_thread_field() {
  return {.name = "entries_per_thread",
          .help = "neighbouring entries that a thread takes together, 2, 4 or 8",
          .min = 2,
          .max = 8,
          .devices = device_set::cuda,
          .test_value = 4};
}
inline void check_entries_per_thread(std::string_view format, std::int64_t entries) {
  if (entries != 2 && entries != 4 && entries != 8)
    fail(errc::invalid_argument, "{}: option entries_per_thread = \"{}\" is not 2, 4 or 8", format, entries);
}

/// Of a matrix on a GPU: how its chunks are multiplied.
struct chunks_on_device {
  chunk_accumulate accumulate = chunk_accumulate::ordered;
  std::int32_t entries_per_thread = 8;
  bool adds = false;  ///< y is scaled first, and sums are added to it
};

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

/// Options worth timing on a device, of formats in chunks.
template <class Options>
std::vector<Options> chunks_worth_timing_on_device() {
  return {{.chunk = papers_chunk},
          {.chunk = papers_chunk, .entries_per_thread = 4},
          {.chunk = papers_chunk, .entries_per_thread = 2},
          {.chunk = papers_chunk / 2},
          {.chunk = 4 * papers_chunk},
          {.chunk = papers_chunk, .accumulate = chunk_accumulate::atomic}};
}

/// The row with entries on both sides of the cut before chunk u (1 <= u < chunks_of()), or -1.
template <class V, offset O>
std::int32_t row_across_chunks(const csr_view<V, O>& a, std::int64_t chunk, std::int64_t u) {
  const std::int32_t row = row_of_entry(a, u * chunk);
  return static_cast<std::int64_t>(a.row_ptr.data()[row]) < u * chunk ? row : -1;
}

/// Whether more than `most` rows without entries follow each other.
template <class V, offset O>
bool has_empty_rows_in_a_row(const csr_view<V, O>& a, std::int64_t most) {
  std::atomic<bool> found{false};
  core::parallel_for(a.rows - most, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (a.row_ptr.data()[i] == a.row_ptr.data()[i + most + 1]) {
        found.store(true, std::memory_order_relaxed);
        return;
      }
  });
  return found;
}

/// One thread writes the rows without entries between two others: where they are many, y is scaled first
/// instead, which reads and writes it once more.
template <class V, offset O>
chunks_on_device chunks_on_device_of(const csr_view<V, O>& a, chunk_accumulate accumulate,
                                     std::int64_t entries_per_thread) {
  constexpr std::int64_t most_empty = 32;
  return {.accumulate = accumulate,
          .entries_per_thread = static_cast<std::int32_t>(entries_per_thread),
          .adds = accumulate == chunk_accumulate::atomic || a.nnz() == 0 ||
                  has_empty_rows_in_a_row(a, most_empty)};
}

/// The time of a product that reads so many bytes of a matrix in chunks.
inline double chunks_roofline(std::int64_t bytes, std::size_t value_bytes, const row_statistics& s,
                              chunk_accumulate accumulate, const machine& m) {
  const bool atomic = accumulate == chunk_accumulate::atomic;
  const std::int64_t elements = s.rows * (atomic ? 3 : 1) + s.cols;  // y is scaled, then added to
  return roofline(
      static_cast<double>(bytes) + static_cast<double>(elements) * static_cast<double>(value_bytes),
      atomic ? 2 : 1, m);
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
