# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that are reordered inside: vectors and values stay in the order of the arrays that were given."""

import pickle

import numpy
import pytest
import scipy.sparse as sparse

import gossamer
from support import assert_product, random_matrix, random_vector


@pytest.fixture(scope="module")
def A():
    matrix = random_matrix((40, 40))
    try:
        gossamer.matrix(matrix, reorder="rcm")
    except gossamer.Error as problem:
        pytest.skip(str(problem))
    return matrix


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("format", ["auto", "csr", "packed"])
def test_products(A, format, kind):
    G = gossamer.matrix(A.asformat(kind), reorder="rcm", format=format)
    x, X = random_vector(40, "float64"), random_vector(120, "float64").reshape(40, 3)
    y = random_vector(40, "float64", 2)
    assert_product(G @ x, A, x)
    assert_product(G.T @ x, sparse.csr_array(A.T), x)
    assert_product(G @ X, A, X)
    assert_product(G @ numpy.asfortranarray(X), A, X)
    assert_product(G.multiply(x, out=y.copy(), alpha=2, beta=-3), A, x, 2, -3, y)
    assert (G.to_scipy() != A).nnz == 0


def test_permutation(A):
    G = gossamer.matrix(A, reorder="rcm", format="csr")
    p = G.permutation
    assert p.dtype == numpy.int32 and not p.flags.writeable
    assert sorted(p.tolist()) == list(range(40))
    assert numpy.array_equal(G.T.permutation, p)
    assert gossamer.matrix(A).permutation is None
    B = A[p][:, p]
    B.sort_indices()
    permuted = gossamer.matrix(B, format="csr")
    x = random_vector(40, "float64")
    assert numpy.array_equal(permuted @ x[p], (G @ x)[p])
    del G
    assert sorted(p.tolist()) == list(range(40))  # keeps the plan alive


def test_update_pickle_and_tune(A):
    G = gossamer.matrix(A, reorder="rcm", values_change=True, operations="both")
    B = A.copy()
    B.data = random_vector(A.nnz, "float64", 7)
    G.update(B.data)
    x = random_vector(40, "float64")
    for same in (G, pickle.loads(pickle.dumps(G))):
        assert_product(same @ x, B, x)
        assert_product(same.T @ x, sparse.csr_array(B.T), x)
        assert numpy.array_equal(same.permutation, G.permutation)
    tuned = G.tune(budget=0, cache=False)
    assert tuned.permutation is None
    assert_product(tuned @ x, B, x)


def test_errors(A):
    with pytest.raises(ValueError, match='reorder = "metis" is not one of none, rcm'):
        gossamer.matrix(A, reorder="metis")
    with pytest.raises(ValueError, match="40 rows and 39 columns is not square"):
        gossamer.matrix(sparse.csr_array(A[:, :39]), reorder="rcm")
    with pytest.raises(ValueError, match="caller_arrays with a reordered matrix"):
        gossamer.matrix(A, reorder="rcm", memory="caller_arrays")
