// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks on a CUDA device: dia's kernel, which writes every row, then csr's, which adds the rest.
#include "formats/common/launch_parts.cuh"
#include "formats/diag_blocks/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
void diag_blocks::launch(const diag_blocks_pointers<matrix_t<S>, O>& a, const product<S>& p,
                         sum_t<S>* scratch, cuda_stream stream) {
  launch_parts(a, p, scratch, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(diag_blocks, std::int32_t)
GOSSAMER_INSTANTIATE_LAUNCH(diag_blocks, std::int64_t)

}  // namespace gossamer::inline v0::formats
