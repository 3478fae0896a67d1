# SPDX-License-Identifier: BSD-3-Clause
"""Solvers whose iterations are products with a sparse matrix: for vectors of NumPy and of CuPy."""

from .krylov import cg
from .linear_program import LinearProgramResult, pdhg
from .preconditioners import Polynomial

__all__ = ["LinearProgramResult", "Polynomial", "cg", "pdhg"]
