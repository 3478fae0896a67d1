# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that are timed: a class for each, and for Gossamer with each kind of array."""

import functools
import importlib
import inspect
from typing import Tuple

from ..linear_operator import aslinearoperator
from ..matrix import matrix

PRODUCTS = ("A @ x", "A.T @ x", "A @ X")
CG = "cg"
COLUMNS = 8  # of X
CG_STEPS = 100
NOT_INSTALLED = "is not installed"


class Case:
    """A matrix in CSR on the host, the device of its products, and what several libraries share."""

    def __init__(self, A, device):
        self.A, self.device = A, device

    @functools.cached_property
    def transposed(self):
        return self.A.T.tocsr()

    @functools.cached_property
    def gossamer_matrix(self):
        return matrix(self.A, operations="both", device=self.device)

    @functools.cached_property
    def gossamer_matrix_for_columns(self):
        return matrix(self.A, vectors=COLUMNS, device=self.device)


class Library:
    """Made for a Case, whose matrix it converts to its own form.

    Classes have multiplication(operation, x), and for cg `operand`, what cg multiplies by.
    """

    name = ""
    module = ""  # it has to be installed
    devices: Tuple[str, ...] = ("cpu",)
    has_cg = False
    is_gossamer = False
    baseline = "gossamer"  # the name of Gossamer with the same kind of array

    @classmethod
    def does(cls, operation):
        return operation != CG or cls.has_cg

    @classmethod
    def why_absent(cls, device):
        """The reason why the library cannot be used on the device; None if it can."""
        try:
            importlib.import_module(cls.module)
        except (ImportError, OSError) as error:
            if getattr(error, "name", None) == cls.module:
                return f"{cls.module} {NOT_INSTALLED}"
            return f"{cls.module} cannot be imported: {first_line(error)}"
        return cls.why_unusable(device)

    @classmethod
    def why_unusable(cls, device):
        return None

    def __init__(self, case):
        self.case = case

    def product(self, operation, x):
        """A function without arguments that does the operation once, with x in the library's own kind of array."""
        x = self.to_array(x)
        return self.solver(x) if operation == CG else self.multiplication(operation, x)

    def to_array(self, x):
        return x

    def wait(self):
        """Returns when all products are finished."""


class _NumPyArrays(Library):
    module = "scipy"
    has_cg = True

    def solver(self, b):
        from scipy.sparse.linalg import cg

        return _cg_steps(cg, self.operand, b)


class _CuPyArrays(Library):
    """In the current device and stream of CuPy."""

    module = "cupy"
    devices = ("cuda",)
    has_cg = True

    @classmethod
    def why_unusable(cls, device):
        import cupy

        return None if cupy.is_available() else "cupy finds no usable GPU"

    def __init__(self, case):
        import cupy

        super().__init__(case)
        self.cupy = cupy

    def to_array(self, x):
        return self.cupy.asarray(x)

    def wait(self):
        self.cupy.cuda.Device().synchronize()

    def solver(self, b):
        from cupyx.scipy.sparse.linalg import cg

        return _cg_steps(cg, self.operand, b)


class _TorchTensors(Library):
    module = "torch"
    devices = ("cpu", "cuda")

    @classmethod
    def why_unusable(cls, device):
        import torch

        return "torch finds no usable GPU" if device == "cuda" and not torch.cuda.is_available() else None

    def __init__(self, case):
        import torch

        super().__init__(case)
        self.torch = torch

    def to_array(self, x):
        return self.torch.as_tensor(x).to(self.case.device)

    def wait(self):
        if self.case.device == "cuda":
            self.torch.cuda.synchronize()


class SciPy(_NumPyArrays):
    name = "scipy"

    def multiplication(self, operation, x):
        A = self.case.transposed if operation == "A.T @ x" else self.case.A
        return lambda: A @ x

    @property
    def operand(self):
        return self.case.A


class SparseDotMKL(_NumPyArrays):
    name = module = "sparse_dot_mkl"
    has_cg = False

    def multiplication(self, operation, x):
        from sparse_dot_mkl import dot_product_mkl

        A = self.case.transposed if operation == "A.T @ x" else self.case.A
        return lambda: dot_product_mkl(A, x)


class CuPy(_CuPyArrays):
    name = "cupy"

    def multiplication(self, operation, x):
        A = self.operand
        return (lambda: A.T @ x) if operation == "A.T @ x" else (lambda: A @ x)

    @functools.cached_property
    def operand(self):
        from cupyx.scipy.sparse import csr_matrix

        A = self.case.A
        return csr_matrix(tuple(self.to_array(part) for part in (A.data, A.indices, A.indptr)), shape=A.shape)


class Torch(_TorchTensors):
    name = "torch"
    baseline = "gossamer, torch tensors"

    def multiplication(self, operation, x):
        A = self._transposed if operation == "A.T @ x" else self._A
        return lambda: A @ x

    @functools.cached_property
    def _A(self):
        return self._tensor(self.case.A)

    @functools.cached_property
    def _transposed(self):
        return self._tensor(self.case.transposed)

    def _tensor(self, A):
        parts = (self.to_array(part) for part in (A.indptr, A.indices, A.data))
        return self.torch.sparse_csr_tensor(*parts, A.shape)


class _Gossamer(Library):
    name = "gossamer"
    is_gossamer = True

    def multiplication(self, operation, x):
        G = self.case.gossamer_matrix_for_columns if operation == "A @ X" else self.case.gossamer_matrix
        return (lambda: G.T @ x) if operation == "A.T @ x" else (lambda: G @ x)

    @property
    def operand(self):
        return aslinearoperator(self.case.gossamer_matrix)


class GossamerNumPy(_Gossamer, _NumPyArrays):
    pass


class GossamerCuPy(_Gossamer, _CuPyArrays):
    pass


class GossamerTorch(_Gossamer, _TorchTensors):
    name = "gossamer, torch tensors"


class GossamerMatmul(GossamerTorch):
    """The custom operator, with the overhead of torch's dispatcher."""

    name = "gossamer.torch.matmul"

    def multiplication(self, operation, x):
        from ..torch import matmul

        G = self.case.gossamer_matrix_for_columns if operation == "A @ X" else self.case.gossamer_matrix
        return (lambda: matmul(G.T, x)) if operation == "A.T @ x" else (lambda: matmul(G, x))


PEERS = {peer.name: peer for peer in (SciPy, SparseDotMKL, CuPy, Torch)}


def gossamer_for(peers, device):
    """Gossamer with the kinds of arrays of these peers. On a CPU always with NumPy arrays too."""
    torch = [GossamerTorch, GossamerMatmul] if Torch in peers else []
    if device == "cpu":
        return [GossamerNumPy, *torch]
    return [GossamerCuPy, *torch] if CuPy in peers else torch


def first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _cg_steps(cg, A, b):
    """CG_STEPS steps of cg. Without a tolerance it does not end before. Older versions call rtol `tol`."""
    tolerance = "rtol" if "rtol" in inspect.signature(cg).parameters else "tol"
    return lambda: cg(A, b, maxiter=CG_STEPS, atol=0.0, **{tolerance: 0.0})
