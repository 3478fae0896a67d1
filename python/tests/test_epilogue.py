# SPDX-License-Identifier: BSD-3-Clause
"""Products with an epilogue."""

import numpy
import pytest
import scipy.sparse

import gossamer

# Whole numbers, so that all results are exact.
A = scipy.sparse.csr_array(numpy.array([[4.0, 0.0, 1.0], [0.0, 3.0, 0.0], [2.0, 0.0, -1.0], [0.0, 0.0, 0.0]]))
X = numpy.array([1.0, 2.0, 3.0])
Z = numpy.array([10.0, 20.0, 30.0, 40.0])
SCALE = numpy.array([1.0, 2.0, -1.0, 3.0])
U = numpy.array([1.0, -1.0, 2.0, 5.0])


@pytest.fixture(params=["float32", "float64"])
def dtype(request):
    return request.param


def of(dtype, *arrays):
    return [array.astype(dtype) for array in arrays]


def test_all_parts_together(dtype):
    a, x, z, scale, u = of(dtype, A, X, Z, SCALE, U)
    lower, upper = (numpy.full(4, bound, dtype) for bound in (-15, 20))
    out, norm, with_u = numpy.empty(4, dtype), numpy.empty(1), numpy.empty(1)
    epilogue = gossamer.Epilogue(
        z=z,
        scale=scale,
        u=u,
        gamma=2,
        lower=lower,
        upper=upper,
        bounds_factor=2,
        out=out,
        out_y_factor=3,
        add=u,
        out_add_factor=-1,
        dots=[("y", norm), (u, with_u)],
    )
    y = gossamer.matrix(a).multiply(x, alpha=-1, beta=1, epilogue=epilogue)
    expected = numpy.clip(SCALE * (Z - A @ X) + 2 * U, -30, 40)
    assert y.dtype == dtype
    assert numpy.array_equal(y, expected)
    assert numpy.array_equal(out, 3 * expected - U)
    assert norm[0] == expected @ expected
    assert with_u[0] == expected @ U


def test_without_parts_is_the_plain_product(dtype):
    a, x, y = of(dtype, A, X, Z)
    G = gossamer.matrix(a)
    assert numpy.array_equal(G.multiply(x, epilogue=gossamer.Epilogue()), A @ X)
    assert G.multiply(x, out=y, alpha=2, beta=-1, epilogue=gossamer.Epilogue()) is y
    assert numpy.array_equal(y, 2 * (A @ X) - Z)


def test_the_transpose_has_epilogues(dtype):
    a, z, x = of(dtype, A, Z, X)
    norm = numpy.empty(1)
    y = gossamer.matrix(a).T.multiply(z, beta=1, epilogue=gossamer.Epilogue(z=x, dots=[("y", norm)]))
    expected = A.T @ Z + X
    assert numpy.array_equal(y, expected)
    assert norm[0] == expected @ expected


def test_the_part_outside_bounds():
    upper = numpy.zeros(4)
    y = gossamer.matrix(A).multiply(X, epilogue=gossamer.Epilogue(upper=upper, outside=True))
    assert numpy.array_equal(y, numpy.maximum(A @ X, 0))


def test_factors_may_be_arrays(dtype):
    a, x, z, u = of(dtype, A, X, Z, U)
    alpha, beta, gamma = (numpy.array([value], dtype) for value in (-2, 3, 4))
    G = gossamer.matrix(a)
    epilogue = gossamer.Epilogue(z=z, u=u, gamma=gamma)
    assert numpy.array_equal(G.multiply(x, alpha=alpha, beta=beta, epilogue=epilogue), -2 * (A @ X) + 3 * Z + 4 * U)
    alpha[0] = 1
    assert numpy.array_equal(G.multiply(x, alpha=alpha, beta=beta, epilogue=epilogue), A @ X + 3 * Z + 4 * U)


def test_vectors_that_are_not_contiguous_are_read():
    z = numpy.zeros((4, 2))
    z[:, 0] = Z
    y = gossamer.matrix(A).multiply(X, beta=1, epilogue=gossamer.Epilogue(z=z[:, 0]))
    assert numpy.array_equal(y, A @ X + Z)


@pytest.mark.parametrize(
    "epilogue, kind, message",
    [
        (gossamer.Epilogue(z=X), ValueError, "z has 3 elements, not 4"),
        (gossamer.Epilogue(u=Z.astype("float32")), TypeError, "u has dtype float32, not float64"),
        (gossamer.Epilogue(out=numpy.zeros((4, 2))[:, 0]), ValueError, "epilogue.out is not contiguous"),
        (gossamer.Epilogue(dots=[("y", numpy.empty(2))]), ValueError, "the result of a dot product has 2 elements, not 1"),
        (
            gossamer.Epilogue(dots=[("y", numpy.empty(1, "float32"))]),
            TypeError,
            "the result of a dot product has dtype float32, not float64",
        ),
        (gossamer.Epilogue(dots=[("y", None)]), ValueError, "a dot product has a vector and no result"),
        (gossamer.Epilogue(dots=[("y", numpy.empty(1))] * 3), ValueError, "epilogue.dots has 3 pairs; at most 2 are possible"),
        (gossamer.Epilogue(gamma="2"), TypeError, "gamma = '2' is no real number, and no array of one element"),
        ({"z": Z}, TypeError, "epilogue is a dict, not a gossamer.Epilogue"),
    ],
)
def test_wrong_epilogues(epilogue, kind, message):
    with pytest.raises(kind, match=message.replace(".", r"\.")):
        gossamer.matrix(A).multiply(X, epilogue=epilogue)


def test_beta_needs_something_to_add():
    with pytest.raises(ValueError, match="beta is not 0, but there is no out or z to add"):
        gossamer.matrix(A).multiply(X, beta=1, epilogue=gossamer.Epilogue())


def test_cupy_vectors():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    if gossamer.cuda_device_count() == 0:
        pytest.skip("no usable CUDA device on this machine")
    G = gossamer.matrix(A, device="cuda:0")
    norm = cupy.empty(1)
    y = G.multiply(cupy.asarray(X), alpha=-1, beta=1, epilogue=gossamer.Epilogue(z=cupy.asarray(Z), dots=[("y", norm)]))
    assert numpy.array_equal(y.get(), Z - A @ X)
    assert norm.get()[0] == (Z - A @ X) @ (Z - A @ X)
