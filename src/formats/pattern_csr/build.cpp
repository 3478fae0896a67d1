// SPDX-License-Identifier: BSD-3-Clause
#include "formats/pattern_csr/format.hpp"

namespace gossamer::inline v0::formats {

#define GOSSAMER_INSTANCE(V, O) \
  GOSSAMER_PATTERN_CSR_BUILD(V, O) GOSSAMER_PATTERN_CSR_BUILD(entry_number<V>, O)
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
