// SPDX-License-Identifier: BSD-3-Clause
#include "exec/elementwise.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {

template <class S>
void scale(vector_t<S>* y, std::int64_t size, sum_t<S> beta, int threads) {
  if (beta == sum_t<S>{1}) return;
  core::parallel_for(
      size, core::default_grain,
      [&](std::int64_t begin, std::int64_t end) {
        if (beta == sum_t<S>{0}) {
          std::fill(y + begin, y + end, vector_t<S>{0});
        } else {
          for (std::int64_t i = begin; i < end; ++i) y[i] *= beta;
        }
      },
      threads);
}

template <class V>
void gather_values(V* to, const std::int64_t* map, std::int64_t size, const V* from) {
  core::parallel_for(size, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = map[i] < 0 ? V{0} : from[map[i]];
  });
}

#define GOSSAMER_INSTANCE(S) template void scale<S>(S::vector*, std::int64_t, S::accumulator, int);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template void gather_values(float*, const std::int64_t*, std::int64_t, const float*);
template void gather_values(double*, const std::int64_t*, std::int64_t, const double*);

}  // namespace gossamer::inline v0::exec
