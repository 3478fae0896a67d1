// SPDX-License-Identifier: BSD-3-Clause
// The kernels for matrices with COO slices. They are apart from gpu.cu so that both compile side by side.
#include "formats/packed/cuda/coo_launch.cuh"

namespace gossamer::inline v0::formats {

#define GOSSAMER_COO_LAUNCH_INSTANCE(S) template void packed_launch_with_coo_slices(const packed_launch<S>&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_COO_LAUNCH_INSTANCE)
#undef GOSSAMER_COO_LAUNCH_INSTANCE

}  // namespace gossamer::inline v0::formats
