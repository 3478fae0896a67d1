# SPDX-License-Identifier: BSD-3-Clause
"""The matrices to time."""

import numpy

from .. import _gossamer
from ..io import load, to_scipy
from .arguments import UsageError


def read(name, solver=None):
    """A csr_array of float64, sorted and without duplicates. For a solver it has to be symmetric."""
    if name == "tiny":
        A = _tiny()
    elif name.startswith("grid:"):
        A = _grid(name)
    else:
        A = _from_file(name)
    if solver and not _is_symmetric(A):
        raise UsageError(f"--solver {solver}: {name} is not symmetric")
    return A


def _from_file(name):
    from scipy import sparse

    A = load(name)
    if isinstance(A, _gossamer.Arrays):
        A = to_scipy(A)
    if A.ndim != 2:
        raise UsageError(f"{name}: it has {A.ndim} dimension, a matrix has 2")
    if A.dtype.kind not in "biuf":
        raise UsageError(f"{name}: its values are {A.dtype}, a matrix has float32 or float64 values")
    A = sparse.csr_array(A, dtype="float64")
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    return A


def _tiny():
    from scipy import sparse

    random = numpy.random.default_rng(1)
    rows, cols = numpy.divmod(random.choice(100, 30, replace=False), 10)
    return sparse.csr_array((random.uniform(size=30), (rows, cols)), shape=(10, 10))


def _grid(name):
    from scipy import sparse

    number = name.removeprefix("grid:")
    if not number.isdecimal() or int(number) < 1:
        raise UsageError(f"{name}: grid:N needs a number N of 1 or more")
    n = int(number)
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return sparse.csr_array(sparse.kronsum(sparse.kronsum(line, line), line))


def _is_symmetric(A):
    if A.shape[0] != A.shape[1]:
        return False
    T = A.T.tocsr()
    return all(numpy.array_equal(getattr(A, part), getattr(T, part)) for part in ("indptr", "indices", "data"))
