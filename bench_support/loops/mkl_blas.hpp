// SPDX-License-Identifier: BSD-3-Clause
// MKL's BLAS of one vector and two, loaded when first asked for.
#pragma once

#include <cstdint>

#include "bench_support/loops/cblas_abi.hpp"
#include "bench_support/peers/library.hpp"
#include "bench_support/peers/peers.hpp"

namespace gossamer::bench_support::loops {

template <class V>
struct cblas_functions {
  cblas_abi::dot<V>* dot = nullptr;
  cblas_abi::axpy<V>* axpy = nullptr;
  cblas_abi::copy<V>* copy = nullptr;
  cblas_abi::axpby<V>* axpby = nullptr;
};

struct mkl_blas_api {
  cblas_functions<float> f32;
  cblas_functions<double> f64;
  cblas_abi::set_num_threads_local* threads_here = nullptr;

  template <class V>
  [[nodiscard]] const cblas_functions<V>& of() const noexcept {
    if constexpr (sizeof(V) == sizeof(float))
      return f32;
    else
      return f64;
  }
};

/// Looks the library up until it is there once; the peer mkl sets it up.
peers::found<mkl_blas_api> find_mkl_blas();

/// The same with the version of MKL.
peer_presence look_for_mkl_blas();

/// Functions of vectors of one length on so many threads. All sizes fit in an int.
template <value V>
class host_blas {
 public:
  host_blas(const mkl_blas_api& api, int threads) : api_(api), call_(api.of<V>()), threads_(threads) {}

  [[nodiscard]] V dot(std::int64_t size, const V* x, const V* y) const {
    const thread_count scope(api_, threads_);
    return call_.dot(static_cast<int>(size), x, 1, y, 1);
  }
  void axpy(std::int64_t size, V alpha, const V* x, V* y) const {
    const thread_count scope(api_, threads_);
    call_.axpy(static_cast<int>(size), alpha, x, 1, y, 1);
  }
  void copy(std::int64_t size, const V* x, V* y) const {
    const thread_count scope(api_, threads_);
    call_.copy(static_cast<int>(size), x, 1, y, 1);
  }
  void axpby(std::int64_t size, V alpha, const V* x, V beta, V* y) const {
    const thread_count scope(api_, threads_);
    call_.axpby(static_cast<int>(size), alpha, x, 1, beta, y, 1);
  }

 private:
  /// The number of threads of this thread's calls into MKL.
  class thread_count {
   public:
    thread_count(const mkl_blas_api& api, int threads) : api_(api), before_(api.threads_here(threads)) {}
    ~thread_count() { api_.threads_here(before_); }
    thread_count(const thread_count&) = delete;
    thread_count& operator=(const thread_count&) = delete;

   private:
    const mkl_blas_api& api_;
    int before_;
  };

  const mkl_blas_api& api_;
  const cblas_functions<V>& call_;
  int threads_;
};

}  // namespace gossamer::bench_support::loops
