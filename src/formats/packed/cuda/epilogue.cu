// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue on a CUDA device. Each warp leaves its part of the dot products.
#include "formats/packed/cuda/launch.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void packed::launch_with_epilogue(const packed_pointers<matrix_t<S>>& a,
                                  const product<exec::with_epilogue<S>>& p, sum_t<S>* scratch,
                                  cuda_stream stream) {
  packed_launch_slices(a, p, scratch, stream);
}

/// A warp that multiplies long rows waits at its end for the vectors of an epilogue. Dot products of few
/// rows, which are still in the L2 cache, take less time behind the product.
template <class V>
bool packed_sums_dots_later(const packed_meta& meta, std::int64_t data_bytes) {
  constexpr std::int64_t few_rows = std::int64_t{1} << 19;
  constexpr std::int64_t long_row = 8 * sizeof(V);  // bytes of A
  return meta.rows <= few_rows && data_bytes >= long_row * meta.rows;
}

template <value V>
std::int64_t packed::dot_parts(const packed_pointers<V>& a) {
  if (packed_sums_dots_later<V>(a.meta, a.data_bytes)) return 0;
  const bool rows_shared = sizeof(V) > sizeof(float) && !a.meta.has_elided_deltas && packed_shares_rows(a);
  return (rows_shared ? 2 * a.meta.slices : a.meta.slices) + a.carries.runs;
}

#define GOSSAMER_EPILOGUE_INSTANCE(S)                                                                    \
  template void packed::launch_with_epilogue<S>(const packed_pointers<S::matrix>&,                       \
                                                const product<exec::with_epilogue<S>>&, S::accumulator*, \
                                                cuda_stream);                                            \
  template std::int64_t packed::dot_parts(const packed_pointers<S::matrix>&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_EPILOGUE_INSTANCE)
#undef GOSSAMER_EPILOGUE_INSTANCE

}  // namespace gossamer::inline v0::formats
