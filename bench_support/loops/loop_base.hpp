// SPDX-License-Identifier: BSD-3-Clause
// The interface of a reference solver behind the public class solver_loop, and the lists of all solvers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench_support/loops/loops.hpp"
#include "core/fail.hpp"

namespace gossamer::bench_support::loops {

template <value V>
class loop_base {
 public:
  loop_base() = default;
  virtual ~loop_base() = default;
  loop_base(const loop_base&) = delete;
  loop_base& operator=(const loop_base&) = delete;

  /// Sets the vectors to the initial guess x = 0.
  virtual void start(cuda_stream stream) = 0;
  /// `launches` times iterations_per_launch().
  virtual void advance(std::int64_t launches, cuda_stream stream) = 0;
  /// One iteration, for the history.
  virtual void advance_one(cuda_stream stream) = 0;
  /// ||r|| of the recurrence; waits for the stream.
  virtual double residual(cuda_stream stream) = 0;
  /// As solver_loop::history().
  virtual std::vector<double> history(std::int64_t iterations) {
    start({});
    std::vector<double> norms{residual({})};
    for (std::int64_t k = 0; k < iterations; ++k) {
      advance_one({});
      norms.push_back(residual({}));
    }
    return norms;
  }
  [[nodiscard]] virtual std::vector<V> solution() const = 0;
  [[nodiscard]] virtual std::int64_t iterations_per_launch() const noexcept = 0;
  [[nodiscard]] virtual std::string_view settings() const noexcept = 0;
  /// A library's own solver instead of the loop over advance(); false: it has none.
  virtual bool solve_whole(const loop_stop&, loop_result&) { return false; }

  std::string_view name;  ///< these are filled in by inspect_loop
  loop_method method = loop_method::cg;
  double inspect_seconds = 0;
  double norm_of_b = 0;
  std::vector<std::int32_t> row_ptr;  ///< of the matrix, where the caller's are wide
};

template <value V>
using prepared_loop = std::unique_ptr<loop_base<V>>;

/// A problem with its matrix as csr_view<V, int32>, which is all that the libraries are given.
template <value V>
struct loop_input {
  std::string_view name;
  csr_view<V, std::int32_t> a;
  loop_problem<V> problem;
  resource where;
};

/// One line of the list.
struct loop_entry {
  loop_info info;
  peer_presence (*look)();
  prepared_loop<float> (*prepare_f32)(const loop_input<float>&);
  prepared_loop<double> (*prepare_f64)(const loop_input<double>&);
};

/// Made of cuSPARSE and cuBLAS.
std::span<const loop_entry> cublas_loops();
/// Made of MKL's product and its BLAS.
std::span<const loop_entry> mkl_loops();
/// Eigen's own solver.
std::span<const loop_entry> eigen_loops();

template <class... Args>
[[noreturn]] void refuse_loop(std::string_view loop, std::string_view reason, const Args&... args) {
  fail(errc::unsupported, "unsupported: {}: {}", loop, message(reason, {message_argument(args)...}));
}

}  // namespace gossamer::bench_support::loops
