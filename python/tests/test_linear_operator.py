# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's solvers with G, and with aslinearoperator(G), give what they give with the SciPy matrix."""

import pickle

import numpy
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

import gossamer
from support import DTYPES, assert_product, random_matrix, random_vector


def symmetric(dtype="float64", n=60):
    """Positive definite: a path's Laplacian plus a diagonal of distinct numbers."""
    diagonal = 3 + numpy.arange(n) / n
    return sparse.diags_array([diagonal, -numpy.ones(n - 1), -numpy.ones(n - 1)], offsets=[0, 1, -1]).tocsr().astype(dtype)


def general(dtype="float64", n=60):
    return (symmetric(dtype, n) + random_matrix((n, n), dtype) * 0.1).tocsr()


@pytest.fixture(params=["G", "aslinearoperator(G)"])
def operator(request):
    def make(A):
        G = gossamer.matrix(A)
        return G if request.param == "G" else gossamer.aslinearoperator(G)

    return make


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("solver", ["cg", "minres", "bicgstab", "bicg", "cgs", "qmr", "gmres", "lgmres", "gcrotmk", "tfqmr"])
def test_solvers(operator, solver, dtype):
    A = symmetric(dtype) if solver in ("cg", "minres") else general(dtype)
    b = random_vector(60, dtype)
    solve = getattr(linalg, solver)
    (x, status), (expected, _) = solve(operator(A), b, rtol=1e-5), solve(A, b, rtol=1e-5)
    assert status == 0
    residual, as_scipy = (numpy.linalg.norm(A @ solution - b) for solution in (x, expected))
    assert residual <= 2 * as_scipy + 1e-5 * numpy.linalg.norm(b)


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
def test_least_squares(operator, solver):
    A = random_matrix((80, 30), density=0.4)
    b = random_vector(80, "float64")
    solve = getattr(linalg, solver)
    tolerances = dict(atol=1e-12, btol=1e-12)
    numpy.testing.assert_allclose(solve(operator(A), b, **tolerances)[0], solve(A, b, **tolerances)[0], rtol=1e-7)


def test_eigsh(operator):
    A = symmetric()
    start = numpy.ones(60)
    got, expected = (linalg.eigsh(B, k=4, v0=start, return_eigenvectors=False) for B in (operator(A), A))
    numpy.testing.assert_allclose(got, expected, rtol=1e-10)


def test_eigs(operator):
    A = general()
    start = numpy.ones(60)
    got, expected = (linalg.eigs(B, k=3, v0=start, return_eigenvectors=False) for B in (operator(A), A))
    numpy.testing.assert_allclose(sorted(abs(got)), sorted(abs(expected)), rtol=1e-8)


@pytest.mark.parametrize("solver", ["arpack", "lobpcg", "propack"])
def test_svds(operator, solver):
    A = random_matrix((80, 30), density=0.4)
    arguments = dict(k=3, solver=solver, return_singular_vectors=False, rng=numpy.random.default_rng(0))
    got = linalg.svds(operator(A), **arguments)
    numpy.testing.assert_allclose(sorted(got), numpy.linalg.svd(A.toarray(), compute_uv=False)[2::-1], rtol=1e-6)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_lobpcg(operator):
    A = symmetric()
    X = numpy.random.default_rng(0).random((60, 4))
    got = linalg.lobpcg(operator(A), X, largest=True, tol=1e-8, maxiter=200)[0]
    expected = numpy.linalg.eigvalsh(A.toarray())[: -5 : -1]
    numpy.testing.assert_allclose(sorted(got), sorted(expected), rtol=1e-6)


def test_expm_multiply():
    A = general() * 0.1
    G = gossamer.aslinearoperator(gossamer.matrix(A))
    b, B = random_vector(60, "float64"), random_vector((60, 3), "float64")
    trace = A.diagonal().sum()
    numpy.testing.assert_allclose(linalg.expm_multiply(G, b, traceA=trace), linalg.expm_multiply(A, b), rtol=1e-10)
    numpy.testing.assert_allclose(linalg.expm_multiply(G, B, traceA=trace), linalg.expm_multiply(A, B), rtol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_and_algebra(dtype):
    A = random_matrix((40, 60), dtype)
    L = gossamer.aslinearoperator(gossamer.matrix(A))
    assert isinstance(L, linalg.LinearOperator) and L.shape == A.shape and L.dtype == A.dtype
    x, X = random_vector(60, dtype), random_vector((60, 3), dtype)
    z, Z = random_vector(40, dtype), random_vector((40, 3), dtype)
    assert_product(L.matvec(x), A, x)
    assert_product(L.matvec(x[:, None])[:, 0], A, x)
    assert_product(L.matmat(X), A, X)
    assert_product(L.rmatvec(z), A.T, z)
    assert_product(L.rmatmat(Z), A.T, Z)
    assert_product(L.T @ z, A.T, z)
    assert_product(L.H @ Z, A.T, Z)
    assert_product((2 * L) @ x, A, x, alpha=2)
    numpy.testing.assert_allclose((L.H @ L + 3 * L.H @ L) @ x, 4 * (A.T @ (A @ x)), rtol=1e-4)
    assert L.H.shape == (60, 40) and (L.H).H.shape == (40, 60)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given", ["complex64", "complex128"])
def test_products_of_complex_vectors(dtype, given):
    A = random_matrix((40, 60), dtype)
    L = gossamer.aslinearoperator(gossamer.matrix(A))
    tolerance = 1e-5 if "float32" in dtype or given == "complex64" else 1e-13
    for columns in ((), (1,), (3,)):
        x = (random_vector((60, *columns), "f8") + 1j * random_vector((60, *columns), "f8", 2)).astype(given)
        z = (random_vector((40, *columns), "f8") + 1j * random_vector((40, *columns), "f8", 2)).astype(given)
        for got, expected in ((L @ x, A @ x), (L.H @ z, A.T @ z), (L.T @ z, A.T @ z)):
            assert got.dtype == numpy.result_type(dtype, "complex64") and got.shape == expected.shape
            numpy.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * 60)
    numpy.testing.assert_allclose(L.matmat(x[:, ::-1]), A @ x[:, ::-1], rtol=0, atol=tolerance * 60)
    numpy.testing.assert_allclose(L.rmatmat(z), A.T @ z, rtol=0, atol=tolerance * 60)
    numpy.testing.assert_allclose(L.rmatvec(z[:, 0]), A.T @ z[:, 0], rtol=0, atol=tolerance * 60)


def test_solvers_with_complex_vectors():
    A = general()
    L = gossamer.aslinearoperator(gossamer.matrix(A))
    b = random_vector(60, "float64") + 1j * random_vector(60, "float64", 2)
    x, status = linalg.gmres(L, b, rtol=1e-10)
    assert status == 0
    numpy.testing.assert_allclose(A @ x, b, atol=1e-8)
    got = linalg.expm_multiply(1j * L, b, traceA=1j * A.trace())
    numpy.testing.assert_allclose(got, linalg.expm_multiply(1j * A, b), atol=1e-10)


def test_pickling():
    A = random_matrix((40, 60))
    L = pickle.loads(pickle.dumps(gossamer.aslinearoperator(gossamer.matrix(A))))
    x = random_vector(60, "float64")
    assert_product(L @ x, A, x)
    assert_product(L.H @ random_vector(40, "float64"), A.T, random_vector(40, "float64"))
