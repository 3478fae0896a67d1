# SPDX-License-Identifier: BSD-3-Clause
"""Solvers whose iterations are products with a sparse matrix: for vectors of NumPy and of CuPy."""

from .krylov import bicgstab, cg, minres
from .least_squares import lsqr
from .linear_program import LinearProgramResult, pdhg
from .preconditioners import Polynomial

__all__ = ["LinearProgramResult", "Polynomial", "bicgstab", "cg", "lsqr", "minres", "pdhg"]
