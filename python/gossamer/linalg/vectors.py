# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of solvers, checked as SciPy does: vectors of NumPy or CuPy, and numbers."""

import sys

import numpy

from ..buffers import device_of, is_cupy, is_torch
from ..errors import ArgumentTypeError, InvalidArgumentError, SizeMismatchError


def not_negative(value, name):
    """The number as a float."""
    if value is None or isinstance(value, str) or not float(value) >= 0:
        raise InvalidArgumentError(f"{name} = {value!r}; it must be a number of at least 0")
    return float(value)


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


def check_memory(b, G):
    device = device_of(b)
    if device is not None and device != G._device:
        raise InvalidArgumentError(f"b is on cuda:{device}, the matrix on {G.device}")


def start_vector(x0, G, b):
    """A contiguous copy of x0, or zeros for None: one element for each column of G, in b's library."""
    columns = G.shape[1]
    if x0 is None:
        return library_of(b).zeros(columns, G.dtype)
    x0 = real_vector(x0, "x0")
    check_length(x0, columns, "x0", G.shape)
    if is_cupy(x0) != is_cupy(b):
        raise ArgumentTypeError(f"x0 is a {type(x0).__module__} array, b a {type(b).__module__} array")
    return contiguous_copy(x0.reshape(-1), G.dtype)


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
