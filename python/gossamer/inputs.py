# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a sparse matrix, taken from SciPy, CuPy and PyTorch objects, tuples and files."""

import math
import operator
import os
from dataclasses import dataclass, replace
from typing import Any, Optional, Tuple

import numpy

from . import _gossamer, io
from .buffers import buffer_of, check_memory, convert, device_of, dtype_of, is_cupy, is_torch, to_host, wait_for
from .errors import ArgumentTypeError, InvalidArgumentError, InvalidMatrixError, SizeMismatchError


@dataclass
class MatrixArrays:
    """Arrays of any library. COO: `offsets` are the row indices. Entries keep the order of the input."""

    layout: int
    shape: Tuple[int, int]
    offsets: Any
    indices: Any
    values: Any

    @property
    def device(self):
        return device_of(self.values)

    def on_host(self):
        return replace(
            self, offsets=to_host(self.offsets), indices=to_host(self.indices), values=to_host(self.values)
        )

    def copied(self):
        """A copy in new arrays."""

        def duplicate(array):
            if is_torch(array):
                return array.clone()
            return array.copy() if is_cupy(array) else numpy.array(to_host(array))

        return replace(
            self,
            offsets=duplicate(self.offsets),
            indices=duplicate(self.indices),
            values=duplicate(self.values),
        )


def arrays_of(matrix, shape=None, dtype=None):
    """The arrays of `matrix`, with float32 or float64 values. A Matrix Market file gives _gossamer.Arrays."""
    if isinstance(matrix, (str, os.PathLike)):
        matrix = io.load(matrix, dtype)
        if isinstance(matrix, _gossamer.Arrays):
            return matrix
    if isinstance(matrix, tuple):
        arrays = _from_tuple(matrix, shape)
    elif shape is not None:
        raise InvalidArgumentError("shape is given, but only a tuple of arrays needs it")
    elif is_torch(matrix):
        arrays = _from_torch(matrix)
    elif _is_sparse(matrix):
        arrays = _from_sparse(matrix)
    else:
        raise ArgumentTypeError(_refusal(matrix))
    values = _with_real_values(arrays.values, dtype)
    names = _index_names(arrays.layout)
    offsets, indices = (_with_index_type(*pair) for pair in zip((arrays.offsets, arrays.indices), names))
    return replace(arrays, offsets=offsets, indices=indices, values=values)


def _index_names(layout):
    return ("row indices", "column indices") if layout == _gossamer.COO else ("offsets", "indices")


def _with_index_type(array, name):
    given = dtype_of(array, name)
    if given.name in ("int32", "int64"):
        return array
    if given.kind not in "iu" and _size(array) > 0:  # NumPy makes an empty list float64
        raise ArgumentTypeError(f"the {name} are {given}; they have to be integers")
    return convert(array, "int64")


def _size(array):
    return math.prod(array.shape if hasattr(array, "shape") else to_host(array).shape)


def to_c_arrays(arrays):
    """_gossamer.Arrays that refer to the arrays."""
    named = dict(zip((*_index_names(arrays.layout), "values"), (arrays.offsets, arrays.indices, arrays.values)))
    for name, array in named.items():
        check_memory(array, name)
    buffers = [buffer_of(array, name) for name, array in named.items()]
    offsets, indices, values = buffers
    if len({buffer.device for buffer in buffers}) != 1:
        raise InvalidArgumentError("the arrays are not all on one device")
    rows, cols = (int(size) for size in arrays.shape)
    _check_sizes(arrays.layout, rows, cols, offsets.size, indices.size, values.size)
    device = -1 if values.device is None else values.device
    for buffer in buffers:  # which may be copies that are still being written
        wait_for(buffer.owner)
    return _gossamer.Arrays(
        arrays.layout,
        rows,
        cols,
        values.size,
        offsets.address,
        indices.address,
        values.address,
        offsets.type_code,
        indices.type_code,
        values.type_code,
        device,
        tuple(buffer.owner for buffer in buffers),
    )


def _check_sizes(layout, rows, cols, offsets, indices, values):
    if rows < 0 or cols < 0:
        raise InvalidMatrixError(f"shape = ({rows}, {cols}) has a negative number")
    if indices != values:
        raise SizeMismatchError(f"there are {indices} indices, but {values} values")
    if layout == _gossamer.COO:
        if offsets != values:
            raise SizeMismatchError(f"there are {offsets} row indices, but {values} values")
        return
    name, major = ("columns", cols) if layout == _gossamer.CSC else ("rows", rows)
    if offsets != major + 1:
        raise SizeMismatchError(f"there are {offsets} offsets; {major} {name} need {major + 1}")


