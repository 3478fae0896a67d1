# SPDX-License-Identifier: BSD-3-Clause
"""Test matrices, and the comparison of a product with the exact one."""

import numpy
import scipy.sparse as sparse

SCIPY_FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
DTYPES = ["float32", "float64"]
INDEX_TYPES = ["int32", "int64"]
# Rows x columns: square, wide, tall, one row, one column, and without rows, columns or both.
SHAPES = [(40, 40), (7, 60), (60, 7), (1, 30), (30, 1), (0, 5), (5, 0), (0, 0)]


def random_matrix(shape, dtype="float64", density=0.15, seed=0):
    """In CSR. With values of both signs, an empty row and a long one."""
    random = numpy.random.default_rng(seed)
    matrix = random.random(shape) < density
    if shape[0] > 3:
        matrix[1] = False
        matrix[2] = True
    values = random.uniform(-1, 1, shape) * matrix
    return sparse.csr_array(values.astype(dtype))


def with_index_type(matrix, index_type):
    """A copy of a CSR, CSC, COO or BSR matrix with these indices."""
    matrix = matrix.copy()
    if matrix.format == "coo":
        matrix.coords = tuple(numbers.astype(index_type) for numbers in matrix.coords)
    else:
        matrix.indices, matrix.indptr = matrix.indices.astype(index_type), matrix.indptr.astype(index_type)
    return matrix


def random_vector(size, dtype, seed=1):
    return numpy.random.default_rng(seed).uniform(-1, 1, size).astype(dtype)


def assert_product(got, matrix, x, alpha=1, beta=0, y=None):
    """got = alpha A x + beta y within the bound of rounding errors of bench_support's oracle, for each column:

        gamma(n + 3) (|alpha| sum |a_ij x_j| + |beta y_i|) + (n |alpha| + 3) eta,  gamma(k) = k u / (1 - k u),

    with n the entries of row i. It holds for any order of additions. Sums are in long double.
    """
    assert got.dtype == matrix.dtype
    entries = sparse.coo_array(matrix)
    assert got.shape == (entries.shape[0],) + x.shape[1:]
    columns = 1 if x.ndim == 1 else x.shape[1]
    got, x = (numpy.asarray(array).reshape(array.shape[0], columns) for array in (got, x))
    kind = numpy.finfo(matrix.dtype)
    u = numpy.longdouble(kind.eps) / 2
    n = numpy.bincount(entries.row, minlength=entries.shape[0]).astype(numpy.longdouble)[:, None]
    terms = alpha * entries.data.astype(numpy.longdouble)[:, None] * x[entries.col].astype(numpy.longdouble)
    exact, magnitudes = (numpy.zeros(got.shape, numpy.longdouble) for _ in range(2))
    numpy.add.at(exact, entries.row, terms)
    numpy.add.at(magnitudes, entries.row, abs(terms))
    if beta != 0:
        added = beta * y.reshape(got.shape).astype(numpy.longdouble)
        exact += added
        magnitudes += abs(added)
    gamma = (n + 3) * u / (1 - (n + 3) * u)
    bound = gamma * magnitudes + (n * abs(alpha) + 3) * kind.smallest_subnormal
    wrong = numpy.argwhere(~(abs(got - exact) <= bound))
    assert not len(wrong), f"{len(wrong)} elements are wrong, the first in row {wrong[0][0]}, column {wrong[0][1]}"
