// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/loops/mkl_blas.hpp"

#include "bench_support/peers/mkl_library.hpp"

namespace gossamer::bench_support::loops {
namespace {

std::string load_mkl_blas(mkl_blas_api& api) {
  // Chooses the layers of the library before anything is called.
  if (const peer_presence product = find_peer_here("mkl"); !product.present) return product.reason;
  const peers::loaded_library library = peers::load(peers::mkl_search());
  if (library.handle == nullptr) return library.reason;
  peers::symbols all(library);
  all.bind(api.f32.dot, "cblas_sdot");
  all.bind(api.f32.axpy, "cblas_saxpy");
  all.bind(api.f32.scal, "cblas_sscal");
  all.bind(api.f32.copy, "cblas_scopy");
  all.bind(api.f32.axpby, "cblas_saxpby");
  all.bind(api.f64.dot, "cblas_ddot");
  all.bind(api.f64.axpy, "cblas_daxpy");
  all.bind(api.f64.scal, "cblas_dscal");
  all.bind(api.f64.copy, "cblas_dcopy");
  all.bind(api.f64.axpby, "cblas_daxpby");
  all.bind(api.threads_here, "MKL_Set_Num_Threads_Local");
  return all.reason();
}

}  // namespace

peers::found<mkl_blas_api> find_mkl_blas() {
  static peers::looked_up<mkl_blas_api> api;
  return api.find(load_mkl_blas);
}

peer_presence look_for_mkl_blas() {
  const peers::found<mkl_blas_api> blas = find_mkl_blas();
  if (blas.api == nullptr) return {.reason = blas.reason};
  return {.present = true, .version = find_peer_here("mkl").version};
}

}  // namespace gossamer::bench_support::loops
