// SPDX-License-Identifier: BSD-3-Clause
#include "formats/csr/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
void csr::launch_columns(const csr_pointers<matrix_t<S>, O>& a, const columns_product<S>& p,
                         sum_t<S>* scratch, cuda_stream stream) {
  exec::divide_into_packs(p, [&]<class Packs>(const exec::pack_products<Packs>& all, std::int64_t first) {
    launch_csr<Packs>(a, all, exec::carry_room<sum_t<Packs>>::in(a.carries, scratch, columns_at_once, first),
                      stream);
  });
}

GOSSAMER_INSTANTIATE_LAUNCH_COLUMNS(csr, std::int32_t)
GOSSAMER_INSTANTIATE_LAUNCH_COLUMNS(csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
