# SPDX-License-Identifier: BSD-3-Clause
"""pdhg() makes the steps, tests and restarts that its documentation describes: as a plain program in NumPy."""

import numpy
import pytest

import gossamer
from gossamer.linalg import pdhg
from gossamer.linalg.equilibration import equilibrate
from gossamer.linalg.primal_dual import _estimate_norm, _first_weight
from gossamer.linalg.program import Program
from lp_programs import random_program

norm = numpy.linalg.norm


class PlainIteration:
    """The iteration of the guide to linear programs, in NumPy."""

    def __init__(self, of):
        S, rows, columns = equilibrate(of.A)
        G = gossamer.matrix(S, operations="both")
        self.program = Program(G, of.c, of.lb, of.ub, of.lower, of.upper, rows, columns)
        self.S = S
        _, self.c, self.lb, self.ub, self.lower, self.upper = self.program.scaled()
        self.norm = _estimate_norm(self.program.S)
        self.weight = _first_weight(self.c, self.lb, self.ub)
        self.x, self.y = numpy.zeros(S.shape[1]).clip(self.lower, self.upper), numpy.zeros(S.shape[0])
        self.anchor = self.x, self.y
        self.k = self.nit = self.restarts = 0
        self.norm_was_small = False

    def step(self, z):
        """T(z)."""
        x, y = z
        tau, sigma = 0.99 / self.norm / self.weight, 0.99 / self.norm * self.weight
        stepped = (x - tau * (self.c - self.S.T @ y)).clip(self.lower, self.upper)
        t = y - sigma * (self.S @ (2 * stepped - x))
        return stepped, t - t.clip(-sigma * self.ub, -sigma * self.lb)

    def length(self, dx, dy):
        """||(dx, dy)|| in the norm in which T contracts."""
        coupling = dy @ (self.S @ dx)
        if 0.99 * abs(coupling) > self.norm * norm(dx) * norm(dy) > 0:
            self.norm = abs(coupling) / (norm(dx) * norm(dy))
            self.norm_was_small = True
        step = 0.99 / self.norm
        squared = self.weight * dx @ dx / step - 2 * coupling + dy @ dy / (self.weight * step)
        return numpy.sqrt(max(squared, 0))

    def round(self, steps, rtol):
        """Some steps, and a restart if it is due. Whether T(z) of the last step is optimal."""
        z = self.x, self.y
        for number in range(steps):
            self.k += 1
            self.nit += 1
            to = self.step(z)
            if number in (0, steps - 1):
                length = self.length(to[0] - z[0], to[1] - z[1])
                if self.k == 1:
                    self.first = self.last = length
            share = self.k / (self.k + 1)
            z = tuple(share * (2 * b - a) + (1 - share) * c for a, b, c in zip(z, to, self.anchor))
        self.point = self.program.point(*to)
        if self.point.within(rtol):
            return True
        is_due = (
            length <= 0.2 * self.first
            or (length <= 0.8 * self.first and length > self.last)
            or self.k >= 0.36 * self.nit
            or self.norm_was_small
        )
        self.last = length
        if is_due:
            moved = [norm(b - c) for b, c in zip(to, self.anchor)]
            if min(moved) > 0:
                self.weight = numpy.sqrt(self.weight * moved[1] / moved[0])
            self.anchor = z = to
            self.k = 0
            self.restarts += 1
            self.norm_was_small = False
        self.x, self.y = z
        return False


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("steps", [1, 7, 40])
@pytest.mark.parametrize("size", [(8, 8), (10, 25), (25, 10), (30, 30)], ids=str)
def test_steps_and_restarts_are_those_of_a_plain_program(size, steps, device):
    if device != "cpu":
        pytest.importorskip("cupy", reason="CuPy is not installed")
    of = random_program(*size, 3)
    rtol = 1e-5
    plain = PlainIteration(of)
    while not plain.round(steps, rtol):
        pass
    expected = plain.point
    found = pdhg(**of.arguments(), rtol=rtol, check_every=steps, device=device)
    assert (found.nit, found.restarts) == (plain.nit, plain.restarts)
    # Rounding errors grow with the number of steps, and T does not expand: a few units for each step.
    accuracy = 1000 * found.nit * numpy.finfo(float).eps
    size_of_point = 1 + norm(expected.x) + norm(expected.y)
    assert norm(found.x - expected.x) <= accuracy * size_of_point
    assert norm(found.y - expected.y) <= accuracy * size_of_point


def test_a_norm_that_was_too_small_is_corrected(monkeypatch):
    of = random_program(10, 25, 3)
    whole = pdhg(**of.arguments(), rtol=1e-6)
    monkeypatch.setattr("gossamer.linalg.primal_dual._estimate_norm", lambda S: 0.9 * _estimate_norm(S))
    found = pdhg(**of.arguments(), rtol=1e-6, maxiter=20_000)
    assert found.success
    assert abs(found.fun - whole.fun) <= 1e-4 * (1 + abs(whole.fun))
