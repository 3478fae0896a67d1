// SPDX-License-Identifier: BSD-3-Clause
// HYB on a CUDA device: the head's kernels, which write every row, then the tail's, which add to the rows
// that have more.
#include "formats/common/launch_parts.cuh"
#include "formats/hyb/format.hpp"

namespace gossamer::inline v0::formats {

template <value V>
void hyb::launch(const hyb_pointers<V>& a, const product<V>& p, V* scratch, cuda_stream stream) {
  launch_parts(a, p, scratch, stream);
}

template void hyb::launch(const hyb_pointers<float>&, const product<float>&, float*, cuda_stream);
template void hyb::launch(const hyb_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
