// SPDX-License-Identifier: BSD-3-Clause
#include "formats/bcoo/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<bcoo::options> bcoo::candidates(const row_statistics&, const exec::target& target) {
  if (!contains(devices, target.kind)) return {};
  return {{.chunk = papers_chunk}, {.chunk = 8 * papers_chunk}};
}

}  // namespace gossamer::inline v0::formats
