# SPDX-License-Identifier: BSD-3-Clause
"""Random small linear programs of all kinds of constraints, and their solutions by HiGHS."""

import dataclasses

import numpy
import scipy.sparse as sparse
from scipy.optimize import Bounds, LinearConstraint, milp

INF = numpy.inf


@dataclasses.dataclass
class LinearProgram:
    """min c x with lb <= A x <= ub and lower <= x <= upper."""

    c: numpy.ndarray
    A: sparse.csr_array
    lb: numpy.ndarray
    ub: numpy.ndarray
    lower: numpy.ndarray
    upper: numpy.ndarray

    def arguments(self):
        """What pdhg() takes."""
        return dict(c=self.c, A=self.A, lb=self.lb, ub=self.ub, bounds=(self.lower, self.upper))

    def exact(self):
        """The least objective."""
        rows = LinearConstraint(self.A, self.lb, self.ub)
        found = milp(self.c, constraints=rows, bounds=Bounds(self.lower, self.upper))
        assert found.status == 0
        return found.fun


def random_program(rows, columns, seed):
    """With equations, one-sided and two-sided rows, rows without sides, and variables of all kinds of bounds.

    A point and multipliers are drawn first, so that both the program and its dual have a feasible point.
    """
    random = numpy.random.default_rng(seed)
    dense = random.uniform(-1, 1, (rows, columns)) * (random.random((rows, columns)) < 0.5)
    kinds = random.integers(0, 5, columns)  # x >= 0, x <= 1, 0 <= x <= 1, free, fixed
    lower = numpy.choose(kinds, [0.0, -INF, 0.0, -INF, 0.25])
    upper = numpy.choose(kinds, [INF, 1.0, 1.0, INF, 0.25])
    x = numpy.clip(random.uniform(-0.5, 1.5, columns), lower, upper)
    product = dense @ x
    sides = random.integers(0, 5, rows)  # equation, at least, at most, between, none
    slack = random.uniform(0, 1, rows) * (random.random(rows) < 0.5)
    lb = numpy.where(numpy.isin(sides, [0, 1, 3]), product - slack * (sides != 0), -INF)
    ub = numpy.where(numpy.isin(sides, [0, 2, 3]), product + (1 + slack) * (sides != 0) - (sides == 2), INF)
    ub = numpy.where(sides == 2, product + slack, ub)
    y = numpy.where(sides == 0, random.normal(0, 1, rows), 0)
    y = numpy.where((sides == 1) & (slack == 0), random.exponential(1, rows), y)
    y = numpy.where((sides == 2) & (slack == 0), -random.exponential(1, rows), y)
    reduced = numpy.where((x == lower) & (kinds != 3), random.exponential(1, columns), 0)
    reduced = numpy.where((x == upper) & (kinds != 3) & (kinds != 4), -random.exponential(1, columns), reduced)
    return LinearProgram(dense.T @ y + reduced, sparse.csr_array(dense), lb, ub, lower, upper)
