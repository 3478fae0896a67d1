// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors with cached_x on a CUDA device. They use packs of 4, 2 or 1 columns: the widest
// whose x fits into the shared memory of a thread block.
#include "formats/cached_x/cuda/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void cached_x::launch_columns(const cached_x_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                              sum_t<S>* scratch, cuda_stream stream) {
  const std::int64_t room = exec::device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>();
  const std::int64_t table = a.meta.table_size * static_cast<std::int64_t>(sizeof(matrix_t<S>));
  const auto most =
      static_cast<int>((room - table) / std::max<std::int64_t>(1, cached_x_table_at<S>(a.meta)));
  sum_t<S>* const behind_sums = scratch + columns_at_once * exec::scratch_values<sum_t<S>>(a.carries);
  exec::divide_into_packs(
      p,
      [&]<class Packs>(const exec::pack_products<Packs>& all, std::int64_t first) {
        auto* const sums =
            exec::carry_room<sum_t<Packs>>::in(a.carries, scratch, columns_at_once, first).slots;
        auto* const collected = reinterpret_cast<vector_t<Packs>*>(behind_sums + first * a.meta.frequent);
        cached_x_launch<Packs>{a, all, sums, collected, stream}.start();
      },
      most);
}

GOSSAMER_INSTANTIATE_LAUNCH_COLUMNS(cached_x, std::int64_t)

}  // namespace gossamer::inline v0::formats
