// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/csr_gathered/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<csr_gathered::options> csr_gathered::candidates(const row_statistics&, const exec::target&) {
  return {options{}};
}

}  // namespace gossamer::inline v0::formats
