# SPDX-License-Identifier: BSD-3-Clause
"""Products of a `gossamer.matrix` with PyTorch tensors, for autograd and `torch.compile`.

`matmul(G, x)` calls the custom operator `gossamer::multiply`. It works on CPUs and on CUDA devices. Without
gradients and outside compiled functions, `G @ x` does the same in less time.
"""

from typing import Optional

import torch
from torch.autograd import forward_ad

from .entries import entry_indices
from .errors import ArgumentTypeError, InvalidArgumentError
from .foreign import refuse_tangent
from .matrix import Matrix, matrix_of_number

__all__ = ["matmul"]


def matmul(matrix: Matrix, x: torch.Tensor, values: Optional[torch.Tensor] = None) -> torch.Tensor:
    """The product `matrix @ x`, with gradients.

    Parameters
    ----------
    matrix : gossamer.Matrix of shape (m, n), or its transpose
    x : tensor of shape (n,) or (n, k), of the matrix's type and on its device
    values : tensor of shape (nnz,), of the same type and on the same device, in the order of update(). It
        receives gradients. The matrix needs values_change=True. The product calls update(values), and the
        gradient with respect to x does so again. The matrix keeps these values, also after gradients of
        gradients.

    Returns
    -------
    tensor of shape (m,) or (m, k), contiguous. On a CUDA device the product is asynchronous in the current
    stream.

    Threads may multiply by one matrix with different values; on a CUDA device they must use the same stream.
    The gradient with respect to x is a product with the transpose. That with respect to the value of entry
    (i, j) is the dot product of row i of the gradient and row j of x. Forward-mode differentiation is not
    supported. Errors are those of `matrix @ x` and update().

    torch.compile makes one graph for each matrix. One function can have torch._dynamo.config.recompile_limit
    graphs, by default 8: raise that for more matrices. A program of torch.export holds for the process that
    made it, as long as the matrix lives.

    Examples
    --------
    >>> import scipy.sparse, torch, gossamer.torch
    >>> G = gossamer.matrix(scipy.sparse.csr_array([[1.0, 2.0], [0.0, 3.0]]))
    >>> x = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    >>> gossamer.torch.matmul(G, x).sum().backward()
    >>> x.grad
    tensor([1., 5.], dtype=torch.float64)
    """
    if not isinstance(matrix, Matrix):
        raise ArgumentTypeError(
            f"the first argument is a {type(matrix).__name__}, not a gossamer.Matrix: make one with gossamer.matrix()"
        )
    if not isinstance(x, torch.Tensor):
        raise ArgumentTypeError(f"x is a {type(x).__name__}, not a torch tensor")
    if values is not None and not isinstance(values, torch.Tensor):
        raise ArgumentTypeError(f"values is a {type(values).__name__}, not a torch tensor")
    if forward_ad._current_level >= 0:
        _refuse_tangents(x, values)
    number, transposed = matrix._identity
    return torch.ops.gossamer.multiply(number, values, x, transposed)


def _refuse_tangents(x, values):
    refuse_tangent(x, "x")
    if values is not None:
        refuse_tangent(values, "values")


# The operators below take the number of a matrix, since a compiled graph cannot hold the matrix. They mean
# the matrix that is not transposed.


def _matrix_of(number):
    found = matrix_of_number(number)
    if found is None:
        raise InvalidArgumentError("the matrix of this product was deleted, or belongs to another process")
    return found


@torch.library.custom_op("gossamer::multiply", mutates_args=())
def _multiply(matrix: str, values: Optional[torch.Tensor], x: torch.Tensor, transposed: bool) -> torch.Tensor:
    of = _matrix_of(matrix)
    factor = of.T if transposed else of
    if forward_ad._current_level >= 0:  # matmul() does not see it if it was compiled before
        _refuse_tangents(x, values)
    if values is None:
        return _contiguous_product(factor, x.detach())
    with of._context.lock:  # another thread's values must not come between
        of.update(values.detach())
        return _contiguous_product(factor, x.detach())


def _contiguous_product(matrix, x):
    """matrix @ x. `matrix @ x` itself is column-major if x is, but the result in a compiled graph is row-major."""
    if x.ndim != 2 or x.layout is not torch.strided:
        return matrix.multiply(x)
    return matrix.multiply(x, out=x.new_empty((matrix.shape[0], x.shape[1])))


