# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of JAX, which have DLPack."""

import numpy
import pytest

import gossamer
from support import assert_product, random_matrix, random_vector

jax = pytest.importorskip("jax", reason="JAX is not installed")


@pytest.mark.gpu
def test_tuples_in_device_memory():
    A = random_matrix((40, 60), "float32")
    with jax.default_device(jax.devices("gpu")[0]):
        parts = tuple(jax.numpy.asarray(array) for array in (A.data, A.indices, A.indptr))
    G = gossamer.matrix((2 * parts[0], *parts[1:]), shape=A.shape)
    assert G.device == "cuda:0"
    x = random_vector(60, "float32")
    assert_product(G @ x, 2 * A, x)


def test_tuples_and_vectors_in_host_memory():
    A = random_matrix((40, 60), "float32")
    with jax.default_device(jax.devices("cpu")[0]):
        parts = tuple(jax.numpy.asarray(array) for array in (A.data, A.indices, A.indptr))
        x = jax.numpy.asarray(random_vector(60, "float32"))
    G = gossamer.matrix(parts, shape=A.shape)
    assert_product(G @ x, A, numpy.asarray(x))
