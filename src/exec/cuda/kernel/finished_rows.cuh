// SPDX-License-Identifier: BSD-3-Clause
// What a warp does with the rows whose sums it has: it writes them, and with an epilogue it also keeps their
// part of the dot products, which a second kernel adds (exec/epilogue.cu).
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/kernel/prefetch.cuh"
#include "exec/epilogue.hpp"

namespace gossamer::inline v0::exec {

template <class S>
class finished_rows {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<S>& p) : p_(p) {}
  /// Rows of a lane that are best finished together, where the warp can choose.
  static constexpr int rows_at_once = 1;
  /// Called by the lanes that have a row.
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) { p_.finish_row(row, sum); }
  /// The same for rows row, row + warp_size, ... before `end`.
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N]) {
#pragma unroll
    for (int r = 0; r < N; ++r)
      if (row + r * warp_size < end) p_.finish_row(row + r * warp_size, sum[r]);
  }
  /// Asks for what rows [row, row + rows) will need. Called by the whole warp, also before the wait for the
  /// kernel before.
  __device__ __forceinline__ void expect(std::int64_t /*row*/, int /*rows*/) const {}
  /// Called once by the whole warp behind its last row. `part`: its number among those that have rows.
  __device__ __forceinline__ void leave(std::int64_t /*part*/) {}

 private:
  const product<S>& p_;
};

template <class S>
class finished_rows<with_epilogue<S>> {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<with_epilogue<S>>& p) : p_(p) {}
  static constexpr int rows_at_once = 2;
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) {
    finish_rows_at<1>(row, row + 1, {sum});
  }
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N]) {
    finish_rows_at<N>(row, end, sum);
  }
  __device__ __forceinline__ void expect(std::int64_t row, int rows) const {
    const row_epilogue<S>& e = p_.epilogue;
    constexpr int of_line = 128 / static_cast<int>(sizeof(vector_t<S>));
    const int from = static_cast<int>(threadIdx.x) % warp_size * of_line;
    const auto ask = [&](const vector_t<S>* vector) {
      if (vector != nullptr && from < rows) prefetch(vector + row + from);
    };
    ask(e.z);
    ask(e.with[0]);
    ask(e.with[1]);
    if (!e.more) return;
    ask(e.scale);
    ask(e.u);
    ask(e.lower);
    ask(e.upper);
    ask(e.add);
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
  template <int N>
  __device__ __forceinline__ void finish_rows_at(std::int64_t row, std::int64_t end,
                                                 const sum_t<S> (&sum)[N]) {
    const row_epilogue<S>& e = p_.epilogue;
    vector_t<S> scaled[N];
#pragma unroll
    for (int r = 0; r < N; ++r) scaled[r] = e.scaled(p_, sum[r]);
    typename row_epilogue<S>::row finished[N];
    e.finish(p_, row, warp_size, end, scaled, finished);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (e.result[k] != nullptr)
#pragma unroll
        for (int r = 0; r < N; ++r)
          if (N == 1 || row + r * warp_size < end)
            dot_[k] += e.dot_of(k, p_, row + r * warp_size, finished[r]);
  }

  const product<with_epilogue<S>>& p_;
  double dot_[2] = {};
};

}  // namespace gossamer::inline v0::exec
