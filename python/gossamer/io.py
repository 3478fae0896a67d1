# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in files, and the results for SciPy and CuPy."""

import os

from . import _gossamer
from .errors import ArgumentTypeError, InvalidMatrixError, make_error

_TYPES = {None: _gossamer.F64, "float64": _gossamer.F64, "float32": _gossamer.F32}


def load(path, dtype=None):
    """The matrix of a file: _gossamer.Arrays of Matrix Market, else a SciPy matrix."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise make_error("io_error", f"{path}: no such file")
    name = path.lower()
    if name.endswith((".mtx", ".mtx.gz")):
        from .inputs import value_type

        return _gossamer.Arrays.read(path, _TYPES[None if dtype is None else value_type(dtype).name])
    if name.endswith(".npz"):
        from scipy.sparse import load_npz

        return load_npz(path)
    if name.endswith((".rb", ".hb", ".rua", ".rsa")):
        from scipy.io import hb_read

        return hb_read(path)
    if name.endswith(".mat"):
        return _only_sparse_variable(path)
    raise ArgumentTypeError(f"{path}: the name has to end in .mtx, .mtx.gz, .npz, .rb, .hb, .rua, .rsa or .mat")


def _only_sparse_variable(path):
    """The sparse matrix of a MATLAB file. Collections wrap it in a structure, as SuiteSparse's `Problem.A`."""
    from scipy.io import loadmat
    from scipy.sparse import issparse

    found = {}
    for name, value in loadmat(path).items():
        if issparse(value):
            found[name] = value
        elif getattr(value, "dtype", None) is not None and value.dtype.names and "A" in value.dtype.names:
            if value.size == 1 and issparse(value["A"].item()):
                found[f"{name}.A"] = value["A"].item()
    if len(found) != 1:
        names = ", ".join(sorted(found)) or "none"
        raise InvalidMatrixError(f"{path}: a file with one sparse matrix is needed; it has {names}")
    return found.popitem()[1]


def to_scipy(arrays):
    """A scipy.sparse.csr_array (of CSC arrays: csc_array) that refers to the arrays of _gossamer.Arrays."""
    from scipy import sparse

    members = arrays.members()
    kind = sparse.csc_array if members["layout"] == _gossamer.CSC else sparse.csr_array
    return kind((members["values"], members["indices"], members["offsets"]), shape=members["shape"], copy=False)
