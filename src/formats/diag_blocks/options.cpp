// SPDX-License-Identifier: BSD-3-Clause
#include "formats/diag_blocks/format.hpp"

namespace gossamer::inline v0::formats {

/// The paper's two: a warp and half of one. And the main diagonal alone, which other formats have to give
/// columns.
std::vector<diag_blocks::options> diag_blocks::candidates(const row_statistics&, const exec::target&) {
  return {{.block = 32}, {.block = 16}, {.block = 1}};
}

}  // namespace gossamer::inline v0::formats
