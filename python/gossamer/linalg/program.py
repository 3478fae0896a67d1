# SPDX-License-Identifier: BSD-3-Clause
"""A linear program in scaled and in the user's units: its errors at a point, and certificates.

The same errors are computed in src/solve/linear_program_steps.hpp, for the tests within the loop of pdhg(). The
absolute errors of the C++ class pdhg are in src/solve/pdhg_steps.hpp.
"""

import dataclasses
import math
import sys
from typing import Any

# A certificate may violate its constraints by this much, relative to the objective that it has.
RAY_TOLERANCE = 1e-8
_LARGEST = sys.float_info.max


class Program:
    """min c x with lb <= A x <= ub, lower <= x <= upper, and the matrix S = diag(by_row) A diag(by_column).

    x = by_column * (scaled x) and y = by_row * (scaled y). All vectors are in the memory of S.
    """

    def __init__(self, S, c, lb, ub, lower, upper, by_row, by_column):
        self.S, self.c, self.lb, self.ub, self.lower, self.upper = S, c, lb, ub, lower, upper
        self.by_row, self.by_column = by_row, by_column
        self.sides = _finite_or_zero(lb), _finite_or_zero(ub)
        self.bounds = _finite_or_zero(lower), _finite_or_zero(upper)
        self.size_of_sides = _norm(abs(self.sides[0]).clip(abs(self.sides[1]), None))
        self.size_of_c = _norm(c)

    def scaled(self):
        """What PrimalDualIteration takes before the initial guess."""
        rows, columns = self.by_row, self.by_column
        return self.S, self.c * columns, self.lb * rows, self.ub * rows, self.lower / columns, self.upper / columns

    def to_scaled(self, x, y):
        return x / self.by_column, y / self.by_row

    def point(self, scaled_x, scaled_y):
        """The point, with y and the reduced costs of signs that the sides and bounds allow."""
        y = scaled_y * self.by_row
        y = held_by(y, self.lb, self.ub)
        free = self.c - self.times_transposed(y)
        reduced = held_by(free, self.lower, self.upper)
        x = (scaled_x * self.by_column).clip(self.lower, self.upper)
        product = self.times(x)
        fun = _dot(self.c, x)
        dual = self.dual_objective(y, reduced)
        return Point(
            x=x,
            y=y,
            reduced_costs=reduced,
            fun=fun,
            dual_fun=dual,
            primal_error=_norm(product - product.clip(self.lb, self.ub)) / (1 + self.size_of_sides),
            dual_error=_norm(free - reduced) / (1 + self.size_of_c),
            gap=_relative_gap(fun, dual),
        )

    def times(self, x):
        """A x."""
        return (self.S @ (x / self.by_column)) / self.by_row

    def times_transposed(self, y):
        """A^T y."""
        return (self.S.T @ (y / self.by_row)) / self.by_column

    def dual_objective(self, y, reduced):
        """The least value of y z + reduced x for z between lb and ub, and x within its bounds."""
        return _least(y, *self.sides) + _least(reduced, *self.bounds)


@dataclasses.dataclass
class Point:
    """A pair of x and y in the user's units, and its errors."""

    x: Any
    y: Any
    reduced_costs: Any
    fun: float
    dual_fun: float
    primal_error: float
    dual_error: float
    gap: float

    def within(self, rtol):
        # Not by max(), which may drop a NaN.
        return all(error <= rtol for error in (self.primal_error, self.dual_error, self.gap))


class Rays:
    """The last step of x and of y, which become certificates if there is no optimal point."""

    def __init__(self, program, scaled_dx, scaled_dy):
        self.program = program
        self.x = scaled_dx * program.by_column
        self.y = held_by(scaled_dy * program.by_row, program.lb, program.ub)

    def proves_infeasible(self):
        """Whether y (z - A x) > 0 for all x within bounds and z between lb and ub, up to the tolerance."""
        program = self.program
        free = -program.times_transposed(self.y)
        reduced = held_by(free, program.lower, program.upper)
        objective = program.dual_objective(self.y, reduced)
        return 0 < objective < math.inf and _norm(free - reduced) <= RAY_TOLERANCE * objective

    def proves_unbounded(self):
        """Whether c x falls along the ray without end, and the ray keeps to the sides and bounds."""
        program = self.program
        inside = _recession(self.x, program.lower, program.upper)
        descent = -_dot(program.c, inside)
        if not 0 < descent < math.inf:
            return False
        outside = _norm(self.x - inside)
        product = program.times(inside)
        outside += _norm(product - _recession(product, program.lb, program.ub))
        self.x = inside
        return outside <= RAY_TOLERANCE * descent


def _relative_gap(fun, dual):
    size = 1 + abs(fun) + abs(dual)
    return abs(fun - dual) / size if size < math.inf else math.inf


def _recession(direction, low, high):
    """The direction, clipped to those in which one may go without end between low and high."""
    return _where_infinite(low, direction.clip(None, 0)) + _where_infinite(high, direction.clip(0, None))


def held_by(multipliers, low, high):
    """The multipliers that a finite bound allows: positive ones of `low`, negative ones of `high`."""
    return _where_finite(low, multipliers.clip(0, None)) + _where_finite(high, multipliers.clip(None, 0))


def _least(multipliers, low, high):
    return _dot(multipliers.clip(0, None), low) + _dot(multipliers.clip(None, 0), high)


def _is_finite(bound):
    return abs(bound) < math.inf


def _finite_or_zero(bound):
    return _where_finite(bound, bound.clip(-_LARGEST, _LARGEST))


def _where_finite(bound, values):
    return values * _is_finite(bound)


def _where_infinite(bound, values):
    return values * ~_is_finite(bound)


def _dot(a, b):
    return float(a @ b)


def _norm(a):
    return math.sqrt(_dot(a, a))
