// SPDX-License-Identifier: BSD-3-Clause
// What a warp does with the rows whose sums it has: it writes them, and with an epilogue it also keeps their
// part of the dot products, which a second kernel adds (exec/epilogue.cu).
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "exec/epilogue.hpp"

namespace gossamer::inline v0::exec {

template <class S>
class finished_rows {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<S>& p) : p_(p) {}
  /// Called by the lanes that have a row.
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) { p_.finish_row(row, sum); }
  /// Called once by the whole warp behind its last row. `part`: its number among those that have rows.
  __device__ __forceinline__ void leave(std::int64_t /*part*/) {}

 private:
  const product<S>& p_;
};

template <class S>
class finished_rows<with_epilogue<S>> {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<with_epilogue<S>>& p) : p_(p) {}
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) {
    const row_epilogue<S>& e = p_.epilogue;
    const auto finished = e.value_of(p_, row, e.scaled(p_, sum));
    e.store(p_, row, finished);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (e.result[k] != nullptr) dot_[k] += e.dot_of(k, p_, row, finished);
  }
  __device__ __forceinline__ void leave(std::int64_t part) {
    const row_epilogue<S>& e = p_.epilogue;
    if (e.dot_parts == nullptr) return;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const double sum = sum_lanes<warp_size>(dot_[k]);
      if (threadIdx.x % warp_size == 0) e.dot_parts[2 * part + k] = sum;
      dot_[k] = 0;
    }
  }

 private:
  const product<with_epilogue<S>>& p_;
  double dot_[2] = {};
};

}  // namespace gossamer::inline v0::exec
