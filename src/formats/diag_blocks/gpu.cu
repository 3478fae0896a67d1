// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks on a CUDA device: dia's kernel, which writes every row, then csr's, which adds the rest.
#include "formats/common/launch_parts.cuh"
#include "formats/diag_blocks/format.hpp"

namespace gossamer::inline v0::formats {

template <value V, offset O>
void diag_blocks::launch(const diag_blocks_pointers<V, O>& a, const product<V>& p, V* scratch,
                         cuda_stream stream) {
  launch_parts(a, p, scratch, stream);
}

template void diag_blocks::launch(const diag_blocks_pointers<float, std::int32_t>&, const product<float>&,
                                  float*, cuda_stream);
template void diag_blocks::launch(const diag_blocks_pointers<float, std::int64_t>&, const product<float>&,
                                  float*, cuda_stream);
template void diag_blocks::launch(const diag_blocks_pointers<double, std::int32_t>&, const product<double>&,
                                  double*, cuda_stream);
template void diag_blocks::launch(const diag_blocks_pointers<double, std::int64_t>&, const product<double>&,
                                  double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
