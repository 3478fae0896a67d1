// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/bcoo/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<bcoo::options> bcoo::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu) return {{.chunk = papers_chunk}, {.chunk = 8 * papers_chunk}};
  return chunks_worth_timing_on_device<options>();
}

}  // namespace gossamer::inline v0::formats
