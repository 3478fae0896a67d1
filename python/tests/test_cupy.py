# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors of CuPy."""

import pickle

import numpy
import pytest

import gossamer
from support import DTYPES, INDEX_TYPES, assert_product, random_matrix, random_vector

cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
pytestmark = pytest.mark.gpu


def on_device(A, kind):
    import cupyx.scipy.sparse as sparse

    return getattr(sparse, f"{kind}_matrix")(A.asformat(kind))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_products(kind, dtype):
    A = random_matrix((40, 60), dtype)
    G = gossamer.matrix(on_device(A, kind))
    assert G.device == "cuda:0"
    for columns in ((), (1,), (3,)):
        x, z = random_vector((60, *columns), dtype), random_vector((40, *columns), dtype)
        for X in (cupy.array(x), cupy.array(x, order="F")):
            y = G @ X
            assert isinstance(y, cupy.ndarray)
            assert_product(y.get(), A, x)
        assert_product((cupy.array(z.T) @ G).get().T, A.T, z)
        assert_product((G.T @ cupy.array(z)).get(), A.T, z)
        assert_product(G @ x, A, x)


@pytest.mark.parametrize("index_type", INDEX_TYPES)
def test_tuples(index_type):
    A = random_matrix((40, 60))
    parts = (cupy.array(A.data), cupy.array(A.indices.astype(index_type)), cupy.array(A.indptr.astype(index_type)))
    x = random_vector(60, "float64")
    assert_product((gossamer.matrix(parts, shape=A.shape) @ cupy.array(x)).get(), A, x)


def test_arrays_of_other_libraries():
    class Array:
        def __init__(self, array, stream):
            self.array, self.dtype, self.shape = array, array.dtype, array.shape
            self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}

    A = random_matrix((40, 60))
    parts = [cupy.array(array) for array in (A.data, A.indices, A.indptr)]
    x = random_vector(60, "float64")
    G = gossamer.matrix(tuple(Array(part, 1) for part in parts), shape=A.shape)
    assert_product(G @ x, A, x)
    with pytest.raises(TypeError, match="of stream 12, which may still write it: pass cupy.asarray"):
        gossamer.matrix((Array(parts[0], 12), *parts[1:]), shape=A.shape)


def test_arrays_are_moved_to_the_device_that_is_named():
    A = random_matrix((40, 60))
    x = random_vector(60, "float64")
    assert_product(gossamer.matrix(on_device(A, "csr"), device="cpu") @ x, A, x)
    assert_product((gossamer.matrix(A, device="cuda:0") @ cupy.array(x)).get(), A, x)


def test_strides_and_out():
    A = random_matrix((40, 60))
    G = gossamer.matrix(on_device(A, "csr"))
    wide = cupy.array(random_vector((120, 6), "float64"))
    for x in (wide[::2], wide[:60, ::2], wide[:60, 3], wide[::2, 3], wide[59::-1], cupy.broadcast_to(wide[0], (60, 6))):
        assert_product((G @ x).get(), A, x.get())
    y = cupy.ones((40, 6))
    assert G.multiply(wide[::2], out=y, alpha=2, beta=-1) is y
    assert_product(y.get(), A, wide[::2].get(), 2, -1, numpy.ones((40, 6)))


def test_streams():
    A = random_matrix((400, 600))
    G = gossamer.matrix(on_device(A, "csr"))
    x = cupy.array(random_vector(600, "float64"))
    expected = (G @ x).get()
    cupy.cuda.get_current_stream().synchronize()
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)):
        with stream:
            late = x + 0.0
            y = G @ late
        out = cupy.zeros(400)
        cupy.cuda.get_current_stream().synchronize()
        G.multiply(x, out=out, stream=stream)
        stream.synchronize()
        numpy.testing.assert_array_equal(y.get(), expected)
        numpy.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("format", ["auto", "coo"])  # products of coo need scratch memory
def test_many_streams_and_graphs(format):
    A = random_matrix((400, 600))
    G = gossamer.matrix(A, device="cuda", format=format)
    x = cupy.array(random_vector(600, "float64"))
    cupy.cuda.Device().synchronize()
    results = []
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(150)]
    for stream in streams:
        results.append(cupy.zeros(400))
        cupy.cuda.get_current_stream().synchronize()
        G.multiply(x, out=results[-1], stream=stream)
    out = cupy.zeros(400)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        G.multiply(x, out=out)
        graph = stream.end_capture()
        graph.launch(stream)
    cupy.cuda.Device().synchronize()
    for y in (*results, out):
        assert_product(y.get(), A, x.get())


