# SPDX-License-Identifier: BSD-3-Clause
"""Solvers whose iterations are products with a sparse matrix: for vectors of NumPy and of CuPy."""

from .linear_program import LinearProgramResult, pdhg

__all__ = ["LinearProgramResult", "pdhg"]
