# SPDX-License-Identifier: BSD-3-Clause
"""Every refusal: its built-in exception, code and message."""

import pickle

import numpy
import pytest
import scipy.sparse as sparse

import gossamer
from gossamer import errors
from support import random_matrix

A = random_matrix((4, 6))
G = gossamer.matrix(A)
x = numpy.ones(6)
parts = (A.data, A.indices, A.indptr)


def without_entry(arrays, at):
    return tuple(array[:-1] if number == at else array for number, array in enumerate(arrays))


REFUSALS = {
    "dense array": (lambda: gossamer.matrix(numpy.eye(3)), TypeError, "pass scipy.sparse.csr_array(A)"),
    "no matrix": (lambda: gossamer.matrix(object()), TypeError, "object is no sparse matrix"),
    "list": (lambda: gossamer.matrix([[1.0]]), TypeError, "list is no sparse matrix"),
    "complex values": (lambda: gossamer.matrix(A.astype(complex)), TypeError, "complex matrices are not supported yet"),
    "complex values with dtype": (
        lambda: gossamer.matrix(A.astype(complex), dtype="float64"),
        TypeError,
        "complex matrices are not supported yet",
    ),
    "whole numbers": (lambda: gossamer.matrix(A.astype("int64")), TypeError, 'the values are int64: pass dtype="float64"'),
    "booleans": (lambda: gossamer.matrix(A.astype(bool)), TypeError, "the values are bool"),
    "long double": (lambda: gossamer.matrix(A.astype("longdouble")), TypeError, "pass dtype="),
    "dtype": (lambda: gossamer.matrix(A, dtype="int32"), TypeError, "dtype = int32"),
    "unknown dtype": (lambda: gossamer.matrix(A, dtype="foo"), TypeError, "dtype = 'foo': a matrix has float32"),
    "shape that is a number": (lambda: gossamer.matrix(parts, shape=4), TypeError, "shape = 4: two integers are needed"),
    "shape of floats": (lambda: gossamer.matrix(parts, shape=(4.0, 6)), TypeError, "shape = (4.0, 6): two integers"),
    "shape of three": (lambda: gossamer.matrix(parts, shape=(4, 6, 1)), TypeError, "shape = (4, 6, 1): two integers"),
    "offsets of floats": (
        lambda: gossamer.matrix((A.data, A.indices, A.indptr.astype("f8")), shape=(4, 6)),
        TypeError,
        "the offsets are float64; they have to be integers",
    ),
    "indices of floats": (
        lambda: gossamer.matrix((A.data, A.indices + 0.5, A.indptr), shape=(4, 6)),
        TypeError,
        "the indices are float64; they have to be integers",
    ),
    "row indices of booleans": (
        lambda: gossamer.matrix(([1.0], ([True], [0])), shape=(4, 6)),
        TypeError,
        "the row indices are bool; they have to be integers",
    ),
    "column indices of floats": (
        lambda: gossamer.matrix(([1.0], ([1], [0.0])), shape=(4, 6)),
        TypeError,
        "the column indices are float64; they have to be integers",
    ),
    "complex alpha": (lambda: G.multiply(x, alpha=1j), TypeError, "alpha = 1j is no real number"),
    "beta of text": (lambda: G.multiply(x, out=numpy.ones(4), beta="1"), TypeError, "beta = '1' is no real number"),
    "shape of a matrix": (lambda: gossamer.matrix(A, shape=(4, 6)), ValueError, "only a tuple of arrays needs it"),
    "tuple without a shape": (lambda: gossamer.matrix(parts), ValueError, "needs shape=(rows, columns)"),
    "tuple of four": (lambda: gossamer.matrix(parts + parts[:1], shape=(4, 6)), ValueError, "(data, indices, indptr)"),
    "negative shape": (lambda: gossamer.matrix(parts, shape=(-1, 6)), ValueError, "has a negative number"),
    "offsets": (lambda: gossamer.matrix(without_entry(parts, 2), shape=(4, 6)), ValueError, "4 rows need 5"),
    "indices": (lambda: gossamer.matrix(without_entry(parts, 1), shape=(4, 6)), ValueError, "indices, but"),
    "row indices": (
        lambda: gossamer.matrix((A.data, ([0], A.indices)), shape=(4, 6)),
        ValueError,
        "there are 1 row indices",
    ),
    "two dimensions": (lambda: gossamer.matrix((A.data[None], *parts[1:]), shape=(4, 6)), ValueError, "values has 2 dimensions"),
    "one dimension": (lambda: gossamer.matrix(sparse.coo_array(numpy.ones(3))), ValueError, "has 1 dimensions, not 2"),
    "index outside": (lambda: gossamer.matrix(parts, shape=(4, 2)), ValueError, "is outside [0, 2)"),
    "format": (lambda: gossamer.matrix(A, format="nothing"), ValueError, "nothing"),
    "format option": (lambda: gossamer.matrix(A, format="csr", longest_walk=32), ValueError, "longest_walk"),
    "operations": (lambda: gossamer.matrix(A, operations="all"), ValueError, "all"),
    "memory": (lambda: gossamer.matrix(A, memory=[1]), TypeError, "memory = [1] is no number of bytes"),
    "huge alpha": (lambda: G.multiply(x, alpha=10**400), TypeError, "is no real number that fits into 64 bits"),
    "calls": (lambda: gossamer.matrix(A, calls=-1), ValueError, "calls"),
    "device": (lambda: gossamer.matrix(A, device="tpu"), ValueError, "tpu"),
    "length of x": (lambda: G @ numpy.ones(5), ValueError, "x has shape (5,), but rows of x have to have 6 elements"),
    "rows of X": (lambda: G @ numpy.ones((4, 2)), ValueError, "x has shape (4, 2)"),
    "length from the left": (lambda: numpy.ones(6) @ G, ValueError, "columns of x have to have 4 elements"),
    "three dimensions": (lambda: G @ numpy.ones((6, 1, 1)), ValueError, "x has 3 dimensions, not 1 or 2"),
    "scalar": (lambda: G @ 3.0, ValueError, "x has 0 dimensions, not 1 or 2"),
    "complex x": (lambda: G @ x.astype(complex), TypeError, "complex vectors are not supported yet"),
    "x that would be rounded": (
        lambda: gossamer.matrix(A, dtype="float32") @ x,
        TypeError,
        'x has dtype float64, which does not convert to the matrix\'s float32 exactly: pass x.astype("float32")',
    ),
    "x of objects": (lambda: G @ numpy.array([None] * 6), TypeError, "x has dtype object"),
    "sparse x": (lambda: G @ sparse.eye_array(6, format="csr"), TypeError, "two sparse matrices are not supported"),
    "beta without out": (lambda: G.multiply(x, beta=1), ValueError, "there is no out to add to"),
    "shape of out": (lambda: G.multiply(x, out=numpy.ones(5)), ValueError, "out has shape (5,), the product has (4,)"),
    "shape of out with columns": (
        lambda: G.multiply(numpy.ones((6, 2)), out=numpy.ones(4)),
        ValueError,
        "the product has (4, 2)",
    ),
    "dtype of out": (lambda: G.multiply(x, out=numpy.ones(4, "f4")), TypeError, "out has dtype float32"),
    "library of out": (lambda: G.multiply(x, out=[0] * 4), TypeError, "out is a list"),
    "read-only out": (lambda: G.multiply(x, out=numpy.broadcast_to(0.0, 4)), ValueError, "out is read-only"),
    "strides of out": (
        lambda: G.multiply(x, out=numpy.ones(4)[::-1]),
        ValueError,
        "out has strides (-8,), which are those of no row-major or column-major matrix",
    ),
    "overlap": (lambda: (lambda b: G.multiply(b[:6], out=b[2:6]))(numpy.ones(6)), ValueError, "x and y share memory"),
    "matvec of a matrix": (lambda: G.matvec(numpy.ones((6, 2))), ValueError, "not (n,) or (n, 1)"),
    "matmat of a vector": (lambda: G.matmat(x), ValueError, "not (n, k)"),
    "update": (lambda: G.update(A.data), NotImplementedError, "values_change"),
    "number of new values": (
        lambda: gossamer.matrix(A, values_change=True).update(A.data[1:]),
        ValueError,
        f"the matrix has {A.nnz} entries",
    ),
    "type of new values": (
        lambda: gossamer.matrix(A, values_change=True).update(A.data.astype("f4")),
        TypeError,
        "the values are float32, those of the matrix float64",
    ),
    "missing file": (lambda: gossamer.matrix("missing.mtx"), OSError, "missing.mtx: no such file"),
    "linear operator": (lambda: gossamer.aslinearoperator(A), TypeError, "is no gossamer.Matrix"),
}
CODES = {"length of x": "size_mismatch", "overlap": "overlap", "format": "invalid_argument", "update": "unsupported",
         "index outside": "invalid_matrix", "missing file": "io_error"}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name):
    call, builtin, message = REFUSALS[name]
    with pytest.raises(gossamer.Error) as raised:
        call()
    assert isinstance(raised.value, builtin) and message in str(raised.value), repr(raised.value)
    assert raised.value.code == CODES.get(name, raised.value.code)
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is type(raised.value) and str(again) == str(raised.value)


