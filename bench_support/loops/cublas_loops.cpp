// SPDX-License-Identifier: BSD-3-Clause
// The list of reference solvers made of cuSPARSE and cuBLAS.
#include "bench_support/loops/cublas_api.hpp"
#include "bench_support/loops/loop_base.hpp"
#include "bench_support/loops/methods.hpp"

#if defined(GOSSAMER_HAVE_CUBLAS)
#include "bench_support/loops/cublas_loop.hpp"
#endif

namespace gossamer::bench_support::loops {
namespace {

enum class storage { csr, sliced_ell };

template <storage Of>
peer_presence look_for_loop() {
  const peer_presence blas = look_for_cublas();
  if (!blas.present) return blas;
  const peer_presence product =
      find_peer_here(Of == storage::csr ? "cusparse_csr_alg1" : "cusparse_sliced_ell");
  if (!product.present) return product;
  return {.present = true, .version = message("{}, cuBLAS {}", {product.version, blas.version})};
}

template <value V, template <class> class Steps, storage Of, bool Captured>
prepared_loop<V> prepare_cublas(const loop_input<V>& in) {
#if defined(GOSSAMER_HAVE_CUBLAS)
  const std::span<const std::string_view> peers = Of == storage::csr
                                                      ? std::span<const std::string_view>(csr_products)
                                                      : std::span<const std::string_view>(sliced_ell_product);
  return std::make_unique<cublas_loop<V, Steps>>(in, peers, Captured);
#else
  refuse_loop(in.name, "{}", look_for_cublas().reason);
#endif
}

template <template <class> class Steps, storage Of, bool Captured>
constexpr loop_entry cublas_entry(loop_method method, std::string_view name, std::string_view help) {
  return {.info = {.name = name,
                   .method = method,
                   .library = "cuSPARSE and cuBLAS",
                   .devices = device_set::cuda,
                   .help = help},
          .look = look_for_loop<Of>,
          .prepare_f32 = prepare_cublas<float, Steps, Of, Captured>,
          .prepare_f64 = prepare_cublas<double, Steps, Of, Captured>};
}

/// Launch by launch.
template <template <class> class Steps>
constexpr loop_entry launched(loop_method method) {
  return cublas_entry<Steps, storage::csr, false>(
      method, "cusparse_cublas", "the fastest product of CSR, and cuBLAS; one launch after another");
}
template <template <class> class Steps>
constexpr loop_entry as_graph(loop_method method) {
  return cublas_entry<Steps, storage::csr, true>(
      method, "cusparse_cublas_graph",
      "the fastest product of CSR, and cuBLAS; 16 iterations in a CUDA graph");
}

}  // namespace

std::span<const loop_entry> cublas_loops() {
  static constexpr loop_entry all[] = {
      launched<cg_steps>(loop_method::cg),
      as_graph<cg_steps>(loop_method::cg),
      cublas_entry<cg_steps, storage::sliced_ell, true>(
          loop_method::cg, "cusparse_sliced_ell_cublas_graph",
          "the product of sliced ELLPACK, and cuBLAS; 16 iterations in a CUDA graph"),
      launched<minres_steps>(loop_method::minres),
      as_graph<minres_steps>(loop_method::minres),
      launched<lsqr_steps>(loop_method::lsqr),
      as_graph<lsqr_steps>(loop_method::lsqr),
      launched<pdhg_steps>(loop_method::pdhg),
      as_graph<pdhg_steps>(loop_method::pdhg)};
  return all;
}

}  // namespace gossamer::bench_support::loops
