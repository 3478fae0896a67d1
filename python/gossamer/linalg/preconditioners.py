# SPDX-License-Identifier: BSD-3-Clause
"""The argument M of solvers: which of the library's preconditioners it is, or the function that applies it."""

import dataclasses
import math
from typing import Any

import numpy

from ..buffers import device_of, is_cupy, is_torch, to_host
from ..errors import ArgumentTypeError, InvalidArgumentError, SizeMismatchError
from ..matrix import Matrix, matrix
from .vectors import library_of


@dataclasses.dataclass(frozen=True)
class Polynomial:
    """A preconditioner for positive definite matrices: `degree` steps of Chebyshev iteration [1]_ for A z = r.

    It suits GPUs: an application is `degree` products, from 0 to 1000, and no dot product. `lower` and `upper` are
    the ends of the interval of eigenvalues that it damps. An upper of 0 stands for 1.1 times an estimate of the
    largest eigenvalue by 20 power iterations, a lower of 0 for upper / 30. The solver raises a ValueError for
    numbers that are negative or not finite, and for lower > upper.

    References
    ----------
    .. [1] Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, SIAM (2003), section 12.3.

    >>> x, info = cg(A, b, M=Polynomial(degree=4))
    >>> info
    0
    """

    degree: int = 3
    lower: float = 0
    upper: float = 0


@dataclasses.dataclass
class Preconditioner:
    """As solve_system() takes it. `vector`: a diagonal, to divide by. `function`: z = M r of arrays, or None."""

    kind: str = "none"
    vector: Any = None
    polynomial: Polynomial = Polynomial()
    function: Any = None


def preconditioner_of(M, G, b):
    """The preconditioner for the matrix G and a right-hand side b, whose library and memory the vectors have."""
    if M is None:
        return Preconditioner()
    if isinstance(M, str):
        if M != "jacobi":
            raise InvalidArgumentError(f'M = {M!r}; the only preconditioner that has a name is "jacobi"')
        return Preconditioner("jacobi")
    if isinstance(M, Polynomial):
        return Preconditioner("polynomial", polynomial=M)
    shape = getattr(M, "shape", None)
    if shape is not None and len(shape) == 1:
        return _of_vector(M, G, b)
    if shape is not None and tuple(shape) != G.shape:
        raise SizeMismatchError(f"M has shape {tuple(shape)}, the matrix has {G.shape}")
    diagonal = _diagonal_of(M)
    if diagonal is not None and math.prod(G.shape) > 0:
        return _of_vector(diagonal, G, b)
    return Preconditioner("function", function=_function_of(M, G, b))


def _of_vector(M, G, b):
    if tuple(M.shape) != (G.shape[0],):
        raise SizeMismatchError(f"M has shape {tuple(M.shape)}, the matrix has {G.shape[0]} rows")
    library = library_of(b)
    inverse = _moved(M, b, G.dtype)
    with numpy.errstate(divide="ignore"):
        diagonal = 1 / inverse
    if not bool(library.isfinite(diagonal).all()):
        raise InvalidArgumentError("M has an element that is 0 or so small that its inverse overflows")
    return Preconditioner("jacobi", vector=library.ascontiguousarray(diagonal))


def _diagonal_of(M):
    """The elements of a sparse matrix that has its diagonal and no other entries; None of others."""
    offsets = getattr(M, "offsets", None)
    if offsets is None or offsets.shape != (1,) or offsets[0] != 0:
        return None
    diagonal = M.diagonal()
    return diagonal if bool((diagonal != 0).all()) else None


def _function_of(M, G, b):
    if isinstance(M, Matrix):
        return _product_with(M, G, b)
    if hasattr(M, "matvec"):
        return M.matvec
    if hasattr(M, "tocsr"):
        return _product_with(matrix(M.tocsr(), dtype=G.dtype, device=_device_name(b)), G, b)
    if isinstance(M, numpy.ndarray) or is_cupy(M):
        dense = _moved(M, b, G.dtype)
        return lambda r: dense @ r
    if callable(M):
        return M
    raise ArgumentTypeError(
        f"M is a {type(M).__name__}: pass a sparse or dense matrix, a LinearOperator, a function, a 1-D array of "
        'the inverse diagonal, "jacobi" or a Polynomial'
    )


def _product_with(M, G, b):
    if M.dtype == G.dtype:
        return lambda r: M @ r
    return lambda r: M @ r.astype(M.dtype)


def applied(preconditioner, G, b):
    """M b, for x0 = "Mb"."""
    if preconditioner.kind == "none":
        return b.copy()
    if preconditioner.kind == "function":
        return _checked(preconditioner.function(b.copy()), b)
    if preconditioner.vector is not None:
        return b / preconditioner.vector
    if preconditioner.kind == "jacobi":
        diagonal = G.to_scipy().diagonal()
        return b / _moved(numpy.where(diagonal == 0, 1, diagonal), b, b.dtype)
    raise InvalidArgumentError('x0 = "Mb" needs another M than a Polynomial')


def apply_hook(preconditioner, b):
    """What solve_system() calls: it writes M r to z. In host memory, they are arrays; else addresses."""
    function = preconditioner.function
    if function is None:
        return None
    if not is_cupy(b):

        def apply_on_host(r, z):
            z[...] = _checked(function(r.copy()), b)

        return apply_on_host

    import cupy

    device = b.device.id

    def apply_on_device(r, z, stream):
        with cupy.cuda.Device(device), _stream_at(cupy, stream, device):
            _array_at(cupy, z, b)[...] = _checked(function(_array_at(cupy, r, b).copy()), b)

    return apply_on_device


@dataclasses.dataclass(frozen=True)
class _LibraryStream:
    """A stream of the library, for the stream protocol of CUDA's Python packages."""

    address: int

    def __cuda_stream__(self):
        return 0, self.address


def _stream_at(cupy, address, device):
    """CuPy's object for a stream of the library."""
    if hasattr(cupy.cuda.Stream, "from_external"):
        return cupy.cuda.Stream.from_external(_LibraryStream(address))
    return cupy.cuda.ExternalStream(address, device)  # deprecated since CuPy 14


def _array_at(cupy, address, b):
    memory = cupy.cuda.UnownedMemory(address, b.nbytes, b, b.device.id)
    return cupy.ndarray(b.shape, b.dtype, cupy.cuda.MemoryPointer(memory, 0))


def _checked(z, b):
    if tuple(z.shape) not in (b.shape, (*b.shape, 1)):
        raise SizeMismatchError(f"M returned an array of shape {tuple(z.shape)}, not {b.shape}")
    return z.reshape(b.shape)


def _device_name(b):
    device = device_of(b)
    return "cpu" if device is None else f"cuda:{device}"


def _moved(array, b, dtype):
    """The array in b's library, with elements of `dtype`."""
    if is_torch(array) or (is_cupy(array) and not is_cupy(b)):
        array = to_host(array)
    return library_of(b).asarray(array).astype(dtype, copy=False)