def test_two_sparse_factors():
    with pytest.raises(TypeError, match="unsupported operand"):
        G @ gossamer.matrix(A)


@pytest.mark.parametrize(
    "use",
    [
        lambda M: M @ x,
        lambda M: numpy.ones(4) @ M,
        lambda M: M @ [1.0] * 6,
        lambda M: M.multiply(x),
        lambda M: M._multiply_at(False, -1, 1, 0, 6, False, 0, 0, 4, False, False, 0),
    ],
)
def test_a_matrix_that_was_not_initialized(use):
    with pytest.raises(gossamer.Error, match="the matrix was not initialized") as raised:
        use(gossamer.Matrix.__new__(gossamer.Matrix))
    assert isinstance(raised.value, TypeError)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_properties_of_a_matrix_that_was_not_initialized():
    M = gossamer.Matrix.__new__(gossamer.Matrix)
    for use in (repr, len, lambda M: M.shape, lambda M: M.T, lambda M: M.copy(), lambda M: M.update(x)):
        with pytest.raises(TypeError):
            use(M)


def test_a_gpu_that_is_not_there():
    number = gossamer.cuda_device_count()
    with pytest.raises(gossamer.Error) as raised:
        gossamer.matrix(A, device=f"cuda:{number}")
    assert raised.value.code == "no_device"


