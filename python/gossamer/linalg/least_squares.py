# SPDX-License-Identifier: BSD-3-Clause
"""lsqr(): least squares with SciPy's signature and return values; the iterations run in the library."""

import math
from typing import Any, Optional, Tuple

from .. import _gossamer
from ..buffers import is_cupy
from .operators import prepared
from .vectors import address_of, as_type, check_length, check_memory, current_stream, library_of, not_negative
from .vectors import real_vector, start_vector

_REASONS = (
    "x is the start, which solves the problem",
    "b - A x is small enough for atol and btol",
    "the least-squares solution is good enough for atol",
    "the condition number has exceeded conlim",
    "b - A x is small enough for this precision",
    "the least-squares solution is good enough for this precision",
    "the condition number is too large for this precision",
    "the limit of iterations was reached",
)


def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: Optional[int] = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
    *,
    check_every: int = 16,
) -> Tuple[Any, int, int, float, float, float, float, float, float, Any]:
    """Minimizes ||b - A x||^2 + damp^2 ||x - x0||^2, for an A of any shape, by LSQR [1]_.

    The arguments and results are those of scipy.sparse.linalg.lsqr. An iteration is a product with A and one
    with its transpose. A prepared matrix needs operations="both"; otherwise both products are prepared in the
    first call, and kept.

    Parameters
    ----------
    A : gossamer.matrix(A, operations="both"), or what gossamer.matrix() takes. The call then prepares it.
    b : array of shape (m,) or (m, 1): of NumPy, or of CuPy in the memory of a matrix on a GPU
    damp : damping, not negative
    atol, btol : it stops when ||r|| <= btol ||b|| + atol ||A|| ||x||, or when ||A^T r|| <= atol ||A|| ||r||
    conlim : it stops when its estimate of the condition number is larger; 0 for no limit
    iter_lim : the maximum number of iterations; default 2 n
    show : print one line with the outcome
    calc_var : compute `var` too, by running the iterations a second time
    x0 : array of the initial guess, of shape (n,); it stays as it is
    check_every : on a GPU, the number of iterations between two times that the host reads whether it is done; from
        1 to 1024

    Returns
    -------
    x : array of shape (n,), of b's library: of float32 if A and b have it, else of float64
    istop : 0 if x0 is the solution, or if iter_lim is 0; 1 if A x = b is solved, 2 if the least-squares problem is;
        3 if the condition number exceeds conlim; 4, 5 and 6 as 1, 2 and 3, for the precision of x; 7 if iter_lim
        was reached; -2 if a NaN or infinity appeared
    itn : iterations
    r1norm : ||b - A x||
    r2norm : sqrt(||b - A x||^2 + damp^2 ||x - x0||^2)
    anorm : estimate of the Frobenius norm of (A; damp I)
    acond : estimate of its condition
    arnorm : estimate of ||A^T r - damp^2 (x - x0)||
    xnorm : ||x - x0||
    var : array of shape (n,): with calc_var, estimates of the diagonal of (A^T A + damp^2 I)^-1; else zeros

    Raises
    ------
    gossamer.Error
        a ValueError for a wrong shape or tolerance; a TypeError for complex numbers, for a b of float64 with a
        prepared matrix of float32, and for an A that is a function or operator; MemoryError

    References
    ----------
    .. [1] C. C. Paige and M. A. Saunders, "LSQR: an algorithm for sparse linear equations and sparse least squares",
           ACM Transactions on Mathematical Software 8 (1982), pp. 43-71.

    Examples
    --------
    >>> x, istop, itn, r1norm = lsqr(A, b)[:4]
    >>> istop
    1
    """
    b = real_vector(b, "b")
    if b.ndim == 0:
        b = b.reshape(1)
    G = prepared(A, b, "lsqr", with_transpose=True)
    check_length(b, G.shape[0], "b", G.shape)
    check_memory(b, G)
    b = as_type(b.reshape(-1), G.dtype)
    x = start_vector(x0, G, b)
    start = None if x0 is None else x.copy()
    status, istop, itn, *norms = _gossamer.solve_lsqr(
        matrix=G,
        b=address_of(b),
        x=address_of(x),
        on_device=is_cupy(b),
        stream=current_stream(b),
        damp=not_negative(damp, "damp"),
        atol=not_negative(atol, "atol"),
        btol=not_negative(btol, "btol"),
        conlim=not_negative(conlim, "conlim"),
        maxiter=None if iter_lim is None else int(iter_lim),
        zero_initial_guess=x0 is None,
        check_every=check_every,
    )
    if status == "not_finite":
        istop = -2
    if show:
        reason = _REASONS[7 if status == "maxiter" else istop] if istop >= 0 else "a NaN or infinity appeared"
        print(f"lsqr: {reason}; {itn} iterations, ||b - A x|| = {norms[0]:.3e}")
    var = _variance(G, b, start, float(damp), itn) if calc_var else library_of(b).zeros_like(x)
    return (x, istop, itn, *norms, var)


def _variance(G, b, start, damp, iterations):
    """The sum of squared directions of x over these iterations: the rotations of the bidiagonalization again."""
    library = library_of(b)
    norm = lambda vector: float(library.linalg.norm(vector))
    u = b if start is None else b - G @ start
    beta = norm(u)
    result = library.zeros(G.shape[1], b.dtype)
    if iterations == 0:
        return result
    u = (u / beta).astype(b.dtype)
    v = G.T @ u
    alpha = norm(v)
    v = (v / alpha).astype(b.dtype)
    w, rho_bar = v.copy(), alpha
    for _ in range(iterations):
        u = G @ v - b.dtype.type(alpha) * u
        beta = norm(u)
        if beta > 0:
            u /= b.dtype.type(beta)
            v = G.T @ u - b.dtype.type(beta) * v
            alpha = norm(v)
            if alpha > 0:
                v /= b.dtype.type(alpha)
        rho = math.hypot(rho_bar, damp, beta)
        result += (w / b.dtype.type(rho)) ** 2
        damped = math.hypot(rho_bar, damp)
        w = v - b.dtype.type(beta * alpha / rho**2) * w
        rho_bar = -damped * alpha / rho
    return result
