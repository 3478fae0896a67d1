# SPDX-License-Identifier: BSD-3-Clause
"""Reads matrix files, and converts matrices to SciPy's."""

import io as _io
import os
import zipfile

import numpy

from . import _gossamer
from .errors import ArgumentTypeError, Error, InvalidMatrixError, make_error

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
    for endings, read in _READERS.items():
        if name.endswith(endings):
            return _read(read, path)
    raise ArgumentTypeError(f"{path}: the name has to end in .mtx, .mtx.gz, .npz, .rb, .hb, .rua, .rsa or .mat")


def _read(read, path):
    """read(path), whose errors become those of this package, with one line that names the file."""
    try:
        return read(path)
    except (Error, ImportError, MemoryError):
        raise
    except Exception as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        if isinstance(error, OSError) and error.errno is not None:
            raise make_error("io_error", f"{path}: {error.strerror}") from error
        raise make_error("parse_error", f"{path}: {reason}") from error


def _read_npz(path):
    from scipy.sparse import load_npz

    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("this is no .npz file")
        return load_npz(path)


def _read_harwell_boeing(path):
    """Of symmetric and skew-symmetric matrices, whose files have one half, both halves."""
    from scipy.io import hb_read

    with open(path) as file:
        lines = [file.readline() for _ in range(3)]
        sign = {"S": 1, "Z": -1}.get(lines[2][1:2].upper())
        if sign is None:
            return hb_read(path)
        lines[2] = lines[2][0] + "U" + lines[2][2:]  # SciPy reads unsymmetric ones only
        half = hb_read(_io.StringIO("".join(lines) + file.read())).tocoo()
    mirrored = half.row != half.col
    values = numpy.append(half.data, sign * half.data[mirrored])
    rows, cols = (numpy.append(a, b[mirrored]) for a, b in ((half.row, half.col), (half.col, half.row)))
    return type(half)((values, (rows, cols)), shape=half.shape).tocsr()


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


_READERS = {
    (".npz",): _read_npz,
    (".rb", ".hb", ".rua", ".rsa"): _read_harwell_boeing,
    (".mat",): _only_sparse_variable,
}


def to_scipy(arrays):
    """A scipy.sparse.csr_array (of CSC arrays: csc_array) that refers to the arrays of _gossamer.Arrays."""
    from scipy import sparse

    members = arrays.members()
    kind = sparse.csc_array if members["layout"] == _gossamer.CSC else sparse.csr_array
    return kind((members["values"], members["indices"], members["offsets"]), shape=members["shape"], copy=False)
