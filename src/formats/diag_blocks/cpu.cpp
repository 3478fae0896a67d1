// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks on the CPU: dia's pass over the blocks, then pattern_csr's over the rest.
#include "formats/diag_blocks/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
cpu_passes<diag_blocks_pointers<matrix_t<S>, O>, S> diag_blocks::passes(
    const diag_blocks_pointers<matrix_t<S>, O>& a, isa level) {
  return passes_of_parts<S>(a, level);
}

GOSSAMER_INSTANTIATE_PASSES(diag_blocks, std::int32_t)
GOSSAMER_INSTANTIATE_PASSES(diag_blocks, std::int64_t)

}  // namespace gossamer::inline v0::formats
