# SPDX-License-Identifier: BSD-3-Clause
"""Every kind of input, type of values and indices, shape, and product, compared with the oracle."""

import numpy
import pytest
import scipy.sparse as sparse

import gossamer
from support import DTYPES, INDEX_TYPES, SCIPY_FORMATS, SHAPES, assert_product, random_matrix, random_vector, with_index_type


def check_products(G, A):
    """A x, the transpose times x, x A, and the same of dense matrices."""
    rows, cols = A.shape
    assert G.shape == A.shape and G.dtype == A.dtype and G.ndim == 2
    A = sparse.csr_array(A)
    for columns in (None, 1, 3):
        shape = lambda n: n if columns is None else (n, columns)
        x, z = random_vector(shape(cols), A.dtype), random_vector(shape(rows), A.dtype)
        assert_product(G @ x, A, x)
        assert_product(G.T @ z, A.T, z)
        assert_product((z.T @ G).T, A.T, z)
        assert_product((x.T @ G.T).T, A, x)


@pytest.mark.parametrize("operations", ["forward", "transposed", "both"])
@pytest.mark.parametrize("index_type", INDEX_TYPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SCIPY_FORMATS)
def test_scipy_arrays_and_matrices(kind, dtype, index_type, operations):
    A = random_matrix((40, 60), dtype).asformat(kind)
    if kind in ("csr", "csc", "coo", "bsr"):
        A = with_index_type(A, index_type)
    check_products(gossamer.matrix(A, operations=operations), A)
    matrix_class = getattr(sparse, f"{kind}_matrix")
    check_products(gossamer.matrix(matrix_class(A), operations=operations), A)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_shapes(kind, shape):
    A = random_matrix(shape).asformat(kind)
    check_products(gossamer.matrix(A), A)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("offset_type", INDEX_TYPES)
@pytest.mark.parametrize("index_type", INDEX_TYPES)
def test_tuples_of_arrays(dtype, offset_type, index_type):
    A = random_matrix((40, 60), dtype)
    csr = (A.data, A.indices.astype(index_type), A.indptr.astype(offset_type))
    check_products(gossamer.matrix(csr, shape=A.shape), A)
    C = A.tocoo()
    coo = (C.data, (C.row.astype(offset_type), C.col.astype(index_type)))
    check_products(gossamer.matrix(coo, shape=A.shape), A)


def test_tuples_of_objects_with_an_array_interface_or_dlpack():
    A = random_matrix((40, 60))

    class Interface:
        def __init__(self, array):
            self.__array_interface__ = array.__array_interface__
            self.array = array

    class Capsule:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    for wrap in (Interface, Capsule, list):
        parts = wrap(A.data), wrap(A.indices), wrap(A.indptr)
        check_products(gossamer.matrix(parts, shape=A.shape), A)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_duplicate_and_unsorted_entries(kind):
    row, col = [2, 0, 2, 2, 0], [3, 1, 0, 3, 1]
    coo = sparse.coo_array((numpy.arange(1.0, 6), (row, col)), shape=(3, 4))
    if kind == "coo":
        A = coo
    elif kind == "csr":
        A = sparse.csr_array((coo.data, [1, 1, 3, 0, 3], [0, 2, 2, 5]), shape=(3, 4))
    else:
        A = sparse.csc_array((coo.data, [2, 2, 0, 0, 2], [0, 1, 3, 3, 5]), shape=(3, 4))
    check_products(gossamer.matrix(A), A)
    assert gossamer.matrix(A).nnz == 5


def test_arrays_that_are_longer_than_the_number_of_entries():
    A = random_matrix((10, 10))
    A.data, A.indices = numpy.append(A.data, 7.0), numpy.append(A.indices, 0).astype("int32")
    check_products(gossamer.matrix(A), A[:, :])


def test_strided_and_swapped_arrays_are_copied():
    A = random_matrix((40, 60))
    twice = numpy.repeat(A.data, 2)[::2]
    swapped = A.indices.astype(">i4")
    check_products(gossamer.matrix((twice, swapped, A.indptr), shape=A.shape), A)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_converted_to_dtype(dtype):
    A = random_matrix((40, 60))
    check_products(gossamer.matrix(A, dtype=dtype), A.astype(dtype))
    counts = sparse.csr_array(numpy.arange(12).reshape(3, 4))
    check_products(gossamer.matrix(counts, dtype=numpy.dtype(dtype)), counts.astype(dtype))


@pytest.mark.parametrize("format", gossamer.formats())
def test_every_format(format):
    A = random_matrix((100, 100), density=0.05)
    try:
        G = gossamer.matrix(A, format=format)
    except NotImplementedError as error:
        pytest.skip(str(error))
    assert G.format == format
    check_products(G, A)


def test_arrays_are_borrowed():
    A = random_matrix((40, 60))
    G = gossamer.matrix(A, format="csr")
    members = G._context.arrays.members()
    for name, array in (("values", A.data), ("indices", A.indices), ("offsets", A.indptr)):
        assert numpy.shares_memory(members[name], array)
    A = None
    assert_product(G @ numpy.ones(60), random_matrix((40, 60)), numpy.ones(60))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_copy_is_independent(kind):
    A = random_matrix((40, 60)).asformat(kind)
    G = gossamer.matrix(A, copy=True)
    expected = A.copy()
    A.data[:] = 0
    check_products(G, expected)
    assert G._context.arrays is None


def test_copies_of_arrays_without_a_copy_method():
    """Lists, and arrays that have no more than the array interface."""

    class Array:
        def __init__(self, array):
            self.__array_interface__, self.kept = array.__array_interface__, array

    A = random_matrix((40, 60))
    parts = [A.data, A.indices, A.indptr]
    x = random_vector(60, "float64")
    for given in (tuple(map(Array, parts)), (A.data, A.indices.tolist(), tuple(A.indptr.tolist()))):
        G = gossamer.matrix(given, shape=A.shape, copy=True, values_change=True)
        G.update(2 * A.data)
        assert_product(G @ x, 2 * A, x)
