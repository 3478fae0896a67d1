// SPDX-License-Identifier: BSD-3-Clause
// Reference solvers made of other libraries' sparse products and BLAS, for comparisons. Libraries are loaded
// at first use.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench_support/peers/peers.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::bench_support {

/// cg and minres: conjugate gradients and MINRES for A x = b. lsqr: LSQR for the smallest ||b - A x||. pdhg:
/// primal-dual hybrid gradient for the linear program min c'x with A x = b and lower <= x <= upper.
enum class loop_method { cg, minres, lsqr, pdhg };

/// "cg", "minres", "lsqr" or "pdhg".
std::string_view name(loop_method method) noexcept;

/// One way to run a method, for example cg by "cusparse_cublas_graph". docs/guides/peers.md describes each.
struct loop_info {
  std::string_view name;  ///< unique among the loops of its method
  loop_method method = loop_method::cg;
  std::string_view library;
  device_set devices = device_set::none;
  std::string_view help;
};

/// Every loop that this build knows of, present here or not.
std::span<const loop_info> list_loops();

/// Throws invalid_argument that lists the names there are.
const loop_info& find_loop(loop_method method, std::string_view name);

/// Whether a loop can be used here; loads its libraries. Throws invalid_argument for an unknown name.
peer_presence find_loop_here(loop_method method, std::string_view name);

/// The problem. All vectors are in host memory and are copied. The matrix is m x n.
template <value V>
struct loop_problem {
  std::span<const V> b;      ///< m
  std::span<const V> c;      ///< n; pdhg only, as all below
  std::span<const V> lower;  ///< n
  std::span<const V> upper;  ///< n
  double primal_step = 0;    ///< of x, greater than 0
  double dual_step = 0;      ///< of y, greater than 0
};

/// The stopping test of solve(): as soon as it finds ||r|| <= rtol ||b||, or after `most_iterations`.
struct loop_stop {
  double rtol = 1e-8;
  std::int64_t most_iterations = 1000;
};

/// The result of solve().
struct loop_result {
  bool converged = false;
  std::int64_t iterations = 0;  ///< a multiple of iterations_per_launch()
  double residual = 0;          ///< ||r|| of the recursion after them
};

namespace loops {
template <value V>
class loop_base;
}  // namespace loops

/// A loop with its matrix, its vectors and its workspaces. Movable, not copyable; used by one thread at a
/// time. A moved-from one may only be assigned to or destroyed.
template <value V>
class solver_loop {
 public:
  explicit solver_loop(std::unique_ptr<loops::loop_base<V>> base) noexcept;
  solver_loop(solver_loop&&) noexcept;
  solver_loop& operator=(solver_loop&&) noexcept;
  ~solver_loop();

  /// Starts from x = 0 and runs so many iterations, without a test of convergence. `iterations` is a multiple
  /// of iterations_per_launch(), else invalid_argument. On a GPU it is asynchronous in `stream`, on a CPU it
  /// returns when done.
  void iterate(std::int64_t iterations, cuda_stream stream = {});

  /// Starts from x = 0 and iterates until it is solved. The host tests the norm after each
  /// iterations_per_launch(). Synchronous. Throws unsupported for pdhg.
  loop_result solve(const loop_stop& stop, cuda_stream stream = {});

  /// ||r|| after 0, 1, ..., `iterations` iterations from x = 0. Synchronous. Throws unsupported for
  /// pdhg, and where the library does not report each iteration.
  std::vector<double> history(std::int64_t iterations);

  /// x after the last call. Waits for the device.
  [[nodiscard]] std::vector<V> solution() const;

  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;
  /// What was chosen for this matrix, for example "product=cusparse_csr_alg2 update=axpy".
  [[nodiscard]] std::string_view settings() const noexcept;
  /// Seconds of conversion, upload, analysis, choice and capture.
  [[nodiscard]] double inspect_seconds() const noexcept;

 private:
  std::unique_ptr<loops::loop_base<V>> base_;
};

/// Validates the matrix and prepares the loop. `a` must outlive it. Throws size_mismatch for vectors of wrong
/// lengths, invalid_argument for an unknown name and for steps that are not positive, unsupported if the loop
/// is absent, does not run on `where` or cannot take the matrix; cg and minres take square ones.
template <value V, offset O>
solver_loop<V> inspect_loop(loop_method method, std::string_view name, const csr_view<V, O>& a,
                            const loop_problem<V>& problem, const resource& where);

}  // namespace gossamer::bench_support
