// SPDX-License-Identifier: BSD-3-Clause
#include "formats/sliced_ell/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void sliced_ell::launch(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*,
                        cuda_stream stream) {
  launch_sliced_ell<S>(a, p, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(sliced_ell, std::int64_t)

}  // namespace gossamer::inline v0::formats
