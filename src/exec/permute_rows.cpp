// SPDX-License-Identifier: BSD-3-Clause
#include "exec/permute_rows.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {

template <class V>
void permute_rows(const strided_matrix<V>& to, const strided_matrix<const V>& from, const std::int32_t* index,
                  std::int64_t rows, std::int64_t columns, int threads) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, core::default_grain / std::max<std::int64_t>(columns, 1));
  core::parallel_for(
      rows, grain,
      [=](std::int64_t begin, std::int64_t end) {
        if (columns == 1 && to.step == 1 && from.step == 1) {
          for (std::int64_t i = begin; i < end; ++i) to.data[i] = from.data[index[i]];
          return;
        }
        for (std::int64_t i = begin; i < end; ++i) {
          V* const to_row = to.data + i * to.step;
          const V* const from_row = from.data + index[i] * from.step;
          for (std::int64_t j = 0; j < columns; ++j) to_row[j * to.next] = from_row[j * from.next];
        }
      },
      threads);
}

template void permute_rows(const strided_matrix<float>&, const strided_matrix<const float>&,
                           const std::int32_t*, std::int64_t, std::int64_t, int);
template void permute_rows(const strided_matrix<double>&, const strided_matrix<const double>&,
                           const std::int32_t*, std::int64_t, std::int64_t, int);

}  // namespace gossamer::inline v0::exec
