// SPDX-License-Identifier: BSD-3-Clause
// Which kernel suits which rows.
#include "formats/pattern_csr/format.hpp"

namespace gossamer::inline v0::formats {

pattern_csr::options pattern_csr::resolve(options o, const row_statistics& s, const exec::target&) {
  if (o.kernel == pattern_csr_kernel::automatic)
    o.kernel = balances_on_cpu(s) ? pattern_csr_kernel::balanced : pattern_csr_kernel::thread;
  return o;
}

std::vector<pattern_csr::options> pattern_csr::candidates(const row_statistics&, const exec::target&) {
  return {{.kernel = pattern_csr_kernel::thread}, {.kernel = pattern_csr_kernel::balanced}};
}

}  // namespace gossamer::inline v0::formats