def test_files(tmp_path):
    wrong = tmp_path / "wrong.mtx"
    wrong.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n")
    with pytest.raises(ValueError, match="wrong.mtx:3") as raised:
        gossamer.matrix(wrong)
    assert raised.value.code == "parse_error"
    other = tmp_path / "matrix.txt"
    other.touch()
    with pytest.raises(TypeError, match="has to end in .mtx"):
        gossamer.matrix(other)


@pytest.mark.parametrize("name", ["a.npz", "a.mat", "a.rb", "a.rsa"])
@pytest.mark.parametrize("content", [b"", b"no matrix\n" * 20, b"PK\x03\x04 cut off"])
def test_corrupt_files(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(gossamer.Error) as raised:
        gossamer.matrix(path)
    assert isinstance(raised.value, ValueError) and raised.value.code == "parse_error"
    assert str(raised.value).startswith(f"{path}: ") and "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["a.npz", "a.mat", "a.rb"])
def test_a_folder_in_place_of_a_file(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(gossamer.Error, match=name) as raised:
        gossamer.matrix(tmp_path / name)
    assert isinstance(raised.value, OSError) and raised.value.code == "io_error"


def test_empty_index_arrays_may_be_lists():
    assert gossamer.matrix((numpy.zeros(0), ([], [])), shape=(2, 3)).nnz == 0
    assert gossamer.matrix((numpy.zeros(0), [], [0, 0, 0]), shape=(2, 3)).nnz == 0


def test_every_code_has_a_class():
    codes = ["invalid_argument", "size_mismatch", "invalid_matrix", "unsupported", "parse_error", "io_error",
             "out_of_memory", "no_device", "device_error", "overlap", "busy", "internal_error"]
    for code in codes:
        error = errors.make_error(code, "message")
        assert error.code == code and isinstance(error, gossamer.Error) and str(error) == "message"
    assert isinstance(errors.make_error("out_of_memory", ""), MemoryError)
    assert isinstance(errors.make_error("io_error", ""), OSError)


def test_a_matrix_is_usable_after_an_error():
    with pytest.raises(ValueError):
        G @ numpy.ones(5)
    numpy.testing.assert_allclose(G @ x, A @ x)


def test_subclasses_are_refused():
    with pytest.raises(TypeError, match="cannot be subclassed"):
        type("Mine", (gossamer.Matrix,), {})
