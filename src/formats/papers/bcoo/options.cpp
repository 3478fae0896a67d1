// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/bcoo/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<bcoo::options> bcoo::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu) return {{.chunk = papers_chunk}, {.chunk = 8 * papers_chunk}};
  return {{.chunk = papers_chunk},
          {.chunk = papers_chunk, .entries_per_thread = 4},
          {.chunk = papers_chunk, .entries_per_thread = 2},
          {.chunk = papers_chunk / 2},
          {.chunk = 4 * papers_chunk},
          {.chunk = papers_chunk, .accumulate = chunk_accumulate::atomic}};
}

}  // namespace gossamer::inline v0::formats
