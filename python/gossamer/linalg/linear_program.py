# SPDX-License-Identifier: BSD-3-Clause
"""pdhg(): linear programs by products with a matrix and its transpose."""

import dataclasses
import math
import time
from typing import Any, Callable, Optional

import numpy

from ..buffers import device_of, is_cupy, to_host
from ..errors import ArgumentTypeError, InvalidArgumentError, SizeMismatchError
from ..matrix import Matrix, matrix
from .equilibration import equilibrate, equilibrate_on_device
from .primal_dual import PrimalDualIteration
from .program import Program, Rays

OPTIMAL, LIMIT, INFEASIBLE, UNBOUNDED, NUMERICAL = range(5)
_MESSAGES = {
    OPTIMAL: "Optimal within the tolerance.",
    LIMIT: "The limit of iterations or time was reached.",
    INFEASIBLE: "The program is infeasible: y is a certificate.",
    UNBOUNDED: "The program is unbounded or infeasible: x is a direction of descent without end.",
    NUMERICAL: "Numbers overflowed.",
}

@dataclasses.dataclass
class LinearProgramResult:
    """What pdhg() returns. Arrays are of the library of c: NumPy or CuPy.

    The three errors are what pdhg() compares with rtol: of the primal constraints, of the dual constraints, and
    `gap = |fun - dual_fun| / (1 + |fun| + |dual_fun|)`.
    """

    x: Any  # the solution, of shape (columns,); within its bounds
    y: Any  # multipliers of the rows, of shape (rows,): positive if lb is active, negative if ub is
    reduced_costs: Any  # multipliers of the bounds of x: the part of c - A^T y that its bounds can hold
    fun: float  # c x
    dual_fun: float
    status: int  # 0 optimal, 1 limit reached, 2 infeasible, 3 unbounded or infeasible, 4 overflow
    message: str
    nit: int  # iterations
    restarts: int
    primal_error: float
    dual_error: float
    gap: float
    solve_seconds: float  # of iterations, without scaling and preparing A

    @property
    def success(self) -> bool:
        """Whether the status is 0."""
        return self.status == OPTIMAL


