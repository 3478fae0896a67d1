# SPDX-License-Identifier: BSD-3-Clause
"""The iteration of pdhg(): reflected Halpern steps of the primal-dual hybrid gradient, and their restarts.

For min c x with lb <= A x <= ub and l <= x <= u, one step T of step sizes tau and sigma is

    x' = clip(x - tau (c - A^T y), l, u)
    t = A (2 x' - x) - y / sigma,  y' = sigma (clip(t, lb, ub) - t).

The iteration averages the reflected steps with the start of an epoch, its anchor, by Halpern's weights:

    z <- k / (k + 1) (2 T(z) - z) + 1 / (k + 1) anchor,  k = 1, 2, ...

An epoch ends where the length of a step, ||T(z) - z|| in the norm that the method contracts in, has become small
enough relative to that of the epoch's first step. Then T(z) is the next anchor, and the ratio of tau and sigma
follows the distances that x and y have moved.
"""

import math

import numpy

from .steps import steps_for

# An epoch ends if a step is shorter than the first factor times the epoch's first step; or shorter than the
# second one, if steps grow again; or if the epoch has this share of all iterations.
SUFFICIENT_DECAY = 0.2
NECESSARY_DECAY = 0.8
LONGEST_EPOCH = 0.36
# Share of the new ratio of distances in the logarithm of the primal weight.
WEIGHT_SMOOTHING = 0.5
# The estimate of the norm of A is a lower bound, close to it.
STEP_SAFETY = 0.99


class PrimalDualIteration:
    """The state of a solve. Vectors are arrays of NumPy or CuPy, in the memory of the matrix.

    `x` and `y` are the latest T(z), with x within its bounds, after a call of advance().
    """

    def __init__(self, matrix, c, lb, ub, lower, upper, x, y):
        self.matrix, self.transposed = matrix, matrix.T
        self.c, self.lb, self.ub, self.lower, self.upper = c, lb, ub, lower, upper
        self.steps = steps_for(c)
        self.library = self.steps.library
        self.norm = _estimate_norm(self.matrix, self.transposed, self.library)
        size = _norm(c), math.sqrt(sum(_norm(_finite(bound, self.library)) ** 2 for bound in (lb, ub)))
        self.weight = size[0] / size[1] if min(size) > 0 else 1.0
        self.x, self.y = self.library.clip(x, lower, upper), y.copy()
        self.iterations = 0
        self.restarts = 0
        self._x, self._y = self.x.copy(), self.y.copy()  # z
        self._anchor = self.x.copy(), self.y.copy()
        self._reflected = self.library.empty_like(x)
        self._columns, self._rows = self.library.empty_like(x), self.library.empty_like(y)
        self._in_epoch = 0
        self._norm_was_too_small = False
        self._first_length = self._last_length = math.inf

    def advance(self, count):
        """Makes `count` steps, and then restarts if an epoch ends there. Returns the last T(z) - z as a pair."""
        for number in range(1, count + 1):
            if self._in_epoch > 0 and number < count:
                self._step()
                continue
            difference = self._step_and_keep()
            length = self._length(*difference)
            if self._in_epoch == 1:
                self._first_length = self._last_length = length
        self._restart_if_due(length)
        return difference

    def is_finite(self):
        return math.isfinite(self._last_length)

    def _step(self):
        share, tau, sigma = self._coefficients()
        self.transposed.multiply(self._y, out=self._columns)
        self.steps.primal(self._x, self._columns, self.c, self.lower, self.upper, self._anchor[0], tau, share,
                          self._reflected)
        self.matrix.multiply(self._reflected, out=self._rows)
        self.steps.dual(self._y, self._rows, self.lb, self.ub, self._anchor[1], sigma, share)

    def _step_and_keep(self):
        """The same step. self.x and self.y become T(z); returns T(z) - z."""
        library = self.library
        share, tau, sigma = self._coefficients()
        step = library.subtract(self.transposed @ self._y, self.c)
        self.x = library.clip(step * tau + self._x, self.lower, self.upper)
        reflected = self.x * 2 - self._x
        t = self.matrix @ reflected - self._y / sigma
        self.y = (library.clip(t, self.lb, self.ub) - t) * sigma
        difference = self.x - self._x, self.y - self._y
        self._x = self._anchor[0] + share * (reflected - self._anchor[0])
        self._y = self._anchor[1] + share * (self.y * 2 - self._y - self._anchor[1])
        return difference

    def _coefficients(self):
        self.iterations += 1
        self._in_epoch += 1
        step = STEP_SAFETY / self.norm
        return self._in_epoch / (self._in_epoch + 1), step / self.weight, step * self.weight

    def _length(self, dx, dy):
        """||T(z) - z||. Corrects the estimate of the norm of A if it was too small."""
        coupling = _dot(dy, self.matrix.multiply(dx, out=self._rows))
        sizes = _norm(dx), _norm(dy)
        if abs(coupling) * STEP_SAFETY > self.norm * sizes[0] * sizes[1] and math.isfinite(coupling):
            self.norm = abs(coupling) / (sizes[0] * sizes[1])
            self._norm_was_too_small = True
        step = STEP_SAFETY / self.norm
        squared = self.weight * sizes[0] ** 2 / step - 2 * coupling + sizes[1] ** 2 / (self.weight * step)
        return math.sqrt(max(squared, 0)) if math.isfinite(squared) else math.nan

    def _restart_if_due(self, length):
        is_due = (
            length <= SUFFICIENT_DECAY * self._first_length
            or (length <= NECESSARY_DECAY * self._first_length and length > self._last_length)
            or self._in_epoch >= LONGEST_EPOCH * self.iterations
            or self._norm_was_too_small
        )
        self._last_length = length
        if is_due:
            moved = _norm(self.x - self._anchor[0]), _norm(self.y - self._anchor[1])
            if min(moved) > 0 and math.isfinite(sum(moved)):
                self.weight *= (moved[1] / moved[0] / self.weight) ** WEIGHT_SMOOTHING
            self.restarts += 1
            self._in_epoch = 0
            self._norm_was_too_small = False
            self._anchor = self.x, self.y
            self._x, self._y = self.x.copy(), self.y.copy()


def _estimate_norm(matrix, transposed, library, limit=100, accuracy=1e-3):
    """A lower bound of ||A||, by power iterations with A^T A from a fixed start; 1 for a matrix of zeros."""
    x = library.asarray(numpy.random.default_rng(0).standard_normal(matrix.shape[1]))
    found = 0.0
    for _ in range(limit):
        size = _norm(x)
        if size == 0:
            break
        x = transposed @ (matrix @ (x / size))
        previous, found = found, math.sqrt(_norm(x))
        if found - previous <= accuracy * found:
            break
    return found or 1.0


def _dot(a, b):
    return float(a @ b)


def _norm(a):
    return math.sqrt(_dot(a, a))


def _finite(bound, library):
    return library.where(library.isfinite(bound), bound, 0)
