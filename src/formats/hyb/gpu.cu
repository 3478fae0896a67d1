// SPDX-License-Identifier: BSD-3-Clause
// HYB on a CUDA device: the head's kernels, which write every row, then the tail's, which add to the rows
// that have more.
#include "formats/common/launch_parts.cuh"
#include "formats/hyb/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void hyb::launch(const hyb_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                 cuda_stream stream) {
  launch_parts(a, p, scratch, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(hyb, std::int64_t)

}  // namespace gossamer::inline v0::formats
