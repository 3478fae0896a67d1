// SPDX-License-Identifier: BSD-3-Clause
#include "formats/csr/cpu_passes.inl"

namespace gossamer::inline v0::formats {

GOSSAMER_FOR_EACH_PACKS(GOSSAMER_PASSES_INSTANCE, csr, std::int32_t)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_PASSES_INSTANCE, csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
