# SPDX-License-Identifier: BSD-3-Clause
"""The extension module: the C interface (gossamer.h) for the Python files of this package. Not a public interface."""

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple

if TYPE_CHECKING:  # the documentation runs this file without NumPy
    import numpy

CSR: int
CSC: int
COO: int
F32: int
F64: int
I32: int
I64: int

class Arrays:
    def __init__(
        self,
        layout: int,
        rows: int,
        cols: int,
        nnz: int,
        offsets: int,
        indices: int,
        values: int,
        offset_type: int,
        index_type: int,
        value_type: int,
        device: int,
        owner: Any,
    ) -> None: ...
    @staticmethod
    def read(file: str, value_type: int) -> Arrays: ...
    def write(self, file: str) -> None: ...
    def members(self) -> dict[str, Any]: ...

class Plan:
    def update(self, values: int, on_device: bool, stream: int) -> None: ...
    def info(self) -> dict[str, Any]: ...
    def describe(self) -> str: ...
    def permutation(self) -> Optional[numpy.ndarray]: ...
    def matrix(self) -> Arrays: ...

class LinearProgramIteration:
    def __init__(
        self,
        matrix: Operator,
        c: int,
        lb: int,
        ub: int,
        lower: int,
        upper: int,
        rows: int,
        columns: int,
        x: int,
        y: int,
        on_device: bool,
        stream: int,
        norm: float,
        weight: float,
        rtol: float,
        size_of_sides: float,
        size_of_c: float,
    ) -> None: ...
    def advance(self, rounds: int, steps: int) -> Tuple[str, int, int]: ...
    def copy_to(self, x: int, y: int, moved_x: int, moved_y: int) -> None: ...

class Operator:
    def __init__(self, *arguments: Any) -> None: ...
    @property
    def _number(self) -> int: ...
    @property
    def shape(self) -> Tuple[int, int]: ...
    @property
    def _value_type(self) -> int: ...
    @property
    def _device(self) -> int: ...
    @property
    def _is_transposed(self) -> bool: ...
    @property
    def _context(self) -> Any: ...
    def _plan(self, transposed: bool) -> Optional[Plan]: ...
    def _set_plan(self, transposed: bool, plan: Plan) -> None: ...
    def _multiply(self, x: Any, out: Any, alpha: float, beta: float, stream: Any, from_left: bool) -> Any: ...
    def _finish_at(
        self,
        transposed: bool,
        alpha: float,
        x: int,
        beta: float,
        y: int,
        addresses: Sequence[int],
        gamma: float,
        bounds_factor: float,
        outside: bool,
        out_y_factor: float,
        out_add_factor: float,
        on_device: bool,
        stream: int,
    ) -> None: ...
    def _multiply_at(
        self,
        transposed: bool,
        columns: int,
        alpha: float,
        x: int,
        x_leading: int,
        x_row_major: bool,
        beta: float,
        y: int,
        y_leading: int,
        y_row_major: bool,
        on_device: bool,
        stream: int,
    ) -> None: ...
    def _multiply_vector_at(self, transposed: bool, alpha: float, x: int, y: int, stream: int) -> None: ...
    def __matmul__(self, x: Any, /) -> Any: ...
    def __rmatmul__(self, x: Any, /) -> Any: ...

def can_solve(matrix: Operator, with_transpose: bool) -> bool: ...
def solve_system(
    solver: str,
    matrix: Operator,
    b: int,
    x: int,
    on_device: bool,
    stream: int,
    rtol: float,
    atol: float,
    shift: float,
    maxiter: Optional[int],
    zero_initial_guess: bool,
    check_every: int,
    kind: str,
    diagonal: int,
    degree: int,
    lower: float,
    upper: float,
    apply: Optional[Callable[..., None]],
    callback: Optional[Callable[[], Any]],
) -> Tuple[str, int, float]: ...
def solve_lsqr(
    matrix: Operator,
    b: int,
    x: int,
    on_device: bool,
    stream: int,
    damp: float,
    atol: float,
    btol: float,
    conlim: float,
    maxiter: Optional[int],
    zero_initial_guess: bool,
    check_every: int,
) -> Tuple[str, int, int, float, float, float, float, float, float]: ...
def version() -> int: ...
def cuda_device_count() -> int: ...
def format_names() -> list[str]: ...
def inspect(arrays: Arrays, where: str, options: str, owner: Any) -> Plan: ...
def inspect_like(arrays: Arrays, description: str, owner: Any) -> Plan: ...
def tune(arrays: Arrays, where: str, options: str) -> str: ...
def set_exception_factory(factory: Callable[[str, str, bool], BaseException]) -> None: ...
def jax_handlers() -> dict[str, Any]: ...  # where it was built with JAX's headers, as the next one
def jax_number(matrix: Operator, transposed: bool) -> Tuple[int, int]: ...
def find_operator(number: int) -> Optional[Operator]: ...
def set_foreign_multiply(function: Callable[..., Any]) -> None: ...
