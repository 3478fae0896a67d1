// SPDX-License-Identifier: BSD-3-Clause
#include "formats/sliced_ell/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void sliced_ell::launch_columns(const sliced_ell_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                                sum_t<S>*, cuda_stream stream) {
  exec::divide_into_packs(p, [&]<class Packs>(const exec::pack_products<Packs>& all, std::int64_t) {
    launch_sliced_ell<Packs>(a, all, stream);
  });
}

GOSSAMER_INSTANTIATE_LAUNCH_COLUMNS(sliced_ell, std::int64_t)

}  // namespace gossamer::inline v0::formats
