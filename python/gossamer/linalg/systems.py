# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of the solvers for A x = b, checked as SciPy does, and the call of the library."""

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy

from .. import _gossamer
from ..buffers import device_of, is_cupy, is_torch
from ..errors import ArgumentTypeError, InvalidArgumentError, SizeMismatchError
from .operators import prepared
from .preconditioners import Preconditioner, applied, apply_hook, preconditioner_of


@dataclass
class System:
    """A x = b. b and x are contiguous arrays of the matrix's type; x is the start, and becomes the solution."""

    matrix: Any
    b: Any
    x: Any
    starts_at_zero: bool
    preconditioner: Preconditioner
    residual: float = math.nan  # its norm, after solve()

    @classmethod
    def of(cls, A, b, x0, M, solver):
        b = real_vector(b, "b")
        shape = getattr(A, "shape", None)
        if shape is not None and len(shape) == 2:
            if shape[0] != shape[1]:
                raise SizeMismatchError(f"A has shape {tuple(shape)}; {solver} needs a square matrix")
            check_length(b, shape[0], "b", shape)
        G = prepared(A, b, solver)
        check_length(b, G.shape[0], "b", G.shape)
        check_memory(b, G, "b")
        b = as_type(b.reshape(-1), G.dtype)
        preconditioner = preconditioner_of(M, G, b)
        if x0 is None:
            x = library_of(b).zeros_like(b)
        elif isinstance(x0, str):
            if x0 != "Mb":
                raise InvalidArgumentError(f'x0 = {x0!r}; it may be an array, None or "Mb"')
            x = contiguous_copy(applied(preconditioner, G, b), G.dtype)
        else:
            x0 = real_vector(x0, "x0")
            check_length(x0, G.shape[0], "x0", G.shape)
            if is_cupy(x0) != is_cupy(b):
                raise ArgumentTypeError(f"x0 is a {type(x0).__module__} array, b a {type(b).__module__} array")
            x = contiguous_copy(x0.reshape(-1), G.dtype)
        return cls(G, b, x, x0 is None, preconditioner)

    def solve(self, solver, rtol, atol, maxiter, callback, check_every):
        """Calls the library's solver. Returns (status, iterations, norm of the residual)."""
        preconditioner = self.preconditioner
        polynomial = preconditioner.polynomial
        stream = current_stream(self.b)
        return _gossamer.solve_system(
            solver=solver,
            matrix=self.matrix,
            b=address_of(self.b),
            x=address_of(self.x),
            on_device=is_cupy(self.b),
            stream=stream,
            rtol=rtol,
            atol=atol,
            maxiter=None if maxiter is None else int(maxiter),
            zero_start=self.starts_at_zero,
            check_every=check_every,
            kind=preconditioner.kind,
            diagonal=0 if preconditioner.vector is None else address_of(preconditioner.vector),
            degree=polynomial.degree,
            lower=polynomial.lower,
            upper=polynomial.upper,
            apply=apply_hook(preconditioner, self.b),
            callback=None if callback is None else lambda: callback(self.x.copy()),
        )


def real_vector(given, name):
    """A NumPy or CuPy array of real numbers; lists become NumPy arrays."""
    if is_torch(given):
        raise ArgumentTypeError(f"{name} is a torch tensor: pass {name}.numpy(), or cupy.asarray({name}) on a GPU")
    array = given if is_cupy(given) else numpy.asarray(given)
    if array.dtype.kind not in "fiub":
        raise ArgumentTypeError(f"{name} has elements of {array.dtype}: only real numbers are supported")
    return array


def check_length(vector, size, name, shape):
    if vector.shape not in ((size,), (size, 1)):
        raise SizeMismatchError(
            f"{name} has shape {vector.shape}; a matrix of shape {tuple(shape)} needs ({size},) or ({size}, 1)"
        )


def check_memory(b, G, name):
    device = device_of(b)
    if device is not None and device != G._device:
        raise InvalidArgumentError(f"{name} is on cuda:{device}, the matrix on {G.device}")


def as_type(vector, dtype):
    """Contiguous, with elements of `dtype`; the vector itself if it is so already."""
    return library_of(vector).ascontiguousarray(vector, dtype=dtype)


def contiguous_copy(vector, dtype):
    return library_of(vector).array(vector, dtype=dtype, order="C").reshape(-1)


def library_of(array):
    return sys.modules["cupy"] if is_cupy(array) else numpy


def address_of(array):
    return array.data.ptr if is_cupy(array) else array.ctypes.data


def current_stream(array):
    """The address of CuPy's current stream for a vector in device memory, else 0."""
    if not is_cupy(array):
        return 0
    return sys.modules["cupy"].cuda.get_current_stream(array.device.id).ptr

