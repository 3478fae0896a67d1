// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks on the CPU: dia's pass over the blocks, then pattern_csr's over the rest.
#include "formats/diag_blocks/format.hpp"

namespace gossamer::inline v0::formats {

template <value V, offset O>
cpu_passes<diag_blocks_pointers<V, O>, V> diag_blocks::passes(const diag_blocks_pointers<V, O>& a,
                                                              isa level) {
  return passes_of_parts<V>(a, level);
}

template cpu_passes<diag_blocks_pointers<float, std::int32_t>, float> diag_blocks::passes(
    const diag_blocks_pointers<float, std::int32_t>&, isa);
template cpu_passes<diag_blocks_pointers<float, std::int64_t>, float> diag_blocks::passes(
    const diag_blocks_pointers<float, std::int64_t>&, isa);
template cpu_passes<diag_blocks_pointers<double, std::int32_t>, double> diag_blocks::passes(
    const diag_blocks_pointers<double, std::int32_t>&, isa);
template cpu_passes<diag_blocks_pointers<double, std::int64_t>, double> diag_blocks::passes(
    const diag_blocks_pointers<double, std::int64_t>&, isa);

}  // namespace gossamer::inline v0::formats
