// SPDX-License-Identifier: BSD-3-Clause
// The list of loops of cuSPARSE and cuBLAS.
#include "bench_support/loops/cublas_loops.hpp"

#if defined(GOSSAMER_HAVE_CUBLAS)
#include "bench_support/loops/fastest_variant.hpp"
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

template <value V, loop_method Method, storage Of, bool Captured>
prepared_loop<V> prepare_cublas(const loop_input<V>& in) {
#if defined(GOSSAMER_HAVE_CUBLAS)
  const std::span<const std::string_view> peers = Of == storage::csr
                                                      ? std::span<const std::string_view>(csr_products)
                                                      : std::span<const std::string_view>(sliced_ell_product);
  if constexpr (Method == loop_method::cg)
    return prepare_cublas_cg<V>(in, peers, Captured);
  else
    return prepare_cublas_pdhg<V>(in, peers, Captured);
#else
  refuse_loop(in.name, "{}", look_for_cublas().reason);
#endif
}

template <loop_method Method, storage Of, bool Captured>
constexpr loop_entry cublas_entry(std::string_view name, std::string_view help) {
  return {.info = {.name = name,
                   .method = Method,
                   .library = "cuSPARSE and cuBLAS",
                   .devices = device_set::cuda,
                   .help = help},
          .look = look_for_loop<Of>,
          .prepare_f32 = prepare_cublas<float, Method, Of, Captured>,
          .prepare_f64 = prepare_cublas<double, Method, Of, Captured>};
}

}  // namespace

std::span<const loop_entry> cublas_loops() {
  static constexpr loop_entry all[] = {
      cublas_entry<loop_method::cg, storage::csr, false>(
          "cusparse_cublas", "the fastest product of CSR, and cuBLAS; one launch after another"),
      cublas_entry<loop_method::cg, storage::csr, true>("cusparse_cublas_graph",
                                                        "the same, 16 iterations in a CUDA graph"),
      cublas_entry<loop_method::cg, storage::sliced_ell, true>(
          "cusparse_sliced_ell_cublas_graph", "the product of sliced ELLPACK, 16 iterations in a CUDA graph"),
      cublas_entry<loop_method::pdhg, storage::csr, false>(
          "cusparse_cublas", "the fastest products of CSR by A and its explicit transpose, and cuBLAS"),
      cublas_entry<loop_method::pdhg, storage::csr, true>("cusparse_cublas_graph",
                                                          "the same, 16 iterations in a CUDA graph")};
  return all;
}

}  // namespace gossamer::bench_support::loops
