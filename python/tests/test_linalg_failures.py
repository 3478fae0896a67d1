# SPDX-License-Identifier: BSD-3-Clause
"""Breakdown, NaN and wrong arguments of the solvers, tested with SciPy itself and with gossamer.linalg."""

import warnings

import numpy
import pytest
import scipy.sparse as sparse

from linear_systems import LIBRARIES, SOLVERS, easy, solve


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param()


@pytest.fixture(params=SOLVERS)
def name(request):
    return request.param


# Breakdown and values that are not finite.


def test_breakdown_of_bicgstab_by_alpha(library):
    x, info = solve(library, "bicgstab", sparse.csr_array([[0.0, 1.0], [1.0, 0.0]]), numpy.array([1.0, 0.0]))
    assert info == -11
    assert numpy.isfinite(x).all()


def test_breakdown_of_bicgstab_by_rho(library):
    A = sparse.csr_array([[1.0, 2.0, 0.0], [0.0, 2.0, -1.0], [1.0, -2.0, -1.0]])
    x, info = solve(library, "bicgstab", A, numpy.array([1.0, 0.0, 0.0]))
    assert info == -10
    assert numpy.isfinite(x).all()
    assert numpy.linalg.norm(A @ x - [1, 0, 0]) <= 1


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_breakdown_of_cg_with_an_indefinite_matrix(library):
    x, info = solve(library, "cg", sparse.csr_array([[0.0, 1.0], [1.0, 0.0]]), numpy.array([1.0, 0.0]))
    assert info != 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("place", ["A", "b", "x0"])
def test_nan_is_no_convergence(library, place, name):
    if name == "minres" and library.name == "scipy":
        pytest.skip("SciPy's minres reports convergence")
    system = easy()
    A, b, x0 = system.A.copy(), system.b.copy(), numpy.ones(12)
    {"A": A.data, "b": b, "x0": x0}[place][3] = numpy.nan
    x, info = solve(library, name, A, b, x0=x0)
    assert info != 0


# Errors.


def test_rectangular_matrix(library, name):
    with pytest.raises(ValueError, match="square"):
        solve(library, name, sparse.csr_array(numpy.ones((3, 2))), numpy.ones(3))


@pytest.mark.parametrize("shape", [(11,), (13,), (12, 2), (1, 12), ()])
def test_right_hand_side_of_a_wrong_shape(library, name, shape):
    with pytest.raises(ValueError, match="b"):
        solve(library, name, easy().A, numpy.ones(shape))


@pytest.mark.parametrize("shape", [(11,), (12, 2), (1, 12)])
def test_x0_of_a_wrong_shape(library, name, shape):
    with pytest.raises(ValueError, match="x0"):
        solve(library, name, easy().A, easy().b, x0=numpy.ones(shape))


def test_preconditioner_of_a_wrong_shape(library, name):
    with pytest.raises(ValueError, match="shape"):
        solve(library, name, easy().A, easy().b, M=sparse.eye_array(11, format="csr"))


def test_tolerances_are_keywords(library, name):
    with pytest.raises(TypeError):
        getattr(library.linalg, name)(library.matrix(easy().A), library.vector(easy().b), None, 1e-5)


@pytest.mark.parametrize("atol", ["legacy", None, -1])
@pytest.mark.parametrize("name", ["cg", "bicgstab"])
def test_invalid_atol(library, name, atol):
    with pytest.raises(ValueError, match="atol"):
        solve(library, name, easy().A, easy().b, atol=atol)


def test_no_warnings(library, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(library, name, easy().A, easy().b)[1] == 0
