// SPDX-License-Identifier: BSD-3-Clause
#include "formats/ellpack/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<ellpack::options> ellpack::candidates(const row_statistics&, const exec::target&) {
  return {options{}};
}

}  // namespace gossamer::inline v0::formats
