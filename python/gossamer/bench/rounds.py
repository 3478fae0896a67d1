# SPDX-License-Identifier: BSD-3-Clause
"""Checks products and times them in rounds."""

import statistics
import time

import numpy

from ..buffers import to_host
from .peers import CG, CG_STEPS, COLUMNS, first_line

ROUNDS = 9


def measure(case, operation, libraries, seconds, progress):
    """(library, seconds for one product or solver's step) of each that does the operation; None if it fails.

    `seconds` is the time of all rounds of one library.
    """
    libraries = [library for library in libraries if library.does(operation)]
    check = _Check(case, operation)
    products = []
    for library in libraries:
        try:
            call = library.product(operation, check.x)
            check(call())
            products.append((library, call))
        except Exception as error:  # other libraries may raise any
            progress.note(f"{library.name} fails at {progress.label}: {first_line(error)}")
            progress.advance(seconds)
    times = _median_seconds(products, seconds, progress)
    steps = CG_STEPS if operation == CG else 1
    return [(library, times[library] / steps if library in times else None) for library in libraries]


class _Check:
    """Makes x, and compares products with SciPy's: they may differ by the rounding errors of both."""

    def __init__(self, case, operation):
        self.is_solver = operation == CG
        A = case.transposed if operation == "A.T @ x" else case.A
        size = (A.shape[1], COLUMNS) if operation == "A @ X" else A.shape[1]
        self.x = numpy.random.default_rng(2).uniform(-1, 1, size).astype(A.dtype)
        if not self.is_solver:
            kind = numpy.finfo(A.dtype)
            terms = numpy.diff(A.indptr) + 3
            self.expected = A @ self.x
            self.bound = ((abs(A) @ abs(self.x)).T * (terms * kind.eps) + terms * kind.tiny).T

    def __call__(self, result):
        if self.is_solver:
            if result[1] != CG_STEPS:
                raise ArithmeticError(f"cg ends before step {CG_STEPS}")
            return
        with numpy.errstate(invalid="ignore"):
            wrong = ~(abs(to_host(result) - self.expected) <= self.bound) & numpy.isfinite(self.expected)
        if wrong.any():
            raise ArithmeticError(f"{wrong.sum()} elements of the product are wrong")


def _median_seconds(products, seconds, progress):
    """In each round every library does its product as often as fits in a round."""
    counts = [_calls_in(seconds / ROUNDS, library, call) for library, call in products]
    times = [[] for _ in products]
    for _ in range(ROUNDS):
        for (library, call), count, taken in zip(products, counts, times):
            taken.append(_seconds_per_call(library, call, count))
            progress.advance(seconds / ROUNDS)
    return {library: statistics.median(taken) for (library, _), taken in zip(products, times)}


def _calls_in(seconds, library, call):
    _seconds_per_call(library, call, 1)
    count = 1
    while (taken := _seconds_per_call(library, call, count) * count) < seconds / 4:
        count *= 2
    return max(1, round(count * seconds / taken)) if taken > 0 else count


def _seconds_per_call(library, call, count):
    begin = time.perf_counter()
    for _ in range(count):
        call()
    library.wait()
    return (time.perf_counter() - begin) / count
