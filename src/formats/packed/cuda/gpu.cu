// SPDX-License-Identifier: BSD-3-Clause
// Products on a CUDA device.
#include "formats/packed/cuda/launch.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void packed::launch(const packed_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                    cuda_stream stream) {
  packed_launch_slices(a, p, scratch, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(packed, std::int64_t)

}  // namespace gossamer::inline v0::formats
