# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems for tests of solvers, and the libraries that the same tests run against."""

import dataclasses

import numpy
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg

import gossamer.linalg


@dataclasses.dataclass
class System:
    """A x = b. `kind` is "definite", "symmetric" (and indefinite) or "general"."""

    name: str
    A: sparse.csr_array
    b: numpy.ndarray
    kind: str

    @property
    def solvers(self):
        return {"definite": ["cg", "minres", "bicgstab"], "symmetric": ["minres", "bicgstab"], "general": ["bicgstab"]}[
            self.kind
        ]

    def residual(self, x):
        """||b - A x||, in double precision."""
        return numpy.linalg.norm(self.b.astype("float64") - self.A.astype("float64") @ x.astype("float64"))


def path_laplacian(n):
    """tridiag(-1, 2, -1): the second difference in one dimension."""
    return sparse.diags_array([numpy.full(n, 2.0), -numpy.ones(n - 1), -numpy.ones(n - 1)], offsets=[0, 1, -1]).tocsr()


def grid_laplacian(n):
    """The five-point stencil on n x n points."""
    one, identity = path_laplacian(n), sparse.eye_array(n)
    return (sparse.kron(one, identity) + sparse.kron(identity, one)).tocsr()


def gram_matrix(n, seed):
    """A dense positive definite matrix, F F^T + I."""
    factor = numpy.random.default_rng(seed).uniform(-1, 1, (n, n))
    return sparse.csr_array(factor @ factor.T + numpy.eye(n))


def _systems():
    random = numpy.random.default_rng(60)
    ramp = lambda n: numpy.arange(1.0, n + 1)
    symmetric = random.uniform(-1, 1, (6, 6))
    diagonal = numpy.array([7.0, -2.0, 3.0, -6.0, 1.0, 9.0, -4.0, 5.0])
    dense = sparse.csr_array(random.uniform(-1, 1, (5, 5)) + 3 * numpy.eye(5))
    bidiagonal = sparse.diags_array([numpy.full(12, 2.0), -numpy.ones(11)], offsets=[0, -1]).tocsr()
    return [
        System("path", path_laplacian(40), ramp(40), "definite"),
        System("grid", grid_laplacian(9), random.uniform(-1, 1, 81), "definite"),
        System("gram", gram_matrix(9, 1), ramp(9), "definite"),
        System("one", sparse.csr_array([[4.0]]), numpy.array([2.0]), "definite"),
        System("negative path", -path_laplacian(40), ramp(40), "symmetric"),
        System("diagonal", sparse.diags_array(diagonal).tocsr(), ramp(8), "symmetric"),
        System("dense symmetric", sparse.csr_array(symmetric + symmetric.T), ramp(6), "symmetric"),
        System("dense", dense, ramp(5), "general"),
        System("bidiagonal", bidiagonal, ramp(12), "general"),
    ]


SYSTEMS = _systems()
CASES = [pytest.param(name, system, id=f"{name}-{system.name}") for system in SYSTEMS for name in system.solvers]
SOLVERS = ["cg", "bicgstab", "minres"]


class SciPy:
    """The solvers that Gossamer's have to agree with."""

    name = "scipy"
    is_prepared = False  # True: matrix() makes one of a type that stays
    linalg = scipy.sparse.linalg

    def matrix(self, A):
        return A

    def vector(self, x):
        return numpy.array(x)

    def host(self, x):
        assert isinstance(x, numpy.ndarray)
        return x

    def sparse(self, M):
        """A sparse matrix of the library of its vectors."""
        return sparse.csr_array(M)

    def operator(self, shape, product):
        """A LinearOperator of the library of its vectors."""
        return scipy.sparse.linalg.LinearOperator(shape, product, dtype="float64")


class OnCpu(SciPy):
    """gossamer.linalg with a prepared matrix and NumPy vectors."""

    name = "gossamer"
    is_prepared = True

    def __init__(self):
        self.linalg = gossamer.linalg

    def matrix(self, A):
        return gossamer.matrix(A.astype("float64") if A.dtype.kind != "f" else A, operations="both")


class Unprepared(OnCpu):
    """gossamer.linalg with the matrix of SciPy."""

    name = "gossamer, scipy matrix"
    is_prepared = False

    def matrix(self, A):
        return A


class OnGpu:
    """gossamer.linalg with a matrix on a GPU and CuPy vectors."""

    name = "gossamer, cupy"
    is_prepared = True

    def __init__(self):
        self.linalg = gossamer.linalg
        self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed")

    def matrix(self, A):
        return gossamer.matrix(A.astype("float64") if A.dtype.kind != "f" else A, operations="both", device="cuda")

    def vector(self, x):
        return self.cupy.array(x)

    def host(self, x):
        assert isinstance(x, self.cupy.ndarray)
        return x.get()

    def sparse(self, M):
        import cupyx.scipy.sparse

        return cupyx.scipy.sparse.csr_matrix(sparse.csr_array(M))

    def operator(self, shape, product):
        import cupyx.scipy.sparse.linalg

        return cupyx.scipy.sparse.linalg.LinearOperator(shape, product, dtype="float64")


class UnpreparedOnGpu(OnGpu):
    """gossamer.linalg with a matrix of CuPy and CuPy vectors."""

    name = "gossamer, cupy matrix"
    is_prepared = False

    def matrix(self, A):
        # CuPy has no sparse matrices of integers.
        return A if 0 in A.shape else self.sparse(A.astype("float64") if A.dtype.kind != "f" else A)


class OnGpuFromHost(OnGpu):
    """gossamer.linalg with a matrix on a GPU and NumPy vectors."""

    name = "gossamer, gpu and numpy"
    vector, host, sparse, operator = SciPy.vector, SciPy.host, SciPy.sparse, SciPy.operator


LIBRARIES = [
    pytest.param(kind, id=kind.name, marks=pytest.mark.gpu if issubclass(kind, OnGpu) else ())
    for kind in (SciPy, OnCpu, Unprepared, OnGpu, UnpreparedOnGpu, OnGpuFromHost)
]


class Recorder:
    """A callback that keeps copies of what it is called with."""

    def __init__(self, library):
        self.library = library
        self.iterates = []

    def __call__(self, x):
        self.iterates.append(numpy.array(self.library.host(x)))

    @property
    def count(self):
        return len(self.iterates)


def solve(library, name, A, b, **options):
    """Calls the solver with the library's matrix and vectors; x is a NumPy array."""
    if isinstance(options.get("x0"), numpy.ndarray):
        options["x0"] = library.vector(options["x0"])
    x, info = getattr(library.linalg, name)(library.matrix(A), library.vector(b), **options)
    assert isinstance(info, (int, numpy.integer))
    return library.host(x), info


def easy():
    """Positive definite, so each solver may have it."""
    return System("easy", gram_matrix(12, 2), numpy.arange(1.0, 13.0), "definite")


def widens(library, name):
    """SciPy's minres returns float64 for float32 input, since its scalars are float64."""
    return library.name == "scipy" and name == "minres"


def allowance(name):
    """minres stops at ||r|| <= rtol ||A|| ||x||, which may be more than rtol ||b||: the tests have systems
    where the quotient is small."""
    return 50 if name == "minres" else 1
