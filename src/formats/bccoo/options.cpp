// SPDX-License-Identifier: BSD-3-Clause
#include "formats/bccoo/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<bccoo::options> bccoo::candidates(const row_statistics&, const exec::target& target) {
  if (!contains(devices, target.kind)) return {};
  return {{.chunk = papers_chunk},
          {.chunk = 8 * papers_chunk},
          {.chunk = papers_chunk, .codes = bccoo_codes::chunk_uniform}};
}

}  // namespace gossamer::inline v0::formats
