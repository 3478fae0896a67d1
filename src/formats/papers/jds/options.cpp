// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/jds/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<jds::options> jds::candidates(const row_statistics&, const exec::target&) {
  return {options{}};
}

}  // namespace gossamer::inline v0::formats
