# SPDX-License-Identifier: BSD-3-Clause
"""Pickling and copies restore the same plan."""

import copy
import json
import multiprocessing
import pickle

import numpy
import pytest

import gossamer
from support import random_matrix, random_vector


def facts(G):
    """The description without the time of inspect."""
    facts = json.loads(G.describe())
    del facts["inspect_seconds"]
    return facts


DUPLICATES = {
    "pickle": lambda G: pickle.loads(pickle.dumps(G)),
    "copy()": lambda G: G.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", DUPLICATES)
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("options", [{}, {"operations": "both"}, {"format": "packed", "longest_walk": 64}, {"copy": True}])
def test_the_plan_is_the_same(options, kind, how):
    A = random_matrix((200, 300)).asformat(kind)
    G = gossamer.matrix(A, **options)
    x, z = random_vector(300, "float64"), random_vector(200, "float64")
    H = DUPLICATES[how](G)
    assert facts(H) == facts(G)
    numpy.testing.assert_array_equal(H @ x, G @ x)
    numpy.testing.assert_array_equal(H.T @ z, G.T @ z)
    T = DUPLICATES[how](G.T)
    assert T.shape == (300, 200)
    numpy.testing.assert_array_equal(T @ z, G.T @ z)
    A.data[:] = 0
    G = None
    assert (H @ x).any()


def product_in_child(G, x):
    return G @ x


def test_another_process():
    G = gossamer.matrix(random_matrix((200, 300)))
    x = random_vector(300, "float64")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        numpy.testing.assert_array_equal(pool.apply(product_in_child, (G, x)), G @ x)
