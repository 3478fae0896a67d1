# SPDX-License-Identifier: BSD-3-Clause
"""Products from several threads, and after fork()."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import gossamer
from support import random_matrix, random_vector


@pytest.mark.parametrize("size", [10, 300])  # with and without the GIL
def test_threads_share_a_matrix(size):
    A = random_matrix((size, size), density=0.3)
    G = gossamer.matrix(A, threads=1)
    vectors = [random_vector(size, "float64", seed) for seed in range(8)]
    expected = [G @ x for x in vectors]
    start = threading.Barrier(8)

    def multiply(number):
        start.wait()
        return all(numpy.array_equal(G @ vectors[number], expected[number]) for _ in range(300))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(multiply, range(8)))


def test_the_gil_is_released():
    """A product does not end while another thread waits for it to begin, unless that thread can run."""
    A = random_matrix((300, 300), density=0.5)
    G = gossamer.matrix(A, threads=1)
    x = numpy.ones((300, 200))
    counts = [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        for _ in range(1000):
            before = counts[0]
            G @ x
            if counts[0] > before:
                break
        else:
            pytest.fail("no other thread ran during 1000 products")
    finally:
        stop.set()
        counter.join()


def test_threads_make_the_other_plan_once(monkeypatch):
    A = random_matrix((200, 300))
    G = gossamer.matrix(A)
    made = []
    make_plan = type(G._context).make_plan
    monkeypatch.setattr(type(G._context), "make_plan", lambda *args: made.append(args) or make_plan(*args))
    start = threading.Barrier(8)
    z = numpy.ones(200)

    def multiply(_):
        start.wait()
        return G.T @ z

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(multiply, range(8)))
    assert len(made) == 1
    for result in results:
        numpy.testing.assert_array_equal(result, results[0])


def test_updates_during_products():
    """Each product has the values before an update, or those after it."""
    A = random_matrix((300, 300), density=0.3)
    G = gossamer.matrix(A, values_change=True, threads=1)
    x = numpy.ones(300)
    one = G @ x
    stop = threading.Event()
    wrong = []

    def multiply():
        while not stop.is_set():
            y = G @ x
            if not (numpy.array_equal(y, one) or numpy.array_equal(y, 2 * one)):
                wrong.append(y)

    threads = [threading.Thread(target=multiply) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(100):
        G.update(A.data * (2 if number % 2 == 0 else 1))
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork() on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_matrix_works_after_fork():
    A = random_matrix((300, 300), density=0.3)
    G = gossamer.matrix(A)
    x = random_vector(300, "float64")
    y = G @ x
    child = os.fork()
    if child == 0:
        same = numpy.array_equal(G @ x, y) and numpy.array_equal(gossamer.matrix(A) @ x, y)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork() on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_update_works_after_fork_during_a_product_of_another_thread():
    A = random_matrix((3000, 3000), density=0.05)
    G = gossamer.matrix(A, values_change=True, threads=1)
    x = numpy.ones(3000)
    y = G @ x
    stop = threading.Event()

    def multiply():
        while not stop.is_set():
            G @ x

    thread = threading.Thread(target=multiply)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                G.update(2 * A.data)
                os._exit(0 if numpy.array_equal(G @ x, 2 * y) else 1)
            assert status_within(child, 60) == 0
    finally:
        stop.set()
        thread.join()


def status_within(child, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the child hangs"


def test_interpreter_ends_during_a_product_of_a_daemon_thread():
    code = """
import threading, numpy, scipy.sparse, gossamer
G = gossamer.matrix(scipy.sparse.random_array((20000, 2000), density=0.01, rng=0, format="csr"), threads=1)
x = numpy.ones(2000)
begun = threading.Event()
def multiply():
    while True:
        G @ x
        begun.set()
threading.Thread(target=multiply, daemon=True).start()
begun.wait()
"""
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
        assert run.returncode == 0, run.stderr
