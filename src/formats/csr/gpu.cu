// SPDX-License-Identifier: BSD-3-Clause
#include "formats/csr/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
void csr::launch(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, sum_t<S>* scratch,
                 cuda_stream stream) {
  launch_csr<S>(a, p, exec::carry_room<sum_t<S>>{scratch}, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(csr, std::int32_t)
GOSSAMER_INSTANTIATE_LAUNCH(csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
