// SPDX-License-Identifier: BSD-3-Clause
#include "formats/csr/gpu_kernels.cuh"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
void csr::launch_with_epilogue(const csr_pointers<matrix_t<S>, O>& a,
                               const product<exec::with_epilogue<S>>& p, sum_t<S>* scratch,
                               cuda_stream stream) {
  launch_csr<exec::with_epilogue<S>>(a, p, exec::carry_room<sum_t<S>>{scratch}, stream);
}

#define GOSSAMER_EPILOGUE_INSTANCE(S, O)                                                              \
  template void csr::launch_with_epilogue<S>(const csr_pointers<S::matrix, O>&,                       \
                                             const product<exec::with_epilogue<S>>&, S::accumulator*, \
                                             cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_EPILOGUE_INSTANCE, std::int32_t)
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_EPILOGUE_INSTANCE, std::int64_t)
#undef GOSSAMER_EPILOGUE_INSTANCE

}  // namespace gossamer::inline v0::formats
