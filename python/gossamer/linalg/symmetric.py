# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether A and M are symmetric, for minres()."""

import numpy

from ..errors import InvalidArgumentError
from .preconditioners import applied
from .vectors import library_of


def check_symmetry(system, all_tests):
    """Raises an error if a function M is not positive definite for r = b - A x. With `all_tests`, also if A or M is
    not symmetric for it. The tests are those of SciPy: with y = M r and w = A y, w.w = y.(A w), and y.y = r.(M y).
    """
    kind = system.preconditioner.kind
    if kind == "polynomial" or not (all_tests or kind == "function"):
        return
    G, b = system.matrix, system.b
    r = b if system.starts_at_zero else b - G @ system.x
    y = applied(system.preconditioner, G, r).astype(b.dtype, copy=False)
    if _dot(r, y) < 0:
        raise indefinite_preconditioner()
    if not all_tests:
        return
    eps = float(numpy.finfo(b.dtype).eps)
    w = G @ y
    if _differ(_dot(w, w), _dot(y, G @ w), eps):
        raise InvalidArgumentError("A is a non-symmetric matrix")
    z = applied(system.preconditioner, G, y).astype(b.dtype, copy=False)
    if _differ(_dot(y, y), _dot(r, z), eps):
        raise InvalidArgumentError("M is a non-symmetric preconditioner")


def indefinite_preconditioner():
    return InvalidArgumentError("indefinite preconditioner: r.(M r) < 0 for r = b - A x")


def _differ(one, other, eps):
    return abs(one - other) > (one + eps) * eps ** (1 / 3)


def _dot(a, b):
    return float(library_of(a).dot(a, b))
