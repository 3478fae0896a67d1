# SPDX-License-Identifier: BSD-3-Clause
"""tune() and options of inspect."""

import numpy
import pytest

import gossamer
from support import assert_product, random_matrix, random_vector

A = random_matrix((300, 200))
x, z = random_vector(200, "float64"), random_vector(300, "float64")


@pytest.mark.parametrize("options", [{}, {"operations": "transposed"}, {"operations": "both"}, {"copy": True}, {"values_change": True}])
def test_tune_returns_a_new_matrix(options):
    G = gossamer.matrix(A, threads=1, **options)
    before = G.describe()
    T = G.tune(budget=0.05, cache=False)
    assert G.describe() == before and T.format in gossamer.formats()
    assert_product(T @ x, A, x)
    assert_product(T.T @ z, A.T, z)
    assert G.T.tune(budget=0.05, cache=False).shape == (200, 300)


def test_a_tuned_matrix_takes_new_values():
    G = gossamer.matrix(A, threads=1, values_change=True)
    G.update(2 * A.data)
    T = G.tune(budget=0.05, cache=False)
    assert_product(T @ x, 2 * A, x)
    T.update(A.data)
    assert_product(T @ x, A, x)


def test_options_reach_the_library():
    G = gossamer.matrix(A, format="packed", longest_walk=64, threads=2, isa="baseline")
    assert G.format == "packed" and "longest_walk=64" in G.info()["options"]
    assert '"threads":2' in G.describe() and '"isa":"baseline"' in G.describe()
    assert gossamer.matrix(A, memory="caller_arrays").format == "csr"
    S = (A @ A.T).tocsr()
    S.sort_indices()
    assert gossamer.matrix(S, operations="both", symmetric="check").info()["symmetric"]
    with pytest.raises(ValueError, match="memory_limit"):
        gossamer.matrix(A, memory=1000)
