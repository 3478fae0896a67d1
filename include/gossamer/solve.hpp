// SPDX-License-Identifier: BSD-3-Clause
// Iterative solvers: linear systems, least squares and eigenvalues by products with a plan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "gossamer/export.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/types.hpp"

/// Iterative solvers on CPUs and GPUs (docs/guides/solvers.md).
///
/// All functions here follow these rules:
/// - They are synchronous. With device vectors, they wait for `stream` and use it for all their work.
/// - x is the start on entry and the solution on return. It is the last iterate after any status.
/// - A, b and x have the same type, float or double. Dot products, norms and coefficients are doubles.
/// - Equal arguments give equal bits in every run. Threads, streams and check_every do not change a bit.
/// - All vectors are allocated once, before the first product. Iterations allocate nothing.
/// - Plans with several parts (gossamer/hybrid.hpp) and reordered plans work like others.
///
/// Functions with host vectors and a plan on one GPU copy b and x to the GPU and solve there. If the
/// preconditioner is a function, they keep the vectors on the host; each product then copies its vectors.
///
/// All functions throw size_mismatch, overlap (b and x share memory), invalid_argument, out_of_memory and the
/// errors of plan::multiply(). Functions with device vectors throw unsupported if `stream` is being captured
/// in a CUDA graph.
namespace gossamer::inline v0::solve {

/// Why a solver has returned. The numbers never change.
enum class status : std::int32_t {
  converged = 0,        ///< the stopping test is met
  maxiter = 1,          ///< the maximum number of iterations is done
  breakdown = 2,        ///< a divisor became 0: the matrix or preconditioner does not suit the method
  breakdown_rho = 3,    ///< bicgstab: the residual became orthogonal to the first one (SciPy: -10)
  breakdown_omega = 4,  ///< bicgstab: the stabilizing step became 0 (SciPy: -11)
  stagnation = 5,       ///< the result cannot improve in this precision
  not_finite = 6,       ///< a NaN or infinity appeared, or squares of elements overflow or underflow
  stopped = 7           ///< the callback returned false
};

/// The enumerator's name, for example "breakdown_rho". Throws invalid_argument for another value.
GOSSAMER_API std::string_view name(status outcome);

/// The state after an iteration.
struct state {
  std::int64_t iterations = 0;  ///< number of finished iterations
  double residual = 0;          ///< norm of the residual; the function that iterates defines it
};

/// Called after each iteration, on the calling thread. x in the caller's memory is then the current iterate.
/// The solver stops if it returns false. An exception passes through to the caller of the solver.
using callback = std::function<bool(const state&)>;

/// A preconditioner that divides by the diagonal of A.
template <value V, class Space = host_space>
struct jacobi {
  /// The diagonal, of length rows(). Empty: the solver takes it from the plan, through plan::to_csr().
  /// Duplicates add up, and an element 0 counts as 1.
  span_in<const V, Space> diagonal = {};
};

/// A preconditioner that is a polynomial in A: some steps of Chebyshev iteration for A z = r. A must be
/// symmetric and positive definite.
struct polynomial {
  int degree = 3;    ///< number of products by A for each application; 0 or more
  double lower = 0;  ///< lower end of the interval; 0: upper / 30
  /// Upper bound of the eigenvalues of A. 0: 1.1 times an estimate by 20 power iterations.
  double upper = 0;
};

/// A preconditioner of the caller: writes z, an approximation of the inverse of A multiplied by r. It must be
/// linear. For device vectors, it is asynchronous in the stream.
template <value V, class Space = host_space>
using apply_function =
    std::conditional_t<std::is_same_v<Space, host_space>,
                       std::function<void(std::span<const V> r, std::span<V> z)>,
                       std::function<void(device_span<const V> r, device_span<V> z, cuda_stream stream)>>;

/// No preconditioner, or one of three kinds.
template <value V, class Space = host_space>
using preconditioner = std::variant<std::monostate, jacobi<V, Space>, polynomial, apply_function<V, Space>>;

/// Options of the solvers for systems A x = b. With the defaults, they are those of scipy.sparse.linalg.
template <value V, class Space = host_space>
struct options {
  double rtol = 1e-5;                     ///< relative tolerance, see each function
  double atol = 0;                        ///< absolute tolerance, see each function
  std::optional<std::int64_t> maxiter;    ///< maximum number of iterations; default: see each function
  bool zero_start = false;                ///< the start is 0: x is not read, which saves a product
  preconditioner<V, Space> precondition;  ///< the approximate inverse of A
  callback after_iteration;               ///< called after each iteration; may be empty
  /// Number of iterations between two looks at the state on a GPU. They run as one CUDA graph. Without
  /// effect on a CPU, with a callback, or if the preconditioner is a function.
  int check_every = 16;
  workspace* scratch = nullptr;  ///< workspace of the products; null: the plan's own
};

/// Result of a solver for systems.
struct result {
  status outcome = status::converged;  ///< why the solver returned
  std::int64_t iterations = 0;         ///< number of iterations
  double residual = 0;                 ///< norm of the residual, as the iteration computes it
};

/// Solves A x = b by conjugate gradients. A must be symmetric; the preconditioner must be symmetric and
/// positive definite.
///
/// It stops if ||b - A x|| <= max(rtol ||b||, atol). The default of maxiter is 10 rows(). If b is 0, x
/// becomes 0. An indefinite A may work; if a search direction p has p.A p = 0, the status is breakdown.
template <value V>
GOSSAMER_API result cg(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                       std::type_identity_t<std::span<V>> x, const options<V>& how = {});
/// The same for vectors in device memory.
template <value V>
GOSSAMER_API result cg(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                       std::type_identity_t<device_span<V>> x, cuda_stream stream,
                       const options<V, device_space>& how = {});

}  // namespace gossamer::inline v0::solve
