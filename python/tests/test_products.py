# SPDX-License-Identifier: BSD-3-Clause
"""Layouts of x and out, alpha and beta, and the other names of the product."""

import numpy
import pytest
from hypothesis import given, settings, strategies

import gossamer
from support import DTYPES, assert_product, random_matrix, random_vector

A = random_matrix((50, 35))
MATRICES = {dtype: (gossamer.matrix(A.astype(dtype), operations="both"), A.astype(dtype)) for dtype in DTYPES}


def strided(draw, shape, dtype, seed):
    """An array of this shape, with strides of any size and sign, in any order, and any alignment."""
    steps = [draw(strategies.sampled_from([1, 1, 2, 3, -1, -2])) for _ in shape]
    order = draw(strategies.sampled_from("CF"))
    sizes = [n * abs(step) + draw(strategies.integers(0, 2)) for n, step in zip(shape, steps)]
    base = numpy.asarray(random_vector(sizes, dtype, seed), order=order)
    if draw(strategies.booleans()):  # one byte off
        raw = numpy.empty(base.nbytes + 1, "u1")[1:].view(dtype) if base.nbytes else base.ravel()
        unaligned = raw.reshape(base.shape, order=order)
        unaligned[...] = base
        base = unaligned
    result = base[tuple(slice(None, None, step) for step in steps)][tuple(slice(n) for n in shape)]
    assert result.shape == tuple(shape)
    return result


@strategies.composite
def products(draw):
    dtype = draw(strategies.sampled_from(DTYPES))
    transposed = draw(strategies.booleans())
    columns = draw(strategies.sampled_from([None, 0, 1, 2, 5, 8, 17]))
    from_left = draw(strategies.booleans())
    rows, cols = A.shape[::-1] if transposed else A.shape
    shape = lambda n: [n] if columns is None else [columns, n] if from_left else [n, columns]
    x = strided(draw, shape(cols), dtype, 1)
    y = strided(draw, shape(rows), dtype, 2)
    return dtype, transposed, from_left, x, y


@settings(max_examples=400, deadline=None)
@given(products())
def test_any_layout(case):
    dtype, transposed, from_left, x, _ = case
    G, matrix = MATRICES[dtype]
    if transposed:
        G, matrix = G.T, matrix.T
    got = x @ G.T if from_left else G @ x
    assert_product(got.T if from_left else got, matrix, x.T if from_left else x)


@settings(max_examples=400, deadline=None)
@given(products(), strategies.sampled_from([0, 1, -0.5, 3]), strategies.sampled_from([0, 1, 2.5]))
def test_multiply_into_any_layout(case, alpha, beta):
    dtype, transposed, from_left, x, y = case
    if from_left:
        x, y = x.T, y.T
    G, matrix = MATRICES[dtype]
    if transposed:
        G, matrix = G.T, matrix.T
    before = y.copy()
    try:
        assert G.multiply(x, out=y, alpha=alpha, beta=beta) is y
    except ValueError as error:
        message = str(error)
        assert "which are those of no row-major or column-major matrix" in message or not y.flags.aligned, message
        numpy.testing.assert_array_equal(y, before)
        return
    assert_product(y, matrix, x, alpha, beta, before)


def test_results_have_the_order_of_x():
    G, _ = MATRICES["float64"]
    x = random_vector((35, 4), "float64")
    assert (G @ x).flags.c_contiguous
    assert (G @ numpy.asfortranarray(x)).flags.f_contiguous
    assert (x.T @ G.T).flags.f_contiguous


def test_layouts_are_not_copied(monkeypatch):
    """The largest block that a product allocates is the result."""
    import tracemalloc

    G, _ = MATRICES["float64"]
    wide = numpy.ones((35, 4000))
    for x in (wide, numpy.asfortranarray(wide), wide[:, 100:3900], wide.T.copy().T[:, ::2]):
        tracemalloc.start()
        y = G @ x
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < y.nbytes + 10000


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "float32"])
def test_vectors_that_numpy_casts_safely(dtype):
    G, matrix = MATRICES["float64"]
    x = (10 * random_vector((35, 3), "float64")).astype(dtype)
    assert_product(G @ x, matrix, x.astype("float64"))
    assert_product(G @ list(x[:, 0]), matrix, x[:, 0].astype("float64"))


def test_byte_order():
    G, matrix = MATRICES["float64"]
    x = random_vector(35, "float64")
    numpy.testing.assert_array_equal(G @ x.astype(">f8"), G @ x)


def test_names_of_the_product():
    G, matrix = MATRICES["float64"]
    x, X = random_vector(35, "float64"), random_vector((35, 3), "float64")
    z, Z = random_vector(50, "float64"), random_vector((50, 3), "float64")
    for got, expected in (
        (G.matvec(x), G @ x),
        (G.dot(x), G @ x),
        (G.multiply(x), G @ x),
        (G.matmat(X), G @ X),
        (G.rmatvec(z), G.T @ z),
        (G.rmatmat(Z), G.T @ Z),
        (G.H @ z, G.T @ z),
        (z @ G, G.T @ z),
        (Z.T @ G, (G.T @ Z).T),
    ):
        numpy.testing.assert_array_equal(got, expected)
    assert G.matvec(x[:, None]).shape == (50, 1)
    assert G.T.T.shape == G.shape and G.T.shape == (35, 50)


def test_columns_have_the_bits_of_single_products():
    G, _ = MATRICES["float64"]
    X = random_vector((35, 9), "float64")
    for layout in (X, numpy.asfortranarray(X)):
        Y = G @ layout
        for column in range(9):
            numpy.testing.assert_array_equal(Y[:, column], G @ X[:, column].copy())


def test_out_is_not_read_if_beta_is_zero():
    G, matrix = MATRICES["float64"]
    y = numpy.full(50, numpy.nan)
    x = random_vector(35, "float64")
    assert_product(G.multiply(x, out=y), matrix, x)


def test_properties():
    G, matrix = MATRICES["float64"]
    assert G.nnz == matrix.nnz and G.device == "cpu" and G.format in gossamer.formats()
    assert 0 < G.nbytes and G.T.nbytes == G.nbytes
    info = G.info()
    assert info["shape"] == G.shape and info["nnz"] == G.nnz and info["seconds"] > 0
    assert f"format {G.format!r}" in repr(G)
    numpy.testing.assert_array_equal(G.to_scipy().toarray(), matrix.toarray())
    numpy.testing.assert_array_equal(G.T.to_scipy().toarray(), matrix.T.toarray())
