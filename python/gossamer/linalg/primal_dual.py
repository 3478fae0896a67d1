# SPDX-License-Identifier: BSD-3-Clause
"""The iteration of pdhg(): the library's, on vectors of NumPy or CuPy, called for some rounds at a time."""

import math

import numpy

from .. import _gossamer
from ..buffers import is_cupy
from .vectors import address_of, current_stream, library_of

# Rounds between two searches for certificates.
_RAY_ROUNDS = 5
# On a GPU, rounds run without the host for at most this time, since Ctrl-C and time_limit wait for them.
_SECONDS_AT_ONCE = 0.2


class PrimalDualIteration:
    """The state of a solve of a Program. A round is some steps, and then a test of convergence.

    With z = (x, y), a step T of the primal-dual hybrid gradient, of step sizes tau and sigma, is

        x' = clip(x - tau (c - A^T y), lower, upper)
        t = y - sigma A (2 x' - x),  y' = t - clip(t, -sigma ub, -sigma lb).

    The iteration is Halpern's, of the reflected step 2 T(z) - z. An epoch is the steps between two restarts, and
    its first iterate is the anchor:

        z <- k / (k + 1) (2 T(z) - z) + 1 / (k + 1) anchor,  k = 1, 2, ...

    It restarts when the fixed-point error ||T(z) - z|| has decreased enough. Then T(z) is the next anchor, and the
    ratio of the step sizes follows the distances that x and y have moved.
    """

    def __init__(self, program, rtol, x, y):
        self.program = program
        self.steps = self.restarts = 0
        self.is_finite = True
        self._since_rays = self._rounds = 0
        self._at_once = 1
        S, c, lb, ub, lower, upper = program.scaled()
        x, y = program.to_scaled(x.clip(program.lower, program.upper), y)
        x = x.clip(lower, upper)
        vectors = (c, lb, ub, lower, upper, program.by_row, program.by_column, x, y)
        self._vectors = tuple(library_of(x).ascontiguousarray(each) for each in vectors)
        names = ("c", "lb", "ub", "lower", "upper", "rows", "columns", "x", "y")
        self._loop = _gossamer.LinearProgramIteration(
            matrix=S,
            on_device=is_cupy(x),
            stream=current_stream(x),
            norm=_estimate_norm(S),
            weight=_first_weight(c, lb, ub),
            # The test of the library rounds differently from point(), which decides.
            rtol=rtol * (1 - 1e-9),
            size_of_sides=1 + program.size_of_sides,
            size_of_c=1 + program.size_of_c,
            **{name: address_of(vector) for name, vector in zip(names, self._vectors)},
        )
        self._found = tuple(library_of(x).zeros_like(each) for each in (x, y, x, y))
        self._copy()

    @property
    def moved(self):
        """T(z) - z of the last step, in scaled units."""
        return self._found[2:]

    def point(self):
        """T(z) of the last step."""
        return self.program.point(*self._found[:2])

    def advance(self, rounds, steps, limit):
        """Runs up to `rounds` rounds of `steps` steps, and at most `limit` steps in all; fewer if it converges."""
        rounds = min(rounds, max(1, (limit - self.steps) // steps))
        before = self.steps
        outcome, self.steps, self.restarts = self._loop.advance(rounds, min(steps, limit - self.steps))
        self.is_finite = outcome != "not_finite"
        done = math.ceil((self.steps - before) / steps)
        self._rounds += done
        self._since_rays += done
        self._copy()

    def rounds_at_once(self, spent, left):
        """How many rounds to run without looking: one on a CPU; on a GPU more and more, as time allows."""
        if is_cupy(self._found[0]) and 0 < spent < left:
            longest = max(1, int(_SECONDS_AT_ONCE / spent * self._rounds))
            self._at_once = min(2 * self._at_once, longest)
        return self._at_once

    def rays_are_due(self):
        if self._since_rays < _RAY_ROUNDS:
            return False
        self._since_rays = 0
        return True

    def _copy(self):
        x, y, moved_x, moved_y = (address_of(each) for each in self._found)
        self._loop.copy_to(x, y, moved_x, moved_y)


def _estimate_norm(S, limit=200, accuracy=1e-4):
    """A lower bound of ||S||, by power iterations with S^T S from a fixed start; 1 for a matrix of zeros."""
    start = numpy.random.default_rng(0).standard_normal(S.shape[1])
    if S.device == "cpu":
        x = start
    else:
        import cupy

        x = cupy.asarray(start)
    found = 0.0
    for _ in range(limit):
        size = _norm(x)
        if size == 0:
            break
        x = S.T @ (S @ (x / size))
        previous, found = found, math.sqrt(_norm(x))
        if found - previous <= accuracy * found:
            break
    return found or 1.0


def _first_weight(c, lb, ub):
    """||c|| / ||(lb, ub)||, of finite elements."""
    sides = math.sqrt(sum(_norm(library_of(side).where(abs(side) < math.inf, side, 0)) ** 2 for side in (lb, ub)))
    return _norm(c) / sides if sides > 0 and _norm(c) > 0 else 1.0


def _norm(a):
    return math.sqrt(float(a @ a))
