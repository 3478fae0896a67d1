# SPDX-License-Identifier: BSD-3-Clause
"""Products of vectors that are no NumPy arrays: CuPy arrays, torch tensors, lists. Results are of x's library."""

import sys
from typing import Any, Callable

import numpy

from .buffers import check_memory, device_of, is_cupy, is_torch
from .errors import ArgumentTypeError, InvalidArgumentError, SizeMismatchError


_TYPE_LETTERS = {"float32": "f", "float64": "d"}

# The quick products of the types of vectors that came so far: torch.Tensor and cupy.ndarray themselves, not
# their subclasses.
_vector_products: dict[type, Callable[..., Any]] = {}


def multiply(matrix, x, out, alpha, beta, stream, from_left):
    """alpha G x + beta out, or alpha x G + beta out if `from_left`. The extension calls this."""
    try:
        multiply_vector = _vector_products.get(type(x))
        if multiply_vector is not None and out is None and stream is None and beta == 0:
            y = multiply_vector(matrix, x, alpha, from_left)
            if y is not None:
                return y
        if is_torch(x):
            if type(x) is sys.modules["torch"].Tensor:
                _vector_products[type(x)] = _multiply_torch_vector
            return _multiply(_torch, matrix, x, out, alpha, beta, stream, from_left)
        if is_cupy(x):
            if type(x) is sys.modules["cupy"].ndarray:
                _vector_products[type(x)] = _multiply_cupy_vector
            return _multiply(_cupy, matrix, x, out, alpha, beta, stream, from_left)
    except RuntimeError:  # torch raises it for tensors without memory; to check before takes time
        check_memory(x, "x")
        check_memory(out, "out")
        raise
    if hasattr(x, "__cuda_array_interface__"):
        raise ArgumentTypeError(f"x is a {type(x).__name__} in device memory: pass cupy.asarray(x)")
    if hasattr(x, "tocsr"):
        raise ArgumentTypeError("x is sparse: products of two sparse matrices are not supported")
    if not isinstance(x, numpy.ndarray):
        x = numpy.asarray(x)
    return matrix._multiply(x, _numpy_out(out), alpha, beta, stream, from_left)


def _numpy_out(out):
    if out is None or isinstance(out, numpy.ndarray):
        return out
    raise ArgumentTypeError(f"out is a {type(out).__name__}, but x is a NumPy array")


def refuse_tangent(tensor, name):
    """Raises an error if forward-mode differentiation is active and has a tangent for this tensor."""
    forward_ad = sys.modules["torch"].autograd.forward_ad
    if forward_ad._current_level < 0:
        return
    try:
        tangent = forward_ad.unpack_dual(tensor).tangent
    except RuntimeError:  # of torch 2.11 inside custom operators, where tensors have no tangents
        return
    if tangent is not None:
        raise ArgumentTypeError(
            f"{name} has a tangent of forward-mode differentiation, which products do not compute: pass {name}.detach()"
        )


class _torch:
    """What the product needs to know about a torch tensor. Strides are in elements."""

    @staticmethod
    def check(x, type_name):
        torch = sys.modules["torch"]
        if x.dtype is not getattr(torch, type_name):
            raise ArgumentTypeError(f"x has dtype {x.dtype}, the matrix has {type_name}: pass x.to(torch.{type_name})")
        if x.requires_grad and torch.is_grad_enabled():
            raise ArgumentTypeError("x requires a gradient, which G @ x does not compute: pass x.detach()")
        refuse_tangent(x, "x")

    @staticmethod
    def check_out(out):
        if out.requires_grad and sys.modules["torch"].is_grad_enabled():
            raise ArgumentTypeError("out requires a gradient, which the product does not compute: pass out.detach()")
        refuse_tangent(out, "out")

    @staticmethod
    def was_written(out):
        sys.modules["torch"].autograd.graph.increment_version(out)  # autograd then refuses a saved `out`

    @staticmethod
    def device(x):
        return device_of(x)

    @staticmethod
    def is_negated(x):
        """True if the elements in memory are those of -x: torch negates some views when they are read."""
        return x.is_neg()

    @staticmethod
    def strides(x):
        return x.stride()

    @staticmethod
    def address(x):
        return x.data_ptr()

    @staticmethod
    def copy(x):
        return x.resolve_neg().contiguous()

    @staticmethod
    def empty(x, shape, fortran):
        return x.new_empty(shape[::-1]).t() if fortran else x.new_empty(shape)

    @staticmethod
    def stream(device):
        return sys.modules["torch"]._C._cuda_getCurrentRawStream(device)  # a tenth of the public way's time

    is_array = staticmethod(is_torch)


