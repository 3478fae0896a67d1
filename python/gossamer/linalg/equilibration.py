# SPDX-License-Identifier: BSD-3-Clause
"""Diagonal scaling of a matrix's rows and columns, for first-order methods."""

import numpy

from .sections import DeviceSections, HostSections


def equilibrate(A, passes=10):
    """(S, rows, columns): the matrix S = diag(rows) A diag(columns), whose 2-norm is at most 1.

    A is a scipy.sparse.csr_array of float64. First come `passes` of Ruiz's method: each divides rows and columns
    by the square roots of their largest absolute values, which brings all of these close to 1. Then the rule of
    Pock and Chambolle with exponent 1 divides by the square roots of sums of absolute values. Rows and columns of
    zeros keep the factor 1.
    """
    scaled = A.copy()
    scaled.data, rows, columns = _scaled_values(A, passes, numpy, HostSections)
    return scaled, rows, columns


def equilibrate_on_device(A, passes=10):
    """The same on CuPy's current device. Returns arrays of CuPy, and S as a tuple (data, indices, indptr) of them.
    A is in host memory, and has an entry."""
    import cupy

    values, rows, columns = _scaled_values(A, passes, cupy, DeviceSections)
    return (values, cupy.asarray(A.indices), cupy.asarray(A.indptr)), rows, columns


def _scaled_values(A, passes, library, sections):
    """The entries of S in the order of A, rows and columns."""
    m, n = A.shape
    numbered = A.copy()
    numbered.data = numpy.arange(A.nnz)
    by_column = numbered.tocsc()
    of_rows, of_columns = (sections(starts.astype("int64")) for starts in (A.indptr, by_column.indptr))
    order = library.asarray(by_column.data)
    row_of = library.asarray(numpy.repeat(numpy.arange(m), numpy.diff(A.indptr)))
    column_of = library.asarray(A.indices)
    values = library.asarray(A.data)
    rows, columns = library.ones(m), library.ones(n)
    size = abs(values)
    for _ in range(passes):
        along_row = _inverse_root(of_rows.largest(size), library)
        along_column = _inverse_root(of_columns.largest(size[order]), library)
        rows *= along_row
        columns *= along_column
        size *= along_row[row_of] * along_column[column_of]
    rows *= _inverse_root(of_rows.sum(size), library)
    columns *= _inverse_root(of_columns.sum(size[order]), library)
    return values * rows[row_of] * columns[column_of], rows, columns


def _inverse_root(values, library):
    return 1 / library.sqrt(library.where(values > 0, values, 1))
