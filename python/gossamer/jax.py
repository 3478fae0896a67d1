# SPDX-License-Identifier: BSD-3-Clause
"""Products of a `gossamer.matrix` with JAX arrays: for `jit`, `grad` and `vmap`, on CPUs and CUDA devices."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

from . import _gossamer
from .errors import ArgumentTypeError
from .matrix import Matrix

__all__ = ["matmul"]

_TARGET = "gossamer_multiply"

if not hasattr(_gossamer, "jax_handlers"):
    raise ImportError(
        "gossamer was built without JAX support: install it with -C cmake.define.GOSSAMER_JAX_INCLUDE=FOLDER, "
        "where FOLDER is what jax.ffi.include_dir() returns"
    )
for _platform, _handler in _gossamer.jax_handlers().items():
    jax.ffi.register_ffi_target(_TARGET, _handler, platform=_platform)


def matmul(matrix: Matrix, x: Any) -> Any:
    """The product ``matrix @ x`` of a `gossamer.matrix` of shape (m, n) and a JAX array.

    x has shape (n,) or (n, k) and the matrix's dtype, and is on the matrix's device: for JAX on a GPU, make the
    matrix with device="cuda". The result has shape
    (m,) or (m, k). The gradient with respect to x is a product with the transpose; the values are constants.
    `vmap` over vectors becomes one product with several columns. Without jax_enable_x64, JAX's arrays are
    float32: then make the matrix with dtype="float32".

    Compiled functions do not keep the matrix alive: keep a reference to it. If it was deleted, they raise an
    error. Before update(), wait for products in flight: jax.block_until_ready(y).

    Raises TypeError for another dtype or if `matrix` is no gossamer.Matrix, and ValueError for another shape.

    >>> import jax, jax.numpy as jnp, gossamer, scipy.sparse
    >>> import gossamer.jax
    >>> G = gossamer.matrix(scipy.sparse.csr_array([[1.0, 2.0], [0.0, 3.0]]), dtype="float32")
    >>> jax.jit(lambda x: gossamer.jax.matmul(G, x))(jnp.ones(2))
    Array([3., 3.], dtype=float32)
    """
    if not isinstance(matrix, Matrix):
        raise ArgumentTypeError(
            f"the first argument is a {type(matrix).__name__}, not a gossamer.Matrix: make one with gossamer.matrix()"
        )
    if x.ndim not in (1, 2) or x.shape[0] != matrix.shape[1]:
        raise ValueError(f"x has shape {x.shape}; with a matrix of shape {matrix.shape} it must be "
                         f"({matrix.shape[1]},) or ({matrix.shape[1]}, k)")
    if x.dtype != matrix.dtype:
        raise TypeError(f"x has dtype {x.dtype}, the matrix {matrix.dtype}")
    return _product(matrix, False, x)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _product(matrix, transposed, x):
    number, op = _gossamer.jax_number(matrix, transposed)
    rows = matrix.shape[1 if transposed else 0]
    row_major = x.ndim == 2
    call = jax.ffi.ffi_call(
        _TARGET, jax.ShapeDtypeStruct((rows, *x.shape[1:]), x.dtype),
        vmap_method="sequential" if row_major else "broadcast_all")
    return call(x, number=np.int64(number), op=np.int64(op), row_major=row_major)


def _forward(matrix, transposed, x):
    return _product(matrix, transposed, x), None


def _backward(matrix, transposed, _, gradient):
    return (_product(matrix, not transposed, gradient),)


_product.defvjp(_forward, _backward)
