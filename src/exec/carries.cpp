// SPDX-License-Identifier: BSD-3-Clause
#include "exec/carries.hpp"

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {

template <class V>
void combine(const carry_view& carries, const V* slots, const product<V>& p, int threads) {
  // A run is one row's and rows are disjoint, so runs may be cut over threads as they come. One thread adds a whole run:
  // a run is as long as units are many, which the unit's size bounds to some thousands.
  constexpr std::int64_t grain = 4096;
  parallel_for(
      carries.runs, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          V sum{0};
          for (std::int64_t s = carries.first[r]; s < carries.last[r]; ++s) sum += slots[s];
          p.finish_row(carries.row[r], sum);
        }
      },
      threads);
}

template void combine(const carry_view&, const float*, const product<float>&, int);
template void combine(const carry_view&, const double*, const product<double>&, int);

}  // namespace gossamer::inline v0::exec
