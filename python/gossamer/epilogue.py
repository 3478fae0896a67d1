# SPDX-License-Identifier: BSD-3-Clause
"""Epilogues: what a product does with y before it writes it."""

import numbers
import sys
from dataclasses import dataclass
from typing import Any, Sequence, Tuple

import numpy

from .buffers import TYPE_NAMES, buffer_of, device_of, is_cupy, is_torch
from .errors import ArgumentTypeError, InvalidArgumentError, SizeMismatchError


@dataclass(frozen=True)
class Epilogue:
    """What Matrix.multiply() does with each element of y before it writes it, in this order:

        t     = alpha (A x)_i + beta z_i
        t     = scale_i t + gamma u_i
        v     = min(max(t, bounds_factor lower_i), bounds_factor upper_i)
        y_i   = v, or t - v if `outside` is true
        out_i = out_y_factor y_i + out_add_factor add_i
        dots  : up to two sums of y_i w_i

    Parts that are None are left out: z is then `out` of multiply(), scale_i is 1, u is 0. If the factor of x, z, u
    or `add` is 0, this vector has no effect.

    z, scale, u, lower, upper, add : arrays of shape (rows,), of x's library and device and the matrix's dtype. They
        may be y, x or `out`.
    gamma : a number, or an array of one element that is read when the product runs
    bounds_factor : a number. A negative one exchanges the bounds: `lower` then holds the upper bounds. The bounds
        are read even if it is 0.
    outside : if true, y_i is the part of t outside the bounds
    out : a second array of shape (rows,) that is written. It must not overlap x and y.
    out_y_factor, out_add_factor : numbers
    dots : up to two pairs (w, result). w is an array of shape (rows,), or "y" for y itself. `result` is an array
        of one float64, in the memory of x, that receives the sum.

    In device memory, the product is asynchronous, and so are the results of dot products. multiply() raises a
    ValueError for a wrong length or device, for memory that overlaps in other ways, for an output that is not
    contiguous, and for more than two dot products. It raises a TypeError for another library or dtype.

    >>> r, norm = numpy.empty(2), numpy.empty(1)
    >>> b = numpy.array([5.0, 5.0])
    >>> residual = gossamer.Epilogue(z=b, dots=[("y", norm)])
    >>> G.multiply(numpy.ones(3), out=r, alpha=-1, beta=1, epilogue=residual)
    array([2., 2.])
    >>> norm
    array([8.])
    """

    z: Any = None
    scale: Any = None
    u: Any = None
    gamma: Any = 1
    lower: Any = None
    upper: Any = None
    bounds_factor: float = 1
    outside: bool = False
    out: Any = None
    out_y_factor: float = 1
    add: Any = None
    out_add_factor: float = 1
    dots: Sequence[Tuple[Any, Any]] = ()


def multiply(matrix, x, out, alpha, beta, stream, epilogue):
    """The product of Matrix.multiply() with an epilogue. Returns y."""
    if not isinstance(epilogue, Epilogue):
        raise ArgumentTypeError(f"epilogue is a {type(epilogue).__name__}, not a gossamer.Epilogue")
    vectors = _Vectors(matrix, x)
    rows, cols = matrix.shape
    x_address = vectors.read(x, "x", cols)
    if out is None:
        if epilogue.z is None and not (isinstance(beta, numbers.Real) and beta == 0):
            raise InvalidArgumentError("beta is not 0, but there is no out or z to add")
        out = vectors.empty(rows)
    y_address = vectors.written(out, "out", rows)
    dots = list(epilogue.dots)
    if len(dots) > 2:
        raise InvalidArgumentError(f"epilogue.dots has {len(dots)} pairs; at most 2 are possible")
    pairs = [
        (out if isinstance(w, str) and w == "y" else w, result) for w, result in dots + [(None, None)] * (2 - len(dots))
    ]
    alpha, alpha_at = vectors.factor(alpha, "alpha")
    beta, beta_at = vectors.factor(beta, "beta")
    gamma, gamma_at = vectors.factor(epilogue.gamma, "gamma")
    addresses = [vectors.read(getattr(epilogue, name), name, rows) for name in ("z", "scale", "u", "lower", "upper")]
    addresses.append(vectors.written(epilogue.out, "epilogue.out", rows))
    addresses.append(vectors.read(epilogue.add, "add", rows))
    addresses += [vectors.read(w, "the vector of a dot product", rows) for w, _ in pairs]
    addresses += [vectors.result(result) for _, result in pairs]
    matrix._finish_at(
        False,
        alpha,
        x_address,
        beta,
        y_address,
        addresses + [alpha_at, beta_at, gamma_at],
        gamma,
        epilogue.bounds_factor,
        bool(epilogue.outside),
        epilogue.out_y_factor,
        epilogue.out_add_factor,
        vectors.device is not None,
        vectors.stream(stream),
    )
    return out


