// SPDX-License-Identifier: BSD-3-Clause
// Products by one vector with cached_x on a CUDA device. Those by several are in gpu_packs.cu, since each
// file compiles the kernels of gpu_kernels.cuh for its own types.
#include "formats/cached_x/cuda/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void cached_x::launch(const cached_x_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                      cuda_stream stream) {
  cached_x_launch<S>{a, p, scratch, scratch + exec::scratch_values<sum_t<S>>(a.carries), stream}.start();
}

GOSSAMER_INSTANTIATE_LAUNCH(cached_x, std::int64_t)

}  // namespace gossamer::inline v0::formats