def pdhg(
    c: Any,
    A: Any,
    lb: Any = -math.inf,
    ub: Any = math.inf,
    *,
    bounds: Any = (0, math.inf),
    rtol: float = 1e-4,
    maxiter: int = 1_000_000,
    time_limit: float = math.inf,
    x0: Any = None,
    y0: Any = None,
    device: Optional[str] = None,
    check_every: int = 40,
    callback: Optional[Callable[[LinearProgramResult], Any]] = None,
) -> LinearProgramResult:
    """Minimizes c x with lb <= A x <= ub and bounds[0] <= x <= bounds[1], by the primal-dual hybrid gradient.

    The method needs no factorization: an iteration is a product with A, one with its transpose, and one pass over
    x and y. It suits large sparse programs, on a GPU above all, and tolerances of 1e-3 to 1e-8. For small programs,
    and for exact vertices, use scipy.optimize.linprog.

    The algorithm is the restarted, reflected Halpern iteration [2]_ of the primal-dual hybrid gradient (PDHG)
    [1]_ on a diagonally scaled program, as in cuPDLPx [3]_. The next iterate is a weighted mean of a reflected PDHG
    step and of the iterate at the last restart. It restarts when the fixed-point error has decreased enough.

    Parameters
    ----------
    c : array of shape (columns,)
    A : sparse matrix: what gossamer.matrix() takes, or its result. It is converted to float64 and copied.
    lb, ub : array of shape (rows,), or a number. Equal elements make an equation; infinite ones are allowed.
    bounds : (lower, upper) of x, each an array of shape (columns,) or a number; or a scipy.optimize.Bounds.
        The default is x >= 0. Pairs (lower, upper) for each column, as in linprog, are refused.
    rtol : the tolerance of three tests, with the Euclidean norm:
        distance of A x to [lb, ub] <= rtol (1 + norm of the finite lb and ub, the larger of each row);
        part of c - A^T y that no bound of x can hold <= rtol (1 + ||c||);
        |c x - dual objective| <= rtol (1 + |c x| + |dual objective|)
    maxiter : the limit of iterations
    time_limit : in seconds, without the time of scaling and preparing A
    x0, y0 : the initial guess, for example the solution of a similar program; x0 is projected onto its bounds
    device : "cpu", "cuda" or "cuda:1"; default: the device of c or of A. On a GPU, it needs CuPy.
    check_every : iterations between two tests
    callback : called after each test with a LinearProgramResult; it costs copies of vectors

    Returns
    -------
    LinearProgramResult
        with the latest iterate if the program was not solved (status 1), and with certificates for status 2, 3.
        If a program is almost feasible, the status may be 1 instead of 2 or 3.

    Raises
    ------
    gossamer.Error
        a ValueError for a wrong shape, for a NaN, for lb > ub, and if the norm of c, or of lb and ub, overflows; a
        TypeError for complex numbers; and those of gossamer.matrix(). ImportError without SciPy, and for a GPU
        without CuPy.

    References
    ----------
    .. [1] A. Chambolle and T. Pock, "A first-order primal-dual algorithm for convex problems with applications to
           imaging", Journal of Mathematical Imaging and Vision 40 (2011), pp. 120-145.
    .. [2] H. Lu and J. Yang, "Restarted Halpern PDHG for linear programming", arXiv:2407.16144 (2024).
    .. [3] H. Lu, Z. Peng and J. Yang, "cuPDLPx: a further enhanced GPU-based first-order solver for linear
           programming", arXiv:2507.14051 (2025).

    Examples
    --------
    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.csr_array([[1.0, 1.0], [1.0, 3.0]])  # maximize 2 x[0] + 3 x[1]
    >>> found = pdhg([-2, -3], A, ub=[4, 6], rtol=1e-8)
    >>> found.x.round(4), round(found.fun, 4), found.success
    (array([3., 1.]), -9.0, True)
    """
    if not 0 <= rtol < math.inf:
        raise InvalidArgumentError(f"rtol = {rtol}; it must be finite and not negative")
    if check_every < 1:
        raise InvalidArgumentError(f"check_every = {check_every}; it must be at least 1")
    given = _csr_on_host(A)
    rows, columns = given.shape
    device = device or _device_of(c, A)
    library = _library_of(device)
    lower, upper = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else _lower_and_upper(bounds, columns)
    arrays = {
        "c": _vector(c, columns, "c", finite=True),
        "lb": _vector(lb, rows, "lb"),
        "ub": _vector(ub, rows, "ub"),
        "lower": _vector(lower, columns, "bounds[0]"),
        "upper": _vector(upper, columns, "bounds[1]"),
    }
    _check_norm(arrays["c"], "c")
    _check_norm(numpy.fmax(_finite_size(arrays["lb"]), _finite_size(arrays["ub"])), "lb and ub")
    _check_order(arrays["lb"], arrays["ub"], "lb", "ub")
    _check_order(arrays["lower"], arrays["upper"], "bounds[0]", "bounds[1]")
    start = [numpy.zeros(size) if given_start is None else _vector(given_start, size, name, finite=True)
             for given_start, size, name in ((x0, columns, "x0"), (y0, rows, "y0"))]

    with _on(device):
        is_on_host = device == "cpu" or given.nnz == 0
        S, by_row, by_column = (equilibrate if is_on_host else equilibrate_on_device)(given)
        shape = None if is_on_host else given.shape
        to_device = lambda array: library.asarray(array)
        program = Program(matrix(S, shape=shape, operations="both", calls=100_000, device=device),
                          *(to_device(arrays[name]) for name in ("c", "lb", "ub", "lower", "upper")),
                          to_device(by_row), to_device(by_column))
        iteration = PrimalDualIteration(program, rtol, *(to_device(each) for each in start))
        return _run(program, iteration, rtol, maxiter, time_limit, check_every, callback, _returned_as(c, device))


def _run(program, iteration, rtol, maxiter, time_limit, check_every, callback, returned):
    began = time.perf_counter()
    status = LIMIT
    point = iteration.point()
    while not point.within(rtol):
        spent = time.perf_counter() - began
        if iteration.steps >= maxiter or spent >= time_limit:
            break
        rounds = 1 if callback is not None else iteration.rounds_at_once(spent, time_limit - spent)
        iteration.advance(rounds, check_every, maxiter)
        point = iteration.point()
        if callback is not None:
            callback(_result(point, LIMIT, iteration, began, returned))
        if not iteration.is_finite:
            status = NUMERICAL
            break
        if iteration.rays_are_due() and not point.within(rtol):
            rays = Rays(program, *iteration.moved)
            if rays.proves_infeasible():
                return _result(point, INFEASIBLE, iteration, began, returned, y=rays.y)
            if rays.proves_unbounded():
                return _result(point, UNBOUNDED, iteration, began, returned, x=rays.x)
    if point.within(rtol):
        status = OPTIMAL
    return _result(point, status, iteration, began, returned)


