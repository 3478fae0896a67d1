# SPDX-License-Identifier: BSD-3-Clause
"""Reference counts and memory stay the same over many calls."""

import gc
import resource
import sys
import tracemalloc
import weakref

import numpy
import pytest

import gossamer
from support import random_matrix

A = random_matrix((20, 30))
G = gossamer.matrix(A, operations="both")
H = gossamer.matrix(A, values_change=True)
x, X, y = numpy.ones(30), numpy.ones((30, 3)), numpy.ones(20)

CALLS = {
    "product": lambda: G @ x,
    "product from the left": lambda: y @ G,
    "several vectors": lambda: G @ X,
    "transpose": lambda: G.T @ y,
    "multiply": lambda: G.multiply(x, out=y, alpha=2, beta=0.5),
    "conversion": lambda: G @ x.astype("float32"),
    "list": lambda: G @ ([1.0] * 30),
    "error": lambda: pytest.raises(ValueError, G.__matmul__, y),
    "update": lambda: H.update(A.data),
    "properties": lambda: (G.T, G.nnz, G.nbytes, G.shape, G.dtype, G.info(), G.describe()),
}


try:
    import torch
    import gossamer.torch
except ImportError:
    pass
else:
    t, T = torch.ones(30, dtype=torch.float64), torch.ones((30, 3), dtype=torch.float64)
    CALLS.update(
        {
            "tensor": lambda: G @ t,
            "tensor of several vectors": lambda: G @ T,
            "operator of torch": lambda: gossamer.torch.matmul(G, t),
        }
    )


@pytest.mark.parametrize("name", CALLS)
def test_references_and_memory_are_steady(name):
    call = CALLS[name]
    many = 100000 if name in ("product", "product from the left", "multiply", "several vectors", "tensor") else 5000
    objects = (G, x, X, y, numpy.dtype("float64"), numpy.dtype("float32"))
    if sys.version_info < (3, 12):  # None is immortal since then: its count means nothing
        objects += (None,)
    for _ in range(1000):
        call()
    gc.collect()
    tracemalloc.start()
    references = [sys.getrefcount(each) for each in objects]
    grown = []
    for _ in range(3):  # a leak grows each time; caches of other libraries do so once
        traced = tracemalloc.get_traced_memory()[0]
        for _ in range(200):
            call()
        gc.collect()
        grown.append(tracemalloc.get_traced_memory()[0] - traced)
    tracemalloc.stop()
    assert min(grown) < 100 * 200 // 10
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(many):
        call()
    # In KiB: 10 bytes for each of 100,000 calls, 200 for each of 5,000.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024
    for each, count in zip(objects, references):
        assert abs(sys.getrefcount(each) - count) < 20


def test_matrices_are_freed():
    def make():
        return gossamer.matrix(random_matrix((200, 300), density=0.5), operations="both", copy=True, threads=1)

    for _ in range(5):
        make()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):  # of 700 kB each
        make().T @ numpy.ones(200)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20000


def test_arrays_are_released_with_the_matrix():
    B = random_matrix((20, 30))
    B.data = B.data.copy()
    data = weakref.ref(B.data)
    H = gossamer.matrix(B)
    T = H.T
    del B
    gc.collect()
    assert data() is not None
    del H
    gc.collect()
    assert data() is not None and T.shape == (30, 20)
    del T
    gc.collect()
    assert data() is None


def test_a_copy_releases_arrays_at_once():
    B = random_matrix((20, 30))
    B.data = B.data.copy()
    data = weakref.ref(B.data)
    H = gossamer.matrix(B, copy=True)
    del B
    gc.collect()
    assert data() is None and H.shape == (20, 30)