def _with_real_values(values, dtype):
    if dtype is not None and is_torch(values) and values.is_floating_point():
        return convert(values, value_type(dtype))
    given = dtype_of(values, "values")
    if given.kind == "c":
        raise ArgumentTypeError(
            f"the values are {given}; complex matrices are not supported yet: make one of A.real, one of A.imag"
        )
    if dtype is None:
        if given.name not in ("float32", "float64"):
            raise ArgumentTypeError(f'the values are {given}: pass dtype="float64" or "float32" to convert them')
        return values
    return convert(values, value_type(dtype))


def value_type(dtype):
    """numpy.dtype of a user's dtype, which is float32 or float64, of NumPy or of torch."""
    name = str(dtype).removeprefix("torch.") if type(dtype).__module__ == "torch" else dtype
    try:
        result = numpy.dtype(name)
    except TypeError:
        raise ArgumentTypeError(f"dtype = {dtype!r}: a matrix has float32 or float64 values") from None
    if result.name not in ("float32", "float64"):
        raise ArgumentTypeError(f"dtype = {result}: a matrix has float32 or float64 values")
    return result.newbyteorder("=")


def _is_sparse(matrix):
    """Of SciPy or of CuPy, whose classes have the same members."""
    return hasattr(matrix, "tocsr") and hasattr(matrix, "format") and hasattr(matrix, "shape")


def _from_sparse(matrix):
    if len(matrix.shape) != 2:
        raise InvalidArgumentError(f"the matrix has {len(matrix.shape)} dimensions, not 2")
    if matrix.format == "coo":
        return MatrixArrays(_gossamer.COO, matrix.shape, matrix.row, matrix.col, matrix.data)
    if matrix.format not in ("csr", "csc"):
        matrix = matrix.tocsr()
    layout = _gossamer.CSC if matrix.format == "csc" else _gossamer.CSR
    nnz = matrix.nnz  # the arrays may be longer
    return MatrixArrays(layout, matrix.shape, matrix.indptr, matrix.indices[:nnz], matrix.data[:nnz])


def _from_torch(tensor):
    torch_layout = str(tensor.layout).removeprefix("torch.")
    if torch_layout not in ("sparse_csr", "sparse_csc", "sparse_coo"):
        raise ArgumentTypeError(
            f"a torch tensor of layout {torch_layout}: pass tensor.to_sparse_csr(), or one in CSC or COO layout"
        )
    if tensor.ndim != 2 or (torch_layout == "sparse_coo" and tensor.dense_dim() != 0):
        raise InvalidArgumentError(f"a torch tensor of shape {tuple(tensor.shape)}: batches are not supported")
    tensor = tensor.detach()
    shape = tuple(tensor.shape)
    if torch_layout == "sparse_csr":
        return MatrixArrays(_gossamer.CSR, shape, tensor.crow_indices(), tensor.col_indices(), tensor.values())
    if torch_layout == "sparse_csc":
        return MatrixArrays(_gossamer.CSC, shape, tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    rows, cols = tensor._indices()  # also of a tensor that is not coalesced: entries in one place add up
    return MatrixArrays(_gossamer.COO, shape, rows, cols, tensor._values())


def _from_tuple(parts, shape):
    if shape is None:
        raise InvalidArgumentError("a tuple of arrays needs shape=(rows, columns)")
    shape = _two_integers(shape)
    if len(parts) == 3:
        values, indices, offsets = parts
        return MatrixArrays(_gossamer.CSR, shape, offsets, indices, values)
    if len(parts) == 2 and len(parts[1]) == 2:
        values, (rows, cols) = parts
        return MatrixArrays(_gossamer.COO, shape, rows, cols, values)
    raise InvalidArgumentError("a tuple has to be (data, indices, indptr) or (data, (row, col))")


def _two_integers(shape):
    try:
        rows, cols = (operator.index(size) for size in shape)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"shape = {shape!r}: two integers are needed, (rows, columns)") from None
    return rows, cols


def _refusal(matrix):
    if isinstance(matrix, numpy.ndarray) or is_cupy(matrix):
        return (
            f"a dense array of shape {matrix.shape}: pass scipy.sparse.csr_array(A) if most elements are zero; "
            "otherwise NumPy's A @ x is faster"
        )
    return (
        f"{type(matrix).__name__} is no sparse matrix: pass one of SciPy, CuPy or PyTorch, a tuple "
        "(data, indices, indptr) with shape=, or the name of a file"
    )
