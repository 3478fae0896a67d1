// SPDX-License-Identifier: BSD-3-Clause
#include "formats/bcoo/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<bcoo::options> bcoo::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu) return {{.chunk = papers_chunk}, {.chunk = 8 * papers_chunk}};
  // To be removed: kernels to compare.
  return {{.chunk = papers_chunk, .entries_per_thread = 18},
          {.chunk = papers_chunk, .entries_per_thread = 28},
          {.chunk = papers_chunk, .entries_per_thread = 48},
          {.chunk = papers_chunk, .entries_per_thread = 58}};
}

}  // namespace gossamer::inline v0::formats
