// SPDX-License-Identifier: BSD-3-Clause
#include "formats/coo/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<coo::options> coo::candidates(const row_statistics&, const exec::target&) {
  return {{.accumulate = coo_accumulate::segmented}, {.accumulate = coo_accumulate::atomic}};
}

}  // namespace gossamer::inline v0::formats