class _cupy:
    """The same of a CuPy array."""

    @staticmethod
    def check(x, type_name):
        if x.dtype.name != type_name:
            raise ArgumentTypeError(f'x has dtype {x.dtype}, the matrix has {type_name}: pass x.astype("{type_name}")')

    @staticmethod
    def check_out(out):
        pass

    @staticmethod
    def was_written(out):
        pass

    @staticmethod
    def device(x):
        return x.device.id

    @staticmethod
    def is_negated(x):
        return False

    @staticmethod
    def strides(x):
        return tuple(stride // x.itemsize for stride in x.strides)

    @staticmethod
    def address(x):
        return x.data.ptr

    @staticmethod
    def copy(x):
        return sys.modules["cupy"].ascontiguousarray(x)

    @staticmethod
    def empty(x, shape, fortran):
        with x.device:
            return sys.modules["cupy"].empty(shape, x.dtype, order="F" if fortran else "C")

    @staticmethod
    def stream(device):
        return sys.modules["cupy"].cuda.get_current_stream(device).ptr

    is_array = staticmethod(is_cupy)


# The most frequent case, a contiguous vector on the matrix's device that can be used as it is, takes less
# than half of the time that _multiply() would take. These return None in all other cases.


def _multiply_torch_vector(matrix, x, alpha, from_left):
    torch = sys.modules["torch"]
    rows, cols, type_name, device = matrix._facts
    if from_left:
        rows, cols = cols, rows
    is_plain = (
        x.dtype is getattr(torch, type_name)
        and x.shape == (cols,)
        and x.stride() == (1,)
        and (x.is_cpu if device < 0 else x.is_cuda and x.get_device() == device)
        and not (x.requires_grad or x.is_neg())
        and sys.modules["torch.autograd.forward_ad"]._current_level < 0
    )
    if not is_plain:
        return None
    y = x.new_empty(rows)
    stream = torch._C._cuda_getCurrentRawStream(device) if device >= 0 else 0
    matrix._multiply_vector_at(from_left, alpha, x.data_ptr(), y.data_ptr(), stream)
    return y


def _multiply_cupy_vector(matrix, x, alpha, from_left):
    cupy = sys.modules["cupy"]
    rows, cols, type_name, device = matrix._facts
    if from_left:
        rows, cols = cols, rows
    dtype, memory = x.dtype, x.data
    is_plain = (
        dtype.char == _TYPE_LETTERS[type_name]  # dtype.name takes ten times as long
        and x.shape == (cols,)
        and x.strides == (dtype.itemsize,)
        and memory.device_id == device
    )
    if not is_plain:
        return None
    y = cupy.ndarray((rows,), dtype)  # on the current device
    result = y.data
    if result.device_id != device:
        return None
    stream = cupy.cuda.get_current_stream(device).ptr
    matrix._multiply_vector_at(from_left, alpha, memory.ptr, result.ptr, stream)
    return y


def _multiply(library, matrix, x, out, alpha, beta, stream, from_left):
    library.check(x, matrix._facts[2])
    device = library.device(x)
    if device is not None and device != matrix._device:
        raise InvalidArgumentError(f'x is on cuda:{device}, the matrix on {matrix.device}: make it with device="cuda:{device}"')
    rows, cols = matrix.shape
    if from_left:
        rows, cols = cols, rows
    shape = tuple(x.shape)
    if len(shape) not in (1, 2):
        raise InvalidArgumentError(f"x has {len(shape)} dimensions, not 1 or 2")
    if shape[-1 if from_left else 0] != cols:
        side = "columns" if from_left else "rows"
        raise SizeMismatchError(f"x has shape {shape}, but {side} of x have to have {cols} elements")

    columns, x_leading, x_row_major = _describe(shape, library.strides(x), from_left)
    if x_leading == 0 or library.is_negated(x):
        if stream is not None:  # the copy would be in another stream
            raise InvalidArgumentError("with stream=, x has to be a row-major or column-major matrix, or a vector")
        x = library.copy(x)
        columns, x_leading, x_row_major = _describe(shape, library.strides(x), from_left)
    if len(shape) == 1:
        y_shape = (rows,)
    else:
        y_shape = (shape[0], rows) if from_left else (rows, shape[1])
    is_new = out is None
    if is_new:
        if beta != 0:
            raise InvalidArgumentError("beta is not 0, but there is no out to add to")
        out = library.empty(x, y_shape, len(shape) == 2 and x_row_major == from_left)
    else:
        _check_out(library, out, y_shape, x, device)
    y_columns, y_leading, y_row_major = _describe(y_shape, library.strides(out), from_left)
    if y_leading == 0:
        raise InvalidArgumentError("out has strides of no row-major or column-major matrix")
    matrix._multiply_at(
        from_left,
        max(columns, y_columns),
        alpha,
        library.address(x),
        x_leading,
        x_row_major,
        beta,
        library.address(out),
        y_leading,
        y_row_major,
        device is not None,
        0 if device is None else _stream(library, stream, device),
    )
    if not is_new:
        library.was_written(out)
    return out


def _check_out(library, out, shape, x, device):
    if not library.is_array(out):
        raise ArgumentTypeError(f"out is a {type(out).__name__}, x is a {type(x).__name__}")
    if tuple(out.shape) != shape:
        raise SizeMismatchError(f"out has shape {tuple(out.shape)}, the product has {shape}")
    if out.dtype != x.dtype:
        raise ArgumentTypeError(f"out has dtype {out.dtype}, the product has {x.dtype}")
    if library.device(out) != device:
        raise InvalidArgumentError("out and x are on different devices")
    if library.is_negated(out):
        raise InvalidArgumentError("out is a view that torch negates when it is read: pass out.resolve_neg()")
    library.check_out(out)


def _stream(library, stream, device):
    """The address of a CUDA stream: that of the argument, or the current one of x's library."""
    if stream is None:
        return library.stream(device)
    for name in ("cuda_stream", "ptr"):  # of torch and of CuPy
        if hasattr(stream, name):
            return getattr(stream, name)
    if not isinstance(stream, int):
        raise ArgumentTypeError(f"stream = {stream!r} is no stream of CuPy or torch, and no address of one")
    return stream


def current_stream(array):
    """The address of the current stream of the array's library; 0 for an array in host memory."""
    if is_torch(array) and array.is_cuda:
        return _torch.stream(array.device.index)
    return _cupy.stream(array.device.id) if is_cupy(array) else 0


def _describe(shape, strides, transposed):
    """The array, or its transpose, as a dense matrix: (columns, leading dimension, whether it is row-major).

    columns is -1 for a contiguous vector. The leading dimension is 0 if the strides are those of no such
    matrix.
    """
    if len(shape) == 1:
        if strides[0] == 1 or shape[0] <= 1:
            return -1, max(shape[0], 1), False
        return 1, max(strides[0], 0), True
    rows, cols = shape
    down, across = strides
    if transposed:
        rows, cols, down, across = cols, rows, across, down
    if rows == 0 or cols == 0:  # such arrays have any strides
        return cols, max(rows, 1), False
    if cols == 1 or across == 1:
        if rows == 1:
            return cols, cols, True
        if down >= cols:
            return cols, down, True
    if rows == 1 or down == 1:
        if across >= rows:
            return cols, across, False
    return cols, 0, True
