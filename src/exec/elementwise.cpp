// SPDX-License-Identifier: BSD-3-Clause
#include "exec/elementwise.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {

template <class V>
void scale(V* y, std::int64_t size, V beta, int threads) {
  if (beta == V{1}) return;
  core::parallel_for(
      size, core::default_grain,
      [&](std::int64_t begin, std::int64_t end) {
        if (beta == V{0}) {
          std::fill(y + begin, y + end, V{0});
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

template void scale(float*, std::int64_t, float, int);
template void scale(double*, std::int64_t, double, int);
template void gather_values(float*, const std::int64_t*, std::int64_t, const float*);
template void gather_values(double*, const std::int64_t*, std::int64_t, const double*);

}  // namespace gossamer::inline v0::exec
