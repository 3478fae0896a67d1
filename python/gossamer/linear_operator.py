# SPDX-License-Identifier: BSD-3-Clause
"""aslinearoperator(): a matrix for SciPy's and CuPy's solvers."""

import functools
from typing import TYPE_CHECKING, Any

from .errors import ArgumentTypeError

if TYPE_CHECKING:
    from .matrix import Matrix


def aslinearoperator(G: "Matrix") -> Any:
    """G as a scipy.sparse.linalg.LinearOperator, or for a matrix on a GPU as one of
    cupyx.scipy.sparse.linalg (needs CuPy).

    The solvers of SciPy also take G itself where they need no more than products. Those that ask whether they
    have a LinearOperator (expm_multiply, svds) need this. Vectors are converted to the type of G; of complex
    ones, the real and the imaginary parts are multiplied one after the other. Raises a TypeError if G is no
    gossamer.Matrix, ImportError without SciPy or CuPy.

    >>> import scipy.sparse.linalg
    >>> S = gossamer.matrix(scipy.sparse.csr_array([[4.0, 1.0], [1.0, 3.0]]))
    >>> x, status = scipy.sparse.linalg.cg(gossamer.aslinearoperator(S), numpy.array([1.0, 2.0]))
    >>> x.round(4), status
    (array([0.0909, 0.6364]), 0)
    """
    from .matrix import Matrix

    if not isinstance(G, Matrix):
        raise ArgumentTypeError(f"{type(G).__name__} is no gossamer.Matrix")
    return (_scipy_class() if G.device == "cpu" else _cupy_class())(G)


@functools.cache
def _scipy_class():
    import numpy
    from scipy.sparse.linalg import LinearOperator

    return _class_over(LinearOperator, numpy)


@functools.cache
def _cupy_class():
    import cupy
    from cupyx.scipy.sparse.linalg import LinearOperator

    return _class_over(LinearOperator, cupy)


def _class_over(base, library):
    class GossamerLinearOperator(base):
        """A gossamer.Matrix as a LinearOperator."""

        def __init__(self, matrix):
            self.matrix = matrix
            super().__init__(matrix.dtype, matrix.shape)

        def matvec(self, x):
            """A x. Without the base's checks, which take as long as small products: the matrix checks x itself."""
            if type(x) is library.ndarray and x.dtype == self.dtype:
                return self.matrix.matvec(x)
            return super().matvec(x)

        def _product(self, multiply, x):
            x = library.asarray(x)
            converted = lambda part: library.ascontiguousarray(part, dtype=self.matrix.dtype)
            if x.dtype.kind != "c":
                return multiply(library.asarray(x, dtype=self.matrix.dtype))
            real = multiply(converted(x.real))  # the matrix is real
            result = library.empty(real.shape, library.result_type(real.dtype, library.complex64))
            result.real = real
            result.imag = multiply(converted(x.imag))
            return result

        def _matvec(self, x):
            return self._product(self.matrix.matvec, x)

        def _rmatvec(self, x):
            return self._product(self.matrix.T.matvec, x)

        def _matmat(self, x):
            return self._product(self.matrix.matmat, x)

        def _rmatmat(self, x):
            return self._product(self.matrix.T.matmat, x)

        def __reduce__(self):
            return aslinearoperator, (self.matrix,)

        def _adjoint(self):
            return type(self)(self.matrix.T)

        _transpose = _adjoint

    return GossamerLinearOperator