def _result(point, status, iteration, began, returned, x=None, y=None):
    return LinearProgramResult(
        x=returned(point.x if x is None else x),
        y=returned(point.y if y is None else y),
        reduced_costs=returned(point.reduced_costs),
        fun=point.fun,
        dual_fun=point.dual_fun,
        status=status,
        message=_MESSAGES[status],
        nit=iteration.steps,
        restarts=iteration.restarts,
        primal_error=point.primal_error,
        dual_error=point.dual_error,
        gap=point.gap,
        solve_seconds=time.perf_counter() - began,
    )


def _csr_on_host(A):
    """A as a scipy.sparse.csr_array of float64, with sums of duplicates."""
    import scipy.sparse

    if not isinstance(A, Matrix) and not scipy.sparse.issparse(A):
        A = matrix(A, dtype="float64", format="csr", device="cpu")
    if isinstance(A, Matrix):
        A = A.to_scipy()
    elif A.dtype.kind == "c":
        raise ArgumentTypeError(f"A is {A.dtype}: complex numbers are not supported")
    A = scipy.sparse.csr_array(A, dtype="float64", copy=True)
    if A.ndim != 2:
        raise SizeMismatchError(f"A has {A.ndim} dimensions, not 2")
    A.sum_duplicates()
    if not numpy.isfinite(A.data).all():
        raise InvalidArgumentError("A has a value that is not finite")
    return A


def _device_of(c, A):
    if isinstance(A, Matrix):
        return A.device
    values = getattr(A, "data", A[0] if isinstance(A, tuple) else None)
    for array in (c, values):
        if array is not None and not isinstance(array, memoryview) and device_of(array) is not None:
            return f"cuda:{device_of(array)}"
    return "cpu"


def _library_of(device):
    if device == "cpu":
        return numpy
    import cupy

    return cupy


def _on(device):
    """The context in which CuPy allocates on the device."""
    import contextlib

    if device == "cpu":
        return contextlib.nullcontext()
    import cupy

    return cupy.cuda.Device(int(device.partition(":")[2] or 0))


def _returned_as(c, device):
    """The function that makes a result of an array: of CuPy if c is."""
    if not is_cupy(c):
        return to_host
    return _library_of(f"cuda:{device_of(c)}").asarray if device == "cpu" else lambda array: array


def _vector(given, size, name, finite=False):
    array = numpy.asarray(to_host(given))
    if array.dtype.kind not in "fiub":
        raise ArgumentTypeError(f"{name} has elements of {array.dtype}, not real numbers")
    if array.shape not in ((size,), ()):
        raise SizeMismatchError(f"{name} has shape {array.shape}, not ({size},)")
    array = numpy.array(numpy.broadcast_to(array, (size,)), dtype="float64")
    if numpy.isnan(array).any() or (finite and not numpy.isfinite(array).all()):
        raise InvalidArgumentError(f"{name} has an element that is {'not finite' if finite else 'NaN'}")
    return array


def _lower_and_upper(bounds, columns):
    """The two parts of bounds. linprog's pairs of the columns are refused, also where they could be two arrays."""
    advice = "use scipy.optimize.Bounds(lower, upper)"
    try:
        parts = len(bounds)
    except TypeError:
        raise ArgumentTypeError(f"bounds is {bounds!r}, not (lower, upper)") from None
    if parts != 2:
        raise SizeMismatchError(f"bounds has {parts} parts, not (lower, upper); for pairs as in linprog, {advice}")
    may_be_pairs = not isinstance(bounds, tuple) or any(isinstance(part, tuple) for part in bounds)
    if columns == 2 and may_be_pairs and all(numpy.shape(to_host(part)) == (2,) for part in bounds):
        raise InvalidArgumentError(f"bounds of 2 x 2 numbers may be (lower, upper) or pairs as in linprog; {advice}")
    return bounds


def _finite_size(array):
    return numpy.where(numpy.isfinite(array), abs(array), 0)


def _check_norm(array, name):
    """Refuses a vector whose squares overflow, since no tolerance can be relative to its norm."""
    with numpy.errstate(over="ignore"):
        if not array @ array < math.inf:
            raise InvalidArgumentError(f"the norm of {name} overflows; scale the program")


def _check_order(low, high, low_name, high_name):
    wrong = numpy.flatnonzero((low > high) | (low == math.inf) | (high == -math.inf))
    if len(wrong):
        at = wrong[0]
        raise InvalidArgumentError(
            f"no number is between {low_name}[{at}] = {low[at]} and {high_name}[{at}] = {high[at]}"
        )