class _Vectors:
    """The arrays of one product, which are of x's library and device. Keeps copies alive until it returns."""

    def __init__(self, matrix, x):
        self.dtype = numpy.dtype(TYPE_NAMES[matrix._value_type])
        self.x = x if is_torch(x) or is_cupy(x) else numpy.asarray(x)
        self.device = device_of(self.x)
        if self.device is not None and self.device != matrix._device:
            raise InvalidArgumentError(f"x is on cuda:{self.device}, the matrix on {matrix.device}")
        self.kept = []

    def read(self, vector, name, size):
        """The address, 0 for None. An array that is not contiguous is copied."""
        return 0 if vector is None else self._buffer(vector, name, size, self.dtype).address

    def written(self, vector, name, size):
        return 0 if vector is None else self._written(vector, name, size, self.dtype)

    def result(self, element):
        return 0 if element is None else self._written(element, "the result of a dot product", 1, numpy.dtype("float64"))

    def factor(self, value, name):
        """(number, 0), or (0, address) of an array with one element."""
        if isinstance(value, numbers.Real):
            return float(value), 0
        if not hasattr(value, "shape"):
            raise ArgumentTypeError(f"{name} = {value!r} is no real number, and no array of one element")
        return 0.0, self._buffer(value.reshape(-1), name, 1, self.dtype).address

    def empty(self, size):
        if is_torch(self.x):
            return self.x.new_empty(size)
        if is_cupy(self.x):
            with self.x.device:
                return sys.modules["cupy"].empty(size, self.dtype)
        return numpy.empty(size, self.dtype)

    def stream(self, given):
        """The address of a CUDA stream: the argument, or the current stream of x's library."""
        from .foreign import _stream, current_stream

        return current_stream(self.x) if given is None or self.device is None else _stream(None, given, self.device)

    def _written(self, vector, name, size, dtype):
        buffer = self._buffer(vector, name, size, dtype)
        own = vector.data_ptr() if is_torch(vector) else vector.data.ptr if is_cupy(vector) else vector.ctypes.data
        if buffer.address != own:
            raise InvalidArgumentError(f"{name} is not contiguous")
        return buffer.address

    def _buffer(self, vector, name, size, dtype):
        if is_torch(vector) != is_torch(self.x) or is_cupy(vector) != is_cupy(self.x):
            raise ArgumentTypeError(f"{name} is a {type(vector).__name__}, x is a {type(self.x).__name__}")
        if device_of(vector) != self.device:
            raise InvalidArgumentError(f"{name} and x are on different devices")
        buffer = buffer_of(vector, name)
        if buffer.dtype != dtype:
            raise ArgumentTypeError(f"{name} has dtype {buffer.dtype}, not {dtype}")
        if buffer.size != size:
            raise SizeMismatchError(f"{name} has {buffer.size} elements, not {size}")
        self.kept.append(buffer)
        return buffer
