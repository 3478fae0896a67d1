// SPDX-License-Identifier: BSD-3-Clause
// ARG-CSR's groups: consecutive rows with about equal numbers of entries, and the chunks that a thread block
// makes of them (paper 003, section 3). Here is no storage, so that a footprint is asked for without making
// any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/bisect.hpp"
#include "core/parallel.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// Paper 003, listing 1, with 64-bit positions and the number of chunks. Slot j of chunk t is at offset + j *
/// block + t.
struct arg_csr_group {
  std::int64_t offset = 0;      ///< of the first slot
  std::int64_t chunk_size = 0;  ///< slots of a chunk; 0 where all rows are empty
  std::int32_t first_row = 0;
  std::int16_t rows = 0;
  std::int16_t chunks = 0;  ///< threads that have a chunk; the others' slots are padding
};
static_assert(sizeof(arg_csr_group) == 24, "no padding: storages are compared byte by byte");

/// A group closes after the row with which it has more entries than `entries`, or with `rows` rows.
struct arg_csr_limits {
  std::int64_t entries = 0;
  std::int64_t rows = 0;  ///< and threads of a block
};

/// Threads that a row takes: those of a greedy distribution, which gives one more to the row with the fullest
/// chunks, at the moment when chunks become as small as `chunk_size`. Until then it gives none to a row that
/// has enough, so which of several equally full rows comes first does not show. An empty row has a thread
/// too.
constexpr std::int64_t arg_csr_chunks_of_row(std::int64_t length, std::int64_t chunk_size) noexcept {
  return length <= chunk_size ? 1 : (length + chunk_size - 1) / chunk_size;
}

/// The smallest chunk size for which `threads` threads are enough. row_ptr has rows + 1 offsets, rows <=
/// threads.
template <offset O>
std::int64_t arg_csr_chunk_size(const O* row_ptr, std::int64_t rows, std::int64_t longest,
                                std::int64_t threads) {
  if (rows == threads || longest <= 1) return longest;
  const auto entries = static_cast<std::int64_t>(row_ptr[rows] - row_ptr[0]);
  const std::int64_t spare = threads - rows;
  // Below: all threads full, or the longest row has all the spare ones. Above: ceil(l / c) < l / c + 1,
  // summed over the rows.
  const std::int64_t least = std::max((entries + threads - 1) / threads, (longest + spare) / (spare + 1));
  const std::int64_t most = std::min(longest, (entries + spare - 1) / spare);
  return first_where(least, most, [&](std::int64_t size) {
    std::int64_t needed = 0;
    for (std::int64_t r = 0; r < rows; ++r)
      needed += arg_csr_chunks_of_row(static_cast<std::int64_t>(row_ptr[r + 1] - row_ptr[r]), size);
    return needed <= threads;
  });
}

namespace detail {

/// The group that begins with row `first`, all but its offset.
template <class V, offset O>
arg_csr_group arg_csr_group_at(const csr_view<V, O>& a, std::int64_t first, const arg_csr_limits& limits) {
  const O* row_ptr = a.row_ptr.data() + first;
  const std::int64_t most = std::min(limits.rows, a.rows - first);
  std::int64_t longest = 0;
  std::int64_t rows = 0;
  do {
    longest = std::max(longest, static_cast<std::int64_t>(row_ptr[rows + 1] - row_ptr[rows]));
    ++rows;
  } while (rows < most && static_cast<std::int64_t>(row_ptr[rows] - row_ptr[0]) <= limits.entries);
  arg_csr_group g{.chunk_size = arg_csr_chunk_size(row_ptr, rows, longest, limits.rows),
                  .first_row = static_cast<std::int32_t>(first),
                  .rows = static_cast<std::int16_t>(rows)};
  std::int64_t chunks = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    chunks += arg_csr_chunks_of_row(static_cast<std::int64_t>(row_ptr[r + 1] - row_ptr[r]), g.chunk_size);
  g.chunks = static_cast<std::int16_t>(chunks);
  return g;
}

/// exit[i - begin]: if a group began at row i of [begin, end), the first row at or past `end` at which one
/// would begin. Where a group ends does not move right when its beginning moves left, so this takes time
/// proportional to the rows.
template <class V, offset O>
void arg_csr_exits(const csr_view<V, O>& a, std::int64_t begin, std::int64_t end,
                   const arg_csr_limits& limits, std::vector<std::int32_t>& exit) {
  exit.resize(static_cast<std::size_t>(end - begin));
  const O* row_ptr = a.row_ptr.data();
  std::int64_t next = a.rows;
  for (std::int64_t i = end - 1; i >= begin; --i) {
    next = std::min(next, i + limits.rows);
    while (next - 1 > i && static_cast<std::int64_t>(row_ptr[next - 1] - row_ptr[i]) > limits.entries) --next;
    exit[static_cast<std::size_t>(i - begin)] =
        next >= end ? static_cast<std::int32_t>(next) : exit[static_cast<std::size_t>(next - begin)];
  }
}

}  // namespace detail

