// SPDX-License-Identifier: BSD-3-Clause
#include "formats/csr/cpu_passes.inl"

namespace gossamer::inline v0::formats {

GOSSAMER_INSTANTIATE_PASSES(csr, std::int32_t)
GOSSAMER_INSTANTIATE_PASSES(csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
