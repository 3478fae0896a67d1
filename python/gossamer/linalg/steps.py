# SPDX-License-Identifier: BSD-3-Clause
"""The vector operations of a step of pdhg(), for NumPy arrays and, one kernel each, for CuPy arrays.

primal() replaces x by share * r + (1 - share) * anchor, and writes r = 2 clip(x - tau (c - aty), lower, upper) - x
to `reflected`. dual() replaces y by share * r + (1 - share) * anchor, with r = 2 y' - y and
y' = sigma (clip(t, lb, ub) - t), t = ax - y / sigma.
"""

import functools
import sys

import numpy

from ..buffers import is_cupy


def steps_for(vector):
    """The steps for vectors of the library of this one."""
    return _cupy_steps() if is_cupy(vector) else _NumpySteps()


class _NumpySteps:
    """The operations work in place, and overwrite `ax`."""

    library = numpy

    @staticmethod
    def primal(x, aty, c, lower, upper, anchor, tau, share, reflected):
        numpy.subtract(aty, c, out=reflected)
        reflected *= tau
        reflected += x
        numpy.clip(reflected, lower, upper, out=reflected)
        reflected *= 2
        reflected -= x
        _average(x, reflected, anchor, share)

    @staticmethod
    def dual(y, ax, lb, ub, anchor, sigma, share):
        t = numpy.subtract(ax, y / sigma, out=ax)
        reflected = numpy.clip(t, lb, ub)
        reflected -= t
        reflected *= 2 * sigma
        reflected -= y
        _average(y, reflected, anchor, share)


def _average(z, reflected, anchor, share):
    numpy.subtract(reflected, anchor, out=z)
    z *= share
    z += anchor


@functools.cache
def _cupy_steps():
    cupy = sys.modules["cupy"]
    primal = cupy.ElementwiseKernel(
        "float64 aty, float64 c, float64 lower, float64 upper, float64 anchor, float64 tau, float64 share",
        "float64 x, float64 reflected",
        "const double stepped = fmin(fmax(x + tau * (aty - c), lower), upper);"
        "reflected = 2 * stepped - x;"
        "x = anchor + share * (reflected - anchor);",
        "gossamer_pdhg_primal",
    )
    dual = cupy.ElementwiseKernel(
        "float64 ax, float64 lb, float64 ub, float64 anchor, float64 sigma, float64 share",
        "float64 y",
        "const double t = ax - y / sigma;"
        "const double reflected = 2 * sigma * (fmin(fmax(t, lb), ub) - t) - y;"
        "y = anchor + share * (reflected - anchor);",
        "gossamer_pdhg_dual",
    )

    class CupySteps:
        library = cupy

        @staticmethod
        def primal(x, aty, c, lower, upper, anchor, tau, share, reflected):
            primal(aty, c, lower, upper, anchor, tau, share, x, reflected)

        @staticmethod
        def dual(y, ax, lb, ub, anchor, sigma, share):
            dual(ax, lb, ub, anchor, sigma, share, y)

    return CupySteps
