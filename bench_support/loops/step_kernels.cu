// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/loops/step_kernels.hpp"

#include <cuda_runtime.h>

#include "bench_support/loops/runtime_check.hpp"

namespace gossamer::bench_support::loops {
namespace {

constexpr int clamp_threads = 256;

template <class V>
__global__ void loop_alpha_one_thread(cg_scalars<V>* s) {
  s->alpha = s->pq == V{0} ? V{0} : s->rr / s->pq;
  s->minus_alpha = -s->alpha;
}

template <class V>
__global__ void loop_beta_one_thread(cg_scalars<V>* s) {
  s->beta = s->rr == V{0} ? V{0} : s->rr_next / s->rr;
  s->rr = s->rr_next;
}

template <class V>
__global__ void loop_clamp_element_per_thread(V* __restrict__ x, const V* __restrict__ lower,
                                              const V* __restrict__ upper, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * clamp_threads + threadIdx.x;
  if (i < size) x[i] = min(max(x[i], lower[i]), upper[i]);
}

}  // namespace

template <class V>
void quotient_alpha_on_device(cg_scalars<V>* s, cuda_stream stream) {
  loop_alpha_one_thread<<<1, 1, 0, stream.handle()>>>(s);
  check_runtime(cudaGetLastError(), "quotient alpha");
}

template <class V>
void quotient_beta_on_device(cg_scalars<V>* s, cuda_stream stream) {
  loop_beta_one_thread<<<1, 1, 0, stream.handle()>>>(s);
  check_runtime(cudaGetLastError(), "quotient beta");
}

template <class V>
void clamp_on_device(V* x, const V* lower, const V* upper, std::int64_t size, cuda_stream stream) {
  if (size == 0) return;
  const auto blocks = static_cast<unsigned>((size + clamp_threads - 1) / clamp_threads);
  loop_clamp_element_per_thread<<<blocks, clamp_threads, 0, stream.handle()>>>(x, lower, upper, size);
  check_runtime(cudaGetLastError(), "clamp");
}

template void quotient_alpha_on_device(cg_scalars<float>*, cuda_stream);
template void quotient_alpha_on_device(cg_scalars<double>*, cuda_stream);
template void quotient_beta_on_device(cg_scalars<float>*, cuda_stream);
template void quotient_beta_on_device(cg_scalars<double>*, cuda_stream);
template void clamp_on_device(float*, const float*, const float*, std::int64_t, cuda_stream);
template void clamp_on_device(double*, const double*, const double*, std::int64_t, cuda_stream);

}  // namespace gossamer::bench_support::loops