def test_numpy_vectors_after_an_update_from_device_memory():
    """Products with NumPy vectors run in another stream than the update."""
    A = random_matrix((400, 600))
    G = gossamer.matrix(on_device(A, "csr"), values_change=True)
    x = random_vector(600, "float64")
    with cupy.cuda.Stream(non_blocking=True):
        values = cupy.array(A.data)
        for _ in range(20):
            values = values * 2 + cupy.zeros(1 << 22).sum()  # so that the stream is busy
            G.update(values)
            assert_product(G @ x, with_values(A, values.get()), x)


def with_values(A, values):
    B = A.copy()
    B.data = values
    return B


@pytest.mark.parametrize("kind", ["csr", "coo"])
@pytest.mark.parametrize("from_host", [False, True])
def test_update(kind, from_host):
    A = random_matrix((40, 60))
    G = gossamer.matrix(on_device(A, kind), values_change=True)
    B = A.copy()
    B.data = random_vector(A.nnz, "float64", 5)
    given = on_device(B, kind).data
    G.update(given.get() if from_host else given)
    x, z = random_vector(60, "float64"), random_vector(40, "float64")
    assert_product((G @ cupy.array(x)).get(), B, x)
    assert_product((G.T @ cupy.array(z)).get(), B.T, z)
    assert_product((G.copy() @ cupy.array(x)).get(), B, x)


def test_conversions_and_pickling():
    A = random_matrix((40, 60))
    G = gossamer.matrix(on_device(A, "csr"))
    numpy.testing.assert_array_equal(G.to_cupy().toarray().get(), A.toarray())
    x = cupy.array(random_vector(60, "float64"))
    numpy.testing.assert_array_equal((pickle.loads(pickle.dumps(G)) @ x).get(), (G @ x).get())


@pytest.mark.parametrize("solver", ["cg", "gmres", "minres", "lsmr", "cgs"])
def test_solvers(solver):
    import cupyx.scipy.sparse.linalg as linalg
    import scipy.sparse

    n = 60
    diagonal = 3 + numpy.arange(n) / n
    A = scipy.sparse.diags([diagonal, -numpy.ones(n - 1), -numpy.ones(n - 1)], [0, 1, -1]).tocsr()
    L = gossamer.aslinearoperator(gossamer.matrix(on_device(A, "csr")))
    assert isinstance(L, linalg.LinearOperator)
    b = cupy.array(random_vector(n, "float64"))
    x = getattr(linalg, solver)(L, b)[0]
    assert float(cupy.linalg.norm(L @ x - b) / cupy.linalg.norm(b)) < 1e-4


def test_svds_and_lobpcg():
    import cupyx.scipy.sparse.linalg as linalg

    A = random_matrix((80, 60), density=0.2)
    L = gossamer.aslinearoperator(gossamer.matrix(on_device(A, "csr")))
    got = linalg.svds(L, k=3, return_singular_vectors=False).get()
    numpy.testing.assert_allclose(sorted(got), sorted(numpy.linalg.svd(A.toarray())[1])[-3:], rtol=1e-6)
    S = (A.T @ A).tocsr()
    L = gossamer.aslinearoperator(gossamer.matrix(on_device(S, "csr")))
    start = cupy.array(random_vector((60, 4), "float64"))
    values, _ = linalg.lobpcg(L, start, maxiter=200, tol=1e-8)
    numpy.testing.assert_allclose(sorted(values.get()), numpy.linalg.eigvalsh(S.toarray())[-4:], rtol=1e-6)


def test_eigsh():
    import cupyx.scipy.sparse.linalg as linalg

    A = random_matrix((80, 80), density=0.2)
    S = A + A.T
    L = gossamer.aslinearoperator(gossamer.matrix(on_device(S.tocsr(), "csr")))
    got = linalg.eigsh(L, k=3, return_eigenvectors=False).get()
    expected = sorted(numpy.linalg.eigvalsh(S.toarray()), key=abs)[-3:]
    numpy.testing.assert_allclose(sorted(got), sorted(expected), rtol=1e-6)
