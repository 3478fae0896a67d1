# SPDX-License-Identifier: BSD-3-Clause
"""New values, in the order of the arrays that were given."""

import pickle

import numpy
import pytest
import scipy.sparse as sparse

import gossamer
from support import DTYPES, assert_product, random_matrix, random_vector


def changed(A, values):
    A = A.copy()
    A.data = values
    return A


@pytest.mark.parametrize("operations", ["forward", "transposed", "both"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "coo shuffled"])
@pytest.mark.parametrize("format", ["auto", "csr", "packed"])
def test_update(format, kind, dtype, operations):
    A = random_matrix((40, 60), dtype).asformat(kind.split()[0])
    if kind == "coo shuffled":
        shuffled = numpy.random.default_rng(3).permutation(A.nnz)
        A = sparse.coo_array((A.data[shuffled], (A.row[shuffled], A.col[shuffled])), shape=A.shape)
    G = gossamer.matrix(A, values_change=True, operations=operations, format=format)
    x, z = random_vector(60, dtype), random_vector(40, dtype)
    for seed in (5, 6):
        B = changed(A, random_vector(A.nnz, dtype, seed))
        G.update(B.data)
        if operations == "forward":
            assert_product(G @ x, B, x)
        else:
            assert_product(G.T @ z, B.T, z)
    # The other plan, if it is made now, has the values of the last update, and gets those of the next one.
    assert_product(G @ x, B, x)
    assert_product(G.T @ z, B.T, z)
    B = changed(A, random_vector(A.nnz, dtype, 7))
    G.T.update(B.data)
    assert_product(G @ x, B, x)
    assert_product(G.T @ z, B.T, z)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_copy_keeps_the_order_of_values(kind):
    A = random_matrix((40, 60)).asformat(kind)
    if kind == "coo":
        A = sparse.coo_array((A.data[::-1], (A.row[::-1], A.col[::-1])), shape=A.shape)
    G = gossamer.matrix(A, values_change=True)
    B = changed(A, random_vector(A.nnz, "float64", 5))
    G.update(B.data)
    H = G.copy()
    x = random_vector(60, "float64")
    assert_product(H @ x, B, x)
    C = changed(A, random_vector(A.nnz, "float64", 6))
    H.update(C.data)
    assert_product(H @ x, C, x)
    assert_product(G @ x, B, x)


MADE_LATER = {
    "copy": lambda G: G.copy(),
    "pickle": lambda G: pickle.loads(pickle.dumps(G)),
    "tune": lambda G: G.tune(budget=0.01, cache=False),
    "transpose": lambda G: G.T.T,  # its other product makes a second plan
}


@pytest.mark.parametrize("transpose_is_used", [False, True])
@pytest.mark.parametrize("made", MADE_LATER)
@pytest.mark.parametrize("operations", ["forward", "transposed", "both"])
@pytest.mark.parametrize("kind", ["csr", "coo shuffled"])
def test_what_is_made_after_an_update_has_its_values(kind, operations, made, transpose_is_used):
    A = random_matrix((40, 60))
    if kind == "coo shuffled":
        A = A.tocoo()
        order = numpy.random.default_rng(3).permutation(A.nnz)
        A = sparse.coo_array((A.data[order], (A.row[order], A.col[order])), shape=A.shape)
    G = gossamer.matrix(A, values_change=True, operations=operations, threads=1)
    x, z = random_vector(60, "float64"), random_vector(40, "float64")
    if transpose_is_used:
        G @ x, G.T @ z
    for seed in (5, 6):
        B = changed(A, random_vector(A.nnz, "float64", seed))
        G.update(B.data)
        H = MADE_LATER[made](G)
        assert_product(H @ x, B, x)
        assert_product(H.T @ z, B.T, z)
    C = changed(A, random_vector(A.nnz, "float64", 7))
    H.update(C.data)
    assert_product(H @ x, C, x)
    assert_product(H.T @ z, C.T, z)
    assert_product(H.copy() @ x, C, x)


def test_values_are_not_referred_to():
    A = random_matrix((40, 60))
    G = gossamer.matrix(A, values_change=True)
    values = random_vector(A.nnz, "float64", 5)
    B = changed(A, values.copy())
    G.update(values)
    values[:] = 0
    A.data[:] = 0
    x, z = random_vector(60, "float64"), random_vector(40, "float64")
    assert_product(G @ x, B, x)
    assert_product(G.T @ z, B.T, z)


@pytest.mark.parametrize("updates", [0, 1])
@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_an_update_that_fails_for_the_second_plan_changes_neither(monkeypatch, kind, updates):
    class Failing:
        def __init__(self, plan):
            self.info = plan.info

        def update(self, *arguments):
            raise gossamer.Error("no memory")

    A = random_matrix((40, 60)).asformat(kind)
    if kind == "coo":
        A = sparse.coo_array((A.data[::-1], (A.row[::-1], A.col[::-1])), shape=A.shape)
    G = gossamer.matrix(A, values_change=True)
    x, z = random_vector(60, "float64"), random_vector(40, "float64")
    G @ x, G.T @ z
    B = A
    for _ in range(updates):
        B = changed(A, random_vector(A.nnz, "float64", 5))
        G.update(B.data)
    first, second = G._plans()
    with monkeypatch.context() as patch:
        patch.setattr(gossamer.Matrix, "_plans", lambda self: [first, Failing(second)])
        with pytest.raises(gossamer.Error, match="no memory"):
            G.update(random_vector(A.nnz, "float64", 6))
    assert_product(G @ x, B, x)
    assert_product(G.T @ z, B.T, z)
    assert_product(G.copy() @ x, B, x)


def test_a_failed_update_changes_nothing():
    A = random_matrix((40, 60))
    G = gossamer.matrix(A, values_change=True)
    with pytest.raises(ValueError):
        G.update(A.data[1:])
    x = random_vector(60, "float64")
    assert_product(G @ x, A, x)
