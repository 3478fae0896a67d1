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
/// - They are synchronous: they return when x is final, also with device vectors.
/// - With device vectors, their work is ordered after all work in `stream`. It runs in `stream`, or in an
///   internal stream if `stream` is CUDA's legacy default stream. No other thread may use `stream` during the
///   call.
/// - x is the initial guess on entry and the solution on return. It is the last iterate after any status.
/// - A, b and x have the same type, float or double. Dot products, norms and coefficients are doubles.
/// - Equal arguments give equal bits in every run. Threads, streams and check_every do not change a bit.
/// - All vectors are allocated once, before the first iteration. Iterations allocate nothing.
/// - Plans with several parts (gossamer/hybrid.hpp) and reordered plans work like others.
///
/// Functions with host vectors and a plan on one GPU copy b and x to the GPU and solve there. If the
/// preconditioner is a function, they keep the vectors on the host; each product then copies its vectors.
///
/// All functions throw size_mismatch, overlap (b and x share memory), invalid_argument (a matrix that is not
/// square, or an option outside its range), out_of_memory and the errors of plan::multiply(). Functions with
/// device vectors throw unsupported if `stream` is being captured in a CUDA graph. lsqr() takes matrices of
/// any shape.
namespace gossamer::inline v0::solve {

/// Why a solver has returned. The numbers never change.
enum class status : std::int32_t {
  converged = 0,        ///< the stopping test is met
  maxiter = 1,          ///< the maximum number of iterations is done
  breakdown = 2,        ///< a divisor became 0: the matrix or preconditioner does not suit the method
  breakdown_rho = 3,    ///< bicgstab: the residual became orthogonal to the first one (SciPy: -10)
  breakdown_omega = 4,  ///< bicgstab: one of its two step lengths is undefined or 0 (SciPy: -11)
  stagnation = 5,       ///< the result cannot improve in this precision; lsqr: also conlim is exceeded
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

/// A preconditioner that divides by a diagonal, usually that of A.
template <value V, class Space = host_space>
struct jacobi {
  /// The diagonal of A itself, not its inverse, of length rows(). Empty: the solver takes it from the plan,
  /// through plan::to_csr(), and adds up duplicates. An element 0 counts as 1.
  span_in<const V, Space> diagonal = {};
};

/// A preconditioner that is a polynomial in A: some steps of Chebyshev iteration for A z = r. A must be
/// symmetric and positive definite. Source: Y. Saad, Iterative Methods for Sparse Linear Systems, 12.3.
struct polynomial {
  int degree = 3;    ///< number of products by A for each application; from 0 to 1000
  double lower = 0;  ///< lower end of the interval; 0: upper / 30
  /// Upper bound of the eigenvalues of A. 0: 1.1 times an estimate from 20 power iterations, which the solver
  /// runs first. A matrix with larger eigenvalues may make the preconditioner indefinite.
  double upper = 0;
};

/// A preconditioner of the caller: writes z, an approximation of the inverse of A multiplied by r. It must be
/// linear. For device vectors, it launches its work into the argument `stream` and does not synchronize. This
/// may be another stream than the one that the solver was called with.
template <value V, class Space = host_space>
using apply_function =
    std::conditional_t<std::is_same_v<Space, host_space>,
                       std::function<void(std::span<const V> r, std::span<V> z)>,
                       std::function<void(device_span<const V> r, device_span<V> z, cuda_stream stream)>>;

/// No preconditioner, or one of three kinds.
template <value V, class Space = host_space>
using preconditioner = std::variant<std::monostate, jacobi<V, Space>, polynomial, apply_function<V, Space>>;

/// Options of the solvers for systems A x = b. The defaults are those of scipy.sparse.linalg.
template <value V, class Space = host_space>
struct options {
  double rtol = 1e-5;                   ///< relative tolerance, see each function
  double atol = 0;                      ///< absolute tolerance, see each function
  std::optional<std::int64_t> maxiter;  ///< maximum number of iterations; default: see each function
  bool zero_initial_guess = false;      ///< the initial guess is 0: x is not read, which saves a product
  solve::preconditioner<V, Space> preconditioner;  ///< the approximate inverse of A
  double shift = 0;                                ///< only minres(): it solves (A - shift I) x = b
  callback after_iteration;                        ///< called after each iteration; may be empty
  /// Number of iterations on a GPU between two times that the host reads the state, from 1 to 1024. An odd
  /// number is rounded up. They run as one CUDA graph, unless the preconditioner is a function. It has no
  /// effect on a CPU or with a callback.
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
/// Source: M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems (1952).
template <value V>
GOSSAMER_API result cg(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                       std::type_identity_t<std::span<V>> x, const options<V>& how = {});
/// The same for vectors in device memory.
template <value V>
GOSSAMER_API result cg(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                       std::type_identity_t<device_span<V>> x, cuda_stream stream,
                       const options<V, device_space>& how = {});

/// Solves A x = b by stabilized biconjugate gradients. A need not be symmetric.
///
/// The stopping test and the default of maxiter are those of cg(). The preconditioner acts from the right, so
/// the residual is that of A x = b. An iteration that meets the test after its first half ends there. Source:
/// H. A. van der Vorst, Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of
/// nonsymmetric linear systems (1992).
template <value V>
GOSSAMER_API result bicgstab(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                             std::type_identity_t<std::span<V>> x, const options<V>& how = {});
/// The same for vectors in device memory.
template <value V>
GOSSAMER_API result bicgstab(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                             std::type_identity_t<device_span<V>> x, cuda_stream stream,
                             const options<V, device_space>& how = {});

/// Solves A x = b, or min ||b - A x||, for a symmetric A that may be indefinite or singular, by the minimum
/// residual method. The preconditioner must be symmetric and positive definite.
///
/// It stops if ||r|| <= rtol ||A|| ||x|| or ||A r|| <= rtol ||A|| ||r||, with estimates of the norms. atol
/// has no effect. The status is stagnation if the estimate of the condition number is 0.1 / epsilon or more,
/// or if ||A|| ||x|| epsilon reaches the first residual. The default of maxiter is 5 rows(). If b is 0, x
/// becomes 0. With r = b - A x and a preconditioner M, result::residual is sqrt(r . M r). Source: C. C. Paige
/// and M. A. Saunders, Solution of sparse indefinite systems of linear equations (1975).
template <value V>
GOSSAMER_API result minres(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                           std::type_identity_t<std::span<V>> x, const options<V>& how = {});
/// The same for vectors in device memory.
template <value V>
GOSSAMER_API result minres(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                           std::type_identity_t<device_span<V>> x, cuda_stream stream,
                           const options<V, device_space>& how = {});

/// Bounds of the eigenvalues of a matrix.
struct eigenvalue_bounds {
  double lower = 0;  ///< lower bound, more than 0
  double upper = 0;  ///< upper bound, at least `lower`
};

/// Solves A x = b by Chebyshev iteration, which needs no dot products for its coefficients. The eigenvalues
/// of M A, with the preconditioner M, must be real and within the bounds.
///
/// The stopping test and the default of maxiter are those of cg(). Outside the bounds, it may diverge until
/// the status is not_finite or maxiter. Source: Y. Saad, Iterative Methods for Sparse Linear Systems, 12.3.
template <value V>
GOSSAMER_API result chebyshev(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                              std::type_identity_t<std::span<V>> x, const eigenvalue_bounds& bounds,
                              const options<V>& how = {});
/// The same for vectors in device memory.
template <value V>
GOSSAMER_API result chebyshev(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                              std::type_identity_t<device_span<V>> x, const eigenvalue_bounds& bounds,
                              cuda_stream stream, const options<V, device_space>& how = {});

/// Options of lsqr(). The defaults are those of scipy.sparse.linalg.lsqr.
struct lsqr_options {
  double damp = 0;                      ///< damping; see lsqr()
  double atol = 1e-6;                   ///< relative error of the entries of A, for the stopping tests
  double btol = 1e-6;                   ///< relative error of b, for the stopping tests
  double conlim = 1e8;                  ///< estimated condition number at which it stops; 0: no limit
  std::optional<std::int64_t> maxiter;  ///< maximum number of iterations; default: 2 cols()
  bool zero_initial_guess = false;      ///< see options::zero_initial_guess
  callback after_iteration;             ///< see options::after_iteration
  int check_every = 16;                 ///< see options::check_every
  workspace* scratch = nullptr;         ///< see options::scratch
};

/// Result of lsqr(). All norms are estimates that the iteration computes. The names are SciPy's.
struct lsqr_result {
  status outcome = status::converged;  ///< why lsqr() returned
  /// 0: the initial guess is the solution, or maxiter is 0. 1: A x = b is solved. 2: the least-squares
  /// problem is solved. 3: the condition number exceeds conlim. 4, 5, 6: as 1, 2, 3, for the precision of V.
  /// 7: maxiter.
  /// If `outcome` is not_finite or stopped, it has no meaning.
  int istop = 0;
  std::int64_t iterations = 0;  ///< number of iterations
  double r1norm = 0;            ///< ||b - A x||
  double r2norm = 0;            ///< sqrt(||b - A x||^2 + damp^2 ||x - x0||^2)
  double anorm = 0;             ///< Frobenius norm of (A; damp I)
  double acond = 0;             ///< condition number of (A; damp I)
  double arnorm = 0;            ///< ||A^T (b - A x) - damp^2 (x - x0)||
  double xnorm = 0;             ///< ||x - x0||
};

/// Minimizes ||b - A x||^2 + damp^2 ||x - x0||^2 by the method LSQR. x0 is the initial guess. A may have any
/// shape: b has rows() and x has cols() elements. The plan needs operations = both.
///
/// It stops if ||r|| <= btol ||b|| + atol ||A|| ||x|| (istop 1), if ||A^T r|| <= atol ||A|| ||r|| (2) or if
/// the condition number exceeds conlim (3). The status is converged for istop 0, 1, 2, 4 and 5, stagnation
/// for 3 and 6. If b is 0, x becomes 0. state::residual is r2norm. Source: C. C. Paige and M. A. Saunders,
/// LSQR: an algorithm for sparse linear equations and sparse least squares (1982).
template <value V>
GOSSAMER_API lsqr_result lsqr(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                              std::type_identity_t<std::span<V>> x, const lsqr_options& how = {});
/// The same for vectors in device memory.
template <value V>
GOSSAMER_API lsqr_result lsqr(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                              std::type_identity_t<device_span<V>> x, cuda_stream stream,
                              const lsqr_options& how = {});

/// Options of power().
struct power_options {
  double rtol = 1e-5;                   ///< tolerance relative to the eigenvalue
  double atol = 0;                      ///< absolute tolerance
  std::optional<std::int64_t> maxiter;  ///< maximum number of iterations; default: 10 rows()
  callback after_iteration;             ///< see options::after_iteration
  int check_every = 16;                 ///< see options::check_every
  workspace* scratch = nullptr;         ///< see options::scratch
};

/// Result of power().
struct power_result {
  status outcome = status::converged;  ///< why power() returned
  std::int64_t iterations = 0;         ///< number of iterations
  double eigenvalue = 0;               ///< Rayleigh quotient of x
  double residual = 0;                 ///< ||A x - eigenvalue x|| of a normalized x
};

/// Computes the eigenvalue of largest magnitude, and its eigenvector x of norm 1, by power iteration. x is
/// the initial guess on entry; if it is 0, the status is breakdown.
///
/// It stops if ||A x - eigenvalue x|| <= max(rtol |eigenvalue|, atol). It does not converge if several
/// eigenvalues have the largest magnitude, for example -2 and 2.
template <value V>
GOSSAMER_API power_result power(const plan<V>& a, std::type_identity_t<std::span<V>> x,
                                const power_options& how = {});
/// The same for a vector in device memory.
template <value V>
GOSSAMER_API power_result power(const plan<V>& a, std::type_identity_t<device_span<V>> x, cuda_stream stream,
                                const power_options& how = {});

}  // namespace gossamer::inline v0::solve
