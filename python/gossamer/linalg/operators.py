# SPDX-License-Identifier: BSD-3-Clause
"""The matrix argument of solvers: a gossamer.Matrix with a plan that the solvers of the library can use."""

import numpy

from .. import _gossamer
from ..buffers import device_of, dtype_of, is_torch
from ..errors import ArgumentTypeError
from ..matrix import Matrix, _matrix_with, matrix
from ..stored import StoredMatrix

# Expected products of a matrix that a solver prepares for itself.
CALLS = 200
_KEPT_OPTIONS = ("format", "calls", "threads", "isa", "reorder")


def result_type(of_matrix, of_vector):
    """The type that SciPy's solvers compute in: float32 if both have it, else float64."""
    types = [numpy.dtype(each) for each in (of_matrix, of_vector)]
    return numpy.dtype("float32" if all(each == "float32" for each in types) else "float64")


def prepared(A, b, solver, with_transpose=False):
    """A as a gossamer.Matrix with a plan of A (and of its transpose) that suits the right-hand side b."""
    if isinstance(getattr(A, "matrix", None), Matrix):
        A = A.matrix  # of gossamer.aslinearoperator()
    if isinstance(A, Matrix):
        _check_type(A, b)
        return solvable(A, with_transpose)
    is_sparse = hasattr(A, "tocsr") and hasattr(A, "format")
    if not is_sparse and not is_torch(A) and (hasattr(A, "matvec") or callable(A)):
        raise ArgumentTypeError(
            f"A is a {type(A).__name__}: gossamer.linalg.{solver} needs the entries of the matrix. Pass a sparse "
            f"matrix or gossamer.matrix(A); scipy.sparse.linalg.{solver} takes operators"
        )
    if is_sparse:
        A = A.tocsr()
    dtype = None
    if hasattr(A, "dtype"):
        dtype = result_type(dtype_of(A, "values of A") if is_torch(A) else A.dtype, b.dtype)
        if not is_torch(A) and A.dtype.kind == "c":
            raise ArgumentTypeError(f"A is {A.dtype}: complex numbers are not supported")
    device = device_of(b)
    operations = "both" if with_transpose else "forward"
    where = None if device is None else f"cuda:{device}"
    return solvable(matrix(A, dtype=dtype, device=where, calls=CALLS, operations=operations), with_transpose)


def _check_type(G, b):
    needed = result_type(G.dtype, b.dtype)
    if needed != G.dtype:
        raise ArgumentTypeError(
            f"b is {b.dtype}, so the solution would be float64, but the matrix is {G.dtype}: make it with "
            f'dtype="float64", or pass b.astype("float32")'
        )


def solvable(G, with_transpose):
    """G, or an equal matrix, whose plan multiplies by G in the forward direction.

    The plan of a transpose, and of CSC arrays, does not: then the matrix is copied to CSR. The copy is kept, if
    its values cannot change.
    """
    if _gossamer.can_solve(G, with_transpose):
        return G
    stored = G._context
    key = (G._is_transposed, with_transpose)
    with stored.lock:
        found = stored.for_solvers.get(key)
        if found is None:
            found = _copy(G, with_transpose)
            if not stored.values_change:
                stored.for_solvers[key] = found
    return found


def _copy(G, with_transpose):
    stored = G._context
    if with_transpose and _gossamer.can_solve(G, False) and not G._is_transposed:
        # Of the same arrays. It has another context, since `stored` keeps the result.
        context = StoredMatrix(stored.where, stored.options, stored.arrays, stored.inputs, stored.order)
        both = _matrix_with(context, stored.make_plan("both", G._some_plan()))
        if _gossamer.can_solve(both, True):
            return both
    options = {key: value for key, value in stored.options.items() if key in _KEPT_OPTIONS and value is not None}
    operations = "both" if with_transpose else "forward"
    return matrix(G.to_scipy().tocsr(), device=G.device, operations=operations, **options)
