# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrix-vector products at the speed of memory, on CPUs and CUDA GPUs.

>>> import gossamer, numpy, scipy.sparse
>>> A = scipy.sparse.csr_array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
>>> G = gossamer.matrix(A)
>>> G @ numpy.array([1.0, 2.0, 3.0])
array([5., 6.])
"""

from . import _gossamer
from .errors import Error, make_error
from .foreign import multiply as _foreign_multiply

_gossamer.set_exception_factory(make_error)
_gossamer.set_foreign_multiply(_foreign_multiply)

from .epilogue import Epilogue
from .linear_operator import aslinearoperator
from .matrix import Matrix, matrix

__all__ = ["Epilogue", "Error", "Matrix", "aslinearoperator", "cuda_device_count", "formats", "matrix"]

_version = _gossamer.version()
__version__ = f"{_version // 10000}.{_version // 100 % 100}.{_version % 100}"


def formats() -> list[str]:
    """The names that `format` of gossamer.matrix() may have, besides "auto" and "tuned".

    >>> "csr" in gossamer.formats()
    True
    """
    return _gossamer.format_names()


def cuda_device_count() -> int:
    """The number of usable CUDA devices: 0 without a GPU or driver, and in a build without CUDA."""
    return _gossamer.cuda_device_count()
