// SPDX-License-Identifier: BSD-3-Clause
// MKL's BLAS of level 1 for reference solvers, loaded at first use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench_support/loops/cblas_abi.hpp"
#include "bench_support/peers/library.hpp"
#include "bench_support/peers/peers.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::loops {

template <class V>
struct cblas_functions {
  cblas_abi::dot<V>* dot = nullptr;
  cblas_abi::axpy<V>* axpy = nullptr;
  cblas_abi::scal<V>* scal = nullptr;
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

/// Functions of vectors on so many threads. All sizes fit in an int. Scalars are given by their addresses.
template <value V>
class host_blas {
 public:
  using value_type = V;
  using vector = std::vector<V>;
  template <class Scalars>
  class scalars {
   public:
    explicit scalars(const Scalars& from) : value_(from) {}
    [[nodiscard]] Scalars* data() noexcept { return &value_; }

   private:
    Scalars value_;
  };

  host_blas(const mkl_blas_api& api, int threads) : api_(api), call_(api.of<V>()), threads_(threads) {}

  [[nodiscard]] vector vector_of(std::span<const V> from) const { return {from.begin(), from.end()}; }
  [[nodiscard]] vector new_vector(std::int64_t size) const { return vector(static_cast<std::size_t>(size)); }
  template <class Scalars>
  [[nodiscard]] scalars<Scalars> scalars_of(const Scalars& from) const {
    return scalars<Scalars>(from);
  }
  void zero(vector& x) const {
    each_part(x.size(),
              [&](std::size_t begin, std::size_t end) { std::fill(x.data() + begin, x.data() + end, V{0}); });
  }
  [[nodiscard]] V fetch(const V* from) const { return *from; }

  /// y = alpha A x + beta y.
  void multiply(const peer_product<V>& a, V alpha, const vector& x, V beta, vector& y) const {
    a.multiply(alpha, std::span<const V>(x), beta, std::span<V>(y));
  }
  /// result = x.y.
  void dot(std::int64_t size, const V* x, const V* y, V* result) const {
    const thread_count scope(api_, threads_);
    *result = call_.dot(static_cast<int>(size), x, 1, y, 1);
  }
  /// y += alpha x.
  void axpy(std::int64_t size, const V* alpha, const V* x, V* y) const {
    const thread_count scope(api_, threads_);
    call_.axpy(static_cast<int>(size), *alpha, x, 1, y, 1);
  }
  /// x *= alpha.
  void scal(std::int64_t size, const V* alpha, V* x) const {
    const thread_count scope(api_, threads_);
    call_.scal(static_cast<int>(size), *alpha, x, 1);
  }
  void copy(std::int64_t size, const V* from, V* to) const {
    const thread_count scope(api_, threads_);
    call_.copy(static_cast<int>(size), from, 1, to, 1);
  }
  /// y = alpha x + beta y.
  void sum(std::int64_t size, const V* alpha, const V* x, const V* beta, V* y, bool) const {
    const thread_count scope(api_, threads_);
    call_.axpby(static_cast<int>(size), *alpha, x, 1, *beta, y, 1);
  }
  /// z = x + beta y. z is another vector.
  void sum_to(std::int64_t size, const V*, const V* x, const V* beta, const V* y, V* z, bool) const {
    copy(size, x, z);
    axpy(size, beta, y, z);
  }
  template <class Update, class Scalars>
  void update(Scalars* s) const {
    Update::apply(*s);
  }
  void clamp(std::int64_t size, V* x, const V* lower, const V* upper) const {
    each_part(static_cast<std::size_t>(size), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) x[i] = std::min(std::max(x[i], lower[i]), upper[i]);
    });
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

  template <class Body>
  void each_part(std::size_t size, Body&& body) const {
    core::parallel_for(
        static_cast<std::int64_t>(size), core::default_grain,
        [&](std::int64_t begin, std::int64_t end) {
          body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        },
        threads_);
  }

  const mkl_blas_api& api_;
  const cblas_functions<V>& call_;
  int threads_;
};

}  // namespace gossamer::bench_support::loops
