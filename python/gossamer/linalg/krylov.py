# SPDX-License-Identifier: BSD-3-Clause
"""cg(), bicgstab(), minres(): methods with SciPy's signatures and results, whose loops run in the library."""

from typing import Any, Callable, Optional, Tuple

from .symmetric import check_symmetry, indefinite_preconditioner
from .systems import System
from .vectors import not_negative

# What a solver returns as `info` for a status of the library. "maxiter" is the number of iterations.
_INFO = {
    "converged": 0,
    "stagnation": 0,
    "breakdown": -1,
    "not_finite": -2,
    "breakdown_rho": -10,
    "breakdown_omega": -11,
}


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Optional[int] = None,
    M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None,
    check_every: int = 16,
) -> Tuple[Any, int]:
    """Solves A x = b by conjugate gradients [1]_, for a symmetric positive definite A.

    The arguments and results are those of scipy.sparse.linalg.cg. The loop runs in the library: on a GPU as CUDA
    graphs of `check_every` iterations, between which the host reads whether it is done. x has the same bits in
    every run, for any number of threads and any check_every.

    Parameters
    ----------
    A : a gossamer.Matrix, or what gossamer.matrix() takes. The call then prepares it, which takes as long as some
        tens of products.
    b : array of shape (n,) or (n, 1): of NumPy, or of CuPy in the memory of a matrix on a GPU
    x0 : array of the initial guess, "Mb" for M b, or None for 0
    rtol, atol : it stops when ||b - A x|| <= max(rtol ||b||, atol), by the residual of the recurrence
    maxiter : the maximum number of iterations; default 10 n
    M : an approximation of the inverse of A, symmetric and positive definite: "jacobi" to divide by the diagonal of
        A; an array of shape (n,), the diagonal of M, which is 1 / A.diagonal() for Jacobi; a
        gossamer.linalg.Polynomial; a sparse or dense matrix, a LinearOperator, or a function that returns M r. The
        first three run on a GPU without the host.
    callback : called as callback(x) after each iteration, with a copy of the iterate. On a GPU, iterations then do
        not run as CUDA graphs.
    check_every : on a GPU, the number of iterations between two times that the host reads whether it is done; from
        1 to 1024

    Returns
    -------
    x : array of shape (n,), of b's library: of float32 if A and b have it, else of float64
    info : 0 if it converged; the number of iterations if maxiter was reached; -1 after a breakdown (a divisor,
        for example p.A p, became 0); -2 if a NaN or infinity appeared. x is the last iterate for any info.

    Raises
    ------
    gossamer.Error
        a ValueError for a wrong shape or tolerance; a TypeError for complex numbers, for a b of float64 with a
        prepared matrix of float32, and for an A that is a function or operator; MemoryError

    References
    ----------
    .. [1] M. R. Hestenes and E. Stiefel, "Methods of conjugate gradients for solving linear systems", Journal of
           Research of the National Bureau of Standards 49 (1952), pp. 409-436.

    Examples
    --------
    >>> x, info = cg(A, b, rtol=1e-10, M="jacobi")
    >>> info, bool(abs(A @ x - b).max() < 1e-8)
    (0, True)
    """
    return _solved(System.of(A, b, x0, M, "cg"), rtol, atol, maxiter, callback, check_every)


def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Optional[int] = None,
    M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None,
    check_every: int = 16,
) -> Tuple[Any, int]:
    """Solves A x = b by stabilized biconjugate gradients [1]_, for a square A.

    The arguments and results are those of scipy.sparse.linalg.bicgstab, and otherwise as described for cg().
    M acts from the right, so the residual is that of A x = b. An iteration is two products.

    Returns
    -------
    x : array of shape (n,)
    info : as for cg(); -10 if the residual became orthogonal to the first one, -11 if one of the two step lengths
        is undefined or 0

    References
    ----------
    .. [1] H. A. van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of
           nonsymmetric linear systems", SIAM Journal on Scientific and Statistical Computing 13 (1992), pp. 631-644.

    Examples
    --------
    >>> x, info = bicgstab(A, b, rtol=1e-10)
    >>> info, bool(abs(A @ x - b).max() < 1e-8)
    (0, True)
    """
    return _solved(System.of(A, b, x0, M, "bicgstab"), rtol, atol, maxiter, callback, check_every)


def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: Optional[int] = None,
    M: Any = None,
    callback: Optional[Callable[[Any], Any]] = None,
    show: bool = False,
    check: bool = False,
    check_every: int = 16,
) -> Tuple[Any, int]:
    """Solves (A - shift I) x = b by the minimum residual method [1]_, for a symmetric A that may be indefinite.

    The arguments and results are those of scipy.sparse.linalg.minres, and otherwise as described for cg().

    Parameters
    ----------
    rtol : it stops when ||r|| <= rtol ||A|| ||x|| or ||A r|| <= rtol ||A|| ||r||, with estimates of the norms
    shift : multiple of the identity that is subtracted from A; this matrix is not made
    maxiter : default 5 n
    M : symmetric and positive definite. "jacobi" takes the diagonal of A, without the shift.
    show : print one line with the outcome
    check : test with one vector whether A and M are symmetric, and raise an error if not

    Returns
    -------
    x : array of shape (n,)
    info : as for cg(). It is 0 too if x is as accurate as the precision allows.

    Raises
    ------
    gossamer.Error
        as cg(); a ValueError if M is not positive definite, or if `check` finds A or M not symmetric

    References
    ----------
    .. [1] C. C. Paige and M. A. Saunders, "Solution of sparse indefinite systems of linear equations", SIAM Journal
           on Numerical Analysis 12 (1975), pp. 617-629.

    Examples
    --------
    >>> x, info = minres(A, b, rtol=1e-10)
    >>> info, bool(abs(A @ x - b).max() < 1e-8)
    (0, True)
    """
    system = System.of(A, b, x0, M, "minres")
    check_symmetry(system, all_tests=check)
    x, info = _solved(system, rtol, 0.0, maxiter, callback, check_every, float(shift))
    if info == _INFO["breakdown"] and system.iterations == 0 and system.preconditioner.kind == "jacobi":
        raise indefinite_preconditioner()
    if show:
        print(f"minres: info = {info}, norm of the residual = {system.residual:.3e}")
    return x, info


def _solved(system, rtol, atol, maxiter, callback, check_every, shift=0.0):
    rtol, atol = not_negative(rtol, "rtol"), not_negative(atol, "atol")
    outcome = system.solve(rtol, atol, shift, maxiter, callback, check_every)
    return system.x, system.iterations if outcome == "maxiter" else _INFO[outcome]