struct arg_csr_groups {
  std::vector<arg_csr_group> group;  ///< no part of a plan's memory
  std::int64_t columns = 0;          ///< the sum of chunk sizes
};

/// One group follows from the one before, yet all threads work: segments of rows are first walked from every
/// row at which a group may enter them, which tells where each is entered, and then cut into groups apart.
/// The result does not depend on `threads` (0: all). Entries that fit in an address space (2^47) times 2^10
/// threads are far from overflowing a position.
template <class V, offset O>
arg_csr_groups make_arg_csr_groups(const csr_view<V, O>& a, const arg_csr_limits& limits, int threads = 0) {
  if (threads == 0) threads = core::default_threads();
  // With the walk, a row takes 2.1 to 2.4 times as long as without: two threads gain nothing by it.
  const std::int64_t segment_rows = threads > 2 ? 64 * limits.rows : std::max<std::int64_t>(1, a.rows);
  const std::int64_t segments = (a.rows + segment_rows - 1) / segment_rows;
  const auto begin_of = [&](std::int64_t s) { return s * segment_rows; };
  const auto end_of = [&](std::int64_t s) { return std::min(a.rows, (s + 1) * segment_rows); };

  // A group that crosses into a segment ends within its first rows.
  std::vector<std::int64_t> entry(static_cast<std::size_t>(segments) + 1, 0);
  if (segments > 1) {
    std::vector<std::int32_t> exits(static_cast<std::size_t>(segments * limits.rows));
    core::parallel_for(
        segments, 1,
        [&](std::int64_t first, std::int64_t last) {
          std::vector<std::int32_t> exit;
          for (std::int64_t s = first; s < last; ++s) {
            detail::arg_csr_exits(a, begin_of(s), end_of(s), limits, exit);
            std::copy_n(exit.data(), std::min<std::int64_t>(limits.rows, end_of(s) - begin_of(s)),
                        exits.data() + s * limits.rows);
          }
        },
        threads);
    for (std::int64_t s = 0; s < segments; ++s) {
      const std::int64_t at = entry[static_cast<std::size_t>(s)];
      entry[static_cast<std::size_t>(s) + 1] =
          at < end_of(s) ? exits[static_cast<std::size_t>(s * limits.rows + at - begin_of(s))] : at;
    }
  }

  struct part {
    std::vector<arg_csr_group> group;
    std::int64_t columns = 0;
    std::int64_t groups_before = 0;
    std::int64_t columns_before = 0;
  };
  std::vector<part> parts(static_cast<std::size_t>(segments));
  core::parallel_for(
      segments, 1,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s) {
          part& p = parts[static_cast<std::size_t>(s)];
          for (std::int64_t row = entry[static_cast<std::size_t>(s)]; row < end_of(s);) {
            p.group.push_back(detail::arg_csr_group_at(a, row, limits));
            p.columns += p.group.back().chunk_size;
            row += p.group.back().rows;
          }
        }
      },
      threads);
  arg_csr_groups all;
  std::int64_t groups = 0;
  for (part& p : parts) {
    p.groups_before = groups;
    p.columns_before = all.columns;
    groups += static_cast<std::int64_t>(p.group.size());
    all.columns += p.columns;
  }
  all.group.resize(static_cast<std::size_t>(groups));
  core::parallel_for(
      segments, 1,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s) {
          const part& p = parts[static_cast<std::size_t>(s)];
          std::int64_t columns = p.columns_before;
          arg_csr_group* to = all.group.data() + p.groups_before;
          for (const arg_csr_group& g : p.group) {
            *to = g;
            to->offset = columns * limits.rows;
            columns += g.chunk_size;
            ++to;
          }
        }
      },
      threads);
  return all;
}

}  // namespace gossamer::inline v0::formats