@_multiply.register_fake
def _(matrix, values, x, transposed):
    return _empty_product(matrix, x, transposed)


def _empty_product(matrix, x, transposed):
    rows, cols = _matrix_of(matrix).shape
    return x.new_empty((cols if transposed else rows, *x.shape[1:]))


def _keep_factors(ctx, inputs, output):
    number, values, x, transposed = inputs
    ctx.number, ctx.transposed = number, transposed
    ctx.matrix = _matrix_of(number)  # it lives until the gradients are there
    ctx.save_for_backward(values, x)


def _gradients_of_multiply(ctx, gradient):
    values, x = ctx.saved_tensors
    of_values = of_x = None
    if ctx.needs_input_grad[2]:
        of_x = torch.ops.gossamer.multiply(ctx.number, values, gradient, not ctx.transposed)
    if values is not None and ctx.needs_input_grad[1]:
        left, right = (x, gradient) if ctx.transposed else (gradient, x)
        of_values = torch.ops.gossamer.multiply_at_entries(ctx.number, left, right)
    return None, of_values, of_x, None


_multiply.register_autograd(_gradients_of_multiply, setup_context=_keep_factors)


@torch.library.custom_op("gossamer::multiply_at_entries", mutates_args=())
def _multiply_at_entries(matrix: str, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """For each entry (i, j) of the matrix, row i of `left` times row j of `right`. One column at a time, so
    that it takes memory for two products of each entry only."""
    rows, cols = entry_indices(_matrix_of(matrix), left.device)
    if left.ndim == 1:
        return left.index_select(0, rows).mul_(right.index_select(0, cols))
    result = left.new_zeros(rows.shape)
    for k in range(left.shape[1]):
        result.addcmul_(left[:, k].index_select(0, rows), right[:, k].index_select(0, cols))
    return result


@_multiply_at_entries.register_fake
def _(matrix, left, right):
    return left.new_empty((_matrix_of(matrix).nnz,))


def _keep_sides(ctx, inputs, output):
    number, left, right = inputs
    ctx.number, ctx.matrix = number, _matrix_of(number)
    ctx.save_for_backward(left, right)


def _gradients_of_entries(ctx, gradient):
    left, right = ctx.saved_tensors
    of_left = of_right = None
    if ctx.needs_input_grad[1]:
        of_left = torch.ops.gossamer.multiply_by_values(ctx.number, gradient, right, False)
    if ctx.needs_input_grad[2]:
        of_right = torch.ops.gossamer.multiply_by_values(ctx.number, gradient, left, True)
    return None, of_left, of_right


_multiply_at_entries.register_autograd(_gradients_of_entries, setup_context=_keep_sides)


@torch.library.custom_op("gossamer::multiply_by_values", mutates_args=())
def _multiply_by_values(matrix: str, values: torch.Tensor, x: torch.Tensor, transposed: bool) -> torch.Tensor:
    """The product of x and a matrix with these values at the matrix's entries. The matrix keeps its own values,
    so this suits the gradients of gradients, whose values are not the user's."""
    of = _matrix_of(matrix)
    targets, sources = entry_indices(of, x.device)
    if transposed:
        targets, sources = sources, targets
    result = x.new_zeros((of.shape[1 if transposed else 0], *x.shape[1:]))
    if x.ndim == 1:
        return result.index_add_(0, targets, x.index_select(0, sources).mul_(values))
    for k in range(x.shape[1]):
        result[:, k].index_add_(0, targets, x[:, k].index_select(0, sources).mul_(values))
    return result


@_multiply_by_values.register_fake
def _(matrix, values, x, transposed):
    return _empty_product(matrix, x, transposed)


def _gradients_of_multiply_by_values(ctx, gradient):
    values, x = ctx.saved_tensors
    of_values = of_x = None
    if ctx.needs_input_grad[1]:
        left, right = (x, gradient) if ctx.transposed else (gradient, x)
        of_values = torch.ops.gossamer.multiply_at_entries(ctx.number, left, right)
    if ctx.needs_input_grad[2]:
        of_x = torch.ops.gossamer.multiply_by_values(ctx.number, values, gradient, not ctx.transposed)
    return None, of_values, of_x, None


_multiply_by_values.register_autograd(_gradients_of_multiply_by_values, setup_context=_keep_factors)
