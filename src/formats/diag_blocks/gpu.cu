// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks on a CUDA device: dia's kernel, which writes every row, then csr's, which adds the rest.
#include "core/instantiate.hpp"
#include "formats/common/launch_parts.cuh"
#include "formats/diag_blocks/format.hpp"

namespace gossamer::inline v0::formats {

template <value V, offset O>
void diag_blocks::launch(const diag_blocks_pointers<V, O>& a, const product<V>& p, V* scratch,
                         cuda_stream stream) {
  launch_parts(a, p, scratch, stream);
}

#define GOSSAMER_INSTANCE(V, O) \
  template void diag_blocks::launch(const diag_blocks_pointers<V, O>&, const product<V>&, V*, cuda_stream);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
