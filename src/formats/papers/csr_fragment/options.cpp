// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/csr_fragment/format.hpp"

namespace gossamer::inline v0::formats {

std::vector<csr_fragment::options> csr_fragment::candidates(const row_statistics&,
                                                            const exec::target& target) {
  using length = csr_fragment_length;
  if (target.kind == device_set::cpu) return {{.fragment = length::of_1024}, {.fragment = length::of_4096}};
  std::vector<options> all;
  for (const auto kernel : {csr_fragment_kernel::paper, csr_fragment_kernel::adaptive})
    for (const auto fragment : {length::of_512, length::of_1024, length::of_2048})
      all.push_back({.fragment = fragment, .kernel = kernel});
  return all;
}

}  // namespace gossamer::inline v0::formats
