# SPDX-License-Identifier: BSD-3-Clause
"""Diagonal scaling of a matrix's rows and columns, for first-order methods."""

import numpy


def equilibrate(A, passes=10):
    """(S, rows, columns): the matrix S = diag(rows) A diag(columns), whose 2-norm is at most 1.

    A is a scipy.sparse.csr_array of float64. First come `passes` of Ruiz's method: each divides rows and columns
    by the square roots of their largest absolute values, which brings all of these close to 1. Then the rule of
    Pock and Chambolle with exponent 1 divides by the square roots of sums of absolute values. Rows and columns of
    zeros keep the factor 1.
    """
    m, n = A.shape
    row_of = numpy.repeat(numpy.arange(m), numpy.diff(A.indptr))
    column_of = A.indices
    by_column = numpy.argsort(column_of, kind="stable")
    column_starts = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(column_of, minlength=n))])
    rows, columns = numpy.ones(m), numpy.ones(n)
    size = abs(A.data)
    for _ in range(passes):
        by_row = _inverse_root(_largest(size, A.indptr))
        along = _inverse_root(_largest(size[by_column], column_starts))
        rows *= by_row
        columns *= along
        size *= by_row[row_of] * along[column_of]
    rows *= _inverse_root(numpy.bincount(row_of, size, m))
    columns *= _inverse_root(numpy.bincount(column_of, size, n))
    scaled = A.copy()
    scaled.data = A.data * rows[row_of] * columns[column_of]
    return scaled, rows, columns


def _largest(values, starts):
    """The largest value of each section values[starts[i]:starts[i + 1]]; 0 of an empty one."""
    result = numpy.zeros(len(starts) - 1)
    filled = starts[1:] > starts[:-1]
    if filled.any():
        result[filled] = numpy.maximum.reduceat(values, starts[:-1][filled])
    return result


def _inverse_root(values):
    return 1 / numpy.sqrt(numpy.where(values > 0, values, 1))
