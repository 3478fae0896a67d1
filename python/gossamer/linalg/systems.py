# SPDX-License-Identifier: BSD-3-Clause
"""A x = b: the arguments of its solvers, and the call of the library."""

import math
from dataclasses import dataclass
from typing import Any

from .. import _gossamer
from ..buffers import is_cupy, wait_for
from ..errors import InvalidArgumentError, SizeMismatchError
from .operators import prepared
from .preconditioners import Preconditioner, applied, apply_hook, preconditioner_of
from .vectors import address_of, as_type, check_length, check_memory, contiguous_copy, current_stream, real_vector
from .vectors import start_vector


@dataclass
class System:
    """A x = b. b and x are contiguous arrays of the matrix's type; x is the initial guess, and becomes the solution."""

    solver: str
    matrix: Any
    b: Any
    x: Any
    starts_at_zero: bool
    preconditioner: Preconditioner
    iterations: int = 0  # after solve(), as the norm of the residual
    residual: float = math.nan

    @classmethod
    def of(cls, A, b, x0, M, solver):
        b = real_vector(b, "b")
        shape = getattr(A, "shape", None)
        if shape is not None and len(shape) == 2:
            if shape[0] != shape[1]:
                raise SizeMismatchError(f"A has shape {tuple(shape)}; {solver} needs a square matrix")
            check_length(b, shape[0], "b", shape)
        G = prepared(A, b, solver)
        check_length(b, G.shape[0], "b", G.shape)
        check_memory(b, G)
        b = as_type(b.reshape(-1), G.dtype)
        preconditioner = preconditioner_of(M, G, b)
        if isinstance(x0, str):
            if x0 != "Mb":
                raise InvalidArgumentError(f'x0 = {x0!r}; it may be an array, None or "Mb"')
            x = contiguous_copy(applied(preconditioner, G, b), G.dtype)
        else:
            x = start_vector(x0, G, b)
        return cls(solver, G, b, x, x0 is None, preconditioner)

    def solve(self, rtol, atol, shift, maxiter, callback, check_every):
        """Calls the library's solver. Returns the status."""
        preconditioner = self.preconditioner
        polynomial = preconditioner.polynomial
        outcome, self.iterations, self.residual = _gossamer.solve_system(
            solver=self.solver,
            matrix=self.matrix,
            b=address_of(self.b),
            x=address_of(self.x),
            on_device=is_cupy(self.b),
            stream=current_stream(self.b),
            rtol=rtol,
            atol=atol,
            shift=shift,
            maxiter=None if maxiter is None else int(maxiter),
            zero_initial_guess=self.starts_at_zero,
            check_every=check_every,
            kind=preconditioner.kind,
            diagonal=0 if preconditioner.vector is None else address_of(preconditioner.vector),
            degree=polynomial.degree,
            lower=polynomial.lower,
            upper=polynomial.upper,
            apply=apply_hook(preconditioner, self.b),
            callback=None if callback is None else lambda: callback(self._copy_of_x()),
        )
        return outcome

    def _copy_of_x(self):
        copy = self.x.copy()
        wait_for(copy)  # in CuPy's stream, while the next iteration may change x in another one
        return copy
