// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/loops/step_kernels.hpp"

#include <cuda_runtime.h>

#include "bench_support/loops/runtime_check.hpp"

namespace gossamer::bench_support::loops {
namespace {

constexpr int clamp_threads = 256;

template <class Update, class Scalars>
__global__ void loop_update_one_thread(Scalars* s) {
  Update::apply(*s);
}

template <class V>
__global__ void loop_clamp_element_per_thread(V* __restrict__ x, const V* __restrict__ lower,
                                              const V* __restrict__ upper, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * clamp_threads + threadIdx.x;
  if (i < size) x[i] = min(max(x[i], lower[i]), upper[i]);
}

}  // namespace

template <class Update, class Scalars>
void update_on_device(Scalars* s, cuda_stream stream) {
  loop_update_one_thread<Update><<<1, 1, 0, stream.handle()>>>(s);
  check_runtime(cudaGetLastError(), "update of scalars");
}

template <class V>
void clamp_on_device(V* x, const V* lower, const V* upper, std::int64_t size, cuda_stream stream) {
  if (size == 0) return;
  const auto blocks = static_cast<unsigned>((size + clamp_threads - 1) / clamp_threads);
  loop_clamp_element_per_thread<<<blocks, clamp_threads, 0, stream.handle()>>>(x, lower, upper, size);
  check_runtime(cudaGetLastError(), "clamp");
}

#define GOSSAMER_LOOP_KERNELS(V)                                                       \
  template void update_on_device<cg_alpha<V>>(cg_scalars<V>*, cuda_stream);            \
  template void update_on_device<cg_beta<V>>(cg_scalars<V>*, cuda_stream);             \
  template void update_on_device<minres_start<V>>(minres_scalars<V>*, cuda_stream);    \
  template void update_on_device<minres_alpha<V>>(minres_scalars<V>*, cuda_stream);    \
  template void update_on_device<minres_rotation<V>>(minres_scalars<V>*, cuda_stream); \
  template void update_on_device<lsqr_start<V>>(lsqr_scalars<V>*, cuda_stream);        \
  template void update_on_device<lsqr_first_alpha<V>>(lsqr_scalars<V>*, cuda_stream);  \
  template void update_on_device<lsqr_beta<V>>(lsqr_scalars<V>*, cuda_stream);         \
  template void update_on_device<lsqr_rotation<V>>(lsqr_scalars<V>*, cuda_stream);     \
  template void clamp_on_device(V*, const V*, const V*, std::int64_t, cuda_stream);
GOSSAMER_LOOP_KERNELS(float)
GOSSAMER_LOOP_KERNELS(double)
#undef GOSSAMER_LOOP_KERNELS

}  // namespace gossamer::bench_support::loops
