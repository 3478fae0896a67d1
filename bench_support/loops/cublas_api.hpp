// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS's functions for vectors, loaded at first use. Types and prototypes are from the toolkit's header;
// they are equal in versions 12 and 13.
#pragma once

#include "bench_support/peers/library.hpp"
#include "bench_support/peers/peers.hpp"

#if defined(GOSSAMER_HAVE_CUDA) && __has_include(<cublas_v2.h>)
#define GOSSAMER_HAVE_CUBLAS 1
#include <cublas_v2.h>
#endif

namespace gossamer::bench_support::loops {

/// Whether cuBLAS can be used here.
peer_presence look_for_cublas();

#if defined(GOSSAMER_HAVE_CUBLAS)

template <class V>
struct cublas_functions;

template <>
struct cublas_functions<float> {
  decltype(&cublasSdot) dot = nullptr;
  decltype(&cublasSaxpy) axpy = nullptr;
  decltype(&cublasSscal) scal = nullptr;
  decltype(&cublasScopy) copy = nullptr;
  decltype(&cublasSgeam) geam = nullptr;
};

template <>
struct cublas_functions<double> {
  decltype(&cublasDdot) dot = nullptr;
  decltype(&cublasDaxpy) axpy = nullptr;
  decltype(&cublasDscal) scal = nullptr;
  decltype(&cublasDcopy) copy = nullptr;
  decltype(&cublasDgeam) geam = nullptr;
};

struct cublas_api {
  std::string version;
  decltype(&cublasCreate) create = nullptr;
  decltype(&cublasDestroy) destroy = nullptr;
  decltype(&cublasSetStream) set_stream = nullptr;
  decltype(&cublasSetWorkspace) set_workspace = nullptr;
  decltype(&cublasSetPointerMode) set_pointer_mode = nullptr;
  decltype(&cublasGetStatusString) text_of = nullptr;
  cublas_functions<float> f32;
  cublas_functions<double> f64;

  template <class V>
  [[nodiscard]] const cublas_functions<V>& of() const noexcept {
    if constexpr (sizeof(V) == sizeof(float))
      return f32;
    else
      return f64;
  }
};

/// Looks the library up until it is there once.
peers::found<cublas_api> find_cublas();

#endif

}  // namespace gossamer::bench_support::loops
