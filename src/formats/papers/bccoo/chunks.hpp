// SPDX-License-Identifier: BSD-3-Clause
// Going through the chunks of a matrix, those that are to be and those that are stored.
#pragma once

#include <cstdint>

#include "core/parallel.hpp"
#include "formats/papers/bccoo/storage.hpp"
#include "formats/papers/bccoo/uniform.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

namespace bccoo_code {

/// A chunk takes microseconds.
inline constexpr std::int64_t min_chunks_to_wake_thread = 8;

/// f(h) for each chunk, on all cores.
template <class F>
void for_each_chunk(std::int64_t chunks, F&& f) {
  core::parallel_for(chunks, min_chunks_to_wake_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t h = begin; h < end; ++h) f(h);
  });
}

/// What stands beside chunk h of chunk_uniform.
template <value V>
bccoo_uniform::chunk chunk_at(const bccoo_storage<V, host_buffer>& s, std::int64_t h) {
  const std::int64_t next = h + 1 < s.meta.chunks ? s.row.data()[h + 1] : s.meta.rows;
  return {.row = s.row.data()[h],
          .column = s.column.data()[h],
          .format = s.format.data()[h],
          .ends = next - s.row.data()[h]};
}

}  // namespace bccoo_code

}  // namespace gossamer::inline v0::formats
