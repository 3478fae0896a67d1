# SPDX-License-Identifier: BSD-3-Clause
"""cg, bicgstab and minres: what SciPy's solvers promise, tested with SciPy itself and with gossamer.linalg."""

import numpy
import pytest
import scipy.sparse as sparse

from linear_systems import (
    CASES,
    LIBRARIES,
    SOLVERS,
    SYSTEMS,
    OnGpu,
    Recorder,
    System,
    allowance,
    easy,
    path_laplacian,
    solve,
    widens,
)

TOLERANCES = {"float32": 1e-2, "float64": 1e-8}
# Systems whose solver runs into its limits in single precision, in SciPy too.
HARD_IN_FLOAT32 = {("minres", "path"), ("minres", "negative path"), ("bicgstab", "path"), ("bicgstab", "negative path")}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param()


@pytest.fixture(params=SOLVERS)
def name(request):
    return request.param


def test_every_solver_has_systems():
    assert {name for system in SYSTEMS for name in system.solvers} == set(SOLVERS)


# Convergence.


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, system", CASES)
def test_converges(library, name, system, dtype):
    if dtype == "float32" and (name, system.name) in HARD_IN_FLOAT32:
        pytest.skip("single precision does not reach the tolerance")
    rtol = TOLERANCES[dtype]
    A, b = system.A.astype(dtype), system.b.astype(dtype)
    x, info = solve(library, name, A, b, rtol=rtol)
    assert info == 0
    assert x.shape == b.shape
    if not widens(library, name):
        assert x.dtype == dtype
    assert system.residual(x) <= rtol * numpy.linalg.norm(b) * allowance(name)


@pytest.mark.parametrize("name, system", CASES)
def test_same_result_in_each_run(library, name, system):
    first, second = (solve(library, name, system.A, system.b) for _ in range(2))
    numpy.testing.assert_array_equal(first[0], second[0])
    assert first[1] == second[1]


@pytest.mark.parametrize("rtol", [0, 1e-9, 1e-4, 1e-1])
@pytest.mark.parametrize("atol", [0, 1e-6, 1e-1, numpy.inf])
@pytest.mark.parametrize("scale", [None, 1e-6, 1e6])
@pytest.mark.parametrize("name", ["cg", "bicgstab"])
def test_the_larger_tolerance_counts(library, name, rtol, atol, scale):
    if rtol == 0 and atol == 0:
        pytest.skip("no residual but 0 fulfils it")
    system = easy()
    M = None if scale is None else scale * sparse.eye_array(12, format="csr")
    x, info = solve(library, name, system.A, system.b, rtol=rtol, atol=atol, M=M)
    assert info == 0
    # The bound holds for the recurrence's residual. The true one differs by rounding errors of its terms.
    rounding = 12 * numpy.finfo(float).eps * abs(system.A).sum() * abs(x).max()
    assert system.residual(x) <= max(atol, rtol * numpy.linalg.norm(system.b)) + rounding
    if atol == numpy.inf:
        assert not x.any()


# maxiter and callback.


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_maxiter_is_the_number_of_iterations(library, name, limit):
    system = System("path", path_laplacian(40), numpy.arange(40.0), "definite")
    recorder = Recorder(library)
    x, info = solve(library, name, system.A, system.b, rtol=1e-12, maxiter=limit, callback=recorder)
    assert info == limit
    assert recorder.count == limit
    numpy.testing.assert_array_equal(recorder.iterates[-1], x)


def test_callback_is_called_with_each_iterate(library, name):
    system = easy()
    recorder = Recorder(library)
    x, info = solve(library, name, system.A, system.b, rtol=1e-10, callback=recorder)
    assert info == 0
    for count, iterate in enumerate(recorder.iterates[:4], 1):
        stopped, _ = solve(library, name, system.A, system.b, rtol=1e-10, maxiter=count)
        numpy.testing.assert_array_equal(iterate, stopped)
    residuals = [system.residual(iterate) for iterate in recorder.iterates]
    assert residuals[-1] < residuals[0]


def test_iterates_without_and_with_callback_are_equal(library, name):
    system = easy()
    recorder = Recorder(library)
    with_callback = solve(library, name, system.A, system.b, callback=recorder)
    without = solve(library, name, system.A, system.b)
    numpy.testing.assert_array_equal(with_callback[0], without[0])
    assert with_callback[1] == without[1] == 0


def test_callback_errors_reach_the_caller(library, name):
    class Stop(Exception):
        pass

    def stop(x):
        raise Stop("enough")

    system = easy()
    with pytest.raises(Stop, match="enough"):
        solve(library, name, system.A, system.b, callback=stop)


def test_maxiter_of_zero(library, name):
    system = easy()
    x, info = solve(library, name, system.A, system.b, maxiter=0)
    assert not x.any()
    assert info == 0  # as SciPy: the number of iterations


# Starting vectors and right-hand sides.


@pytest.mark.parametrize("name, system", CASES)
def test_x0_of_the_preconditioned_right_hand_side(library, name, system):
    if (name, system.name) == ("bicgstab", "bidiagonal"):
        pytest.skip("the residual stagnates above the tolerance")
    x, info = solve(library, name, system.A, system.b, x0="Mb", rtol=1e-8)
    assert info == 0
    assert system.residual(x) <= 1e-8 * numpy.linalg.norm(system.b) * allowance(name)


@pytest.mark.parametrize("shape", [(12,), (12, 1)])
def test_x0_and_b_stay_as_they_are(library, name, shape):
    system = easy()
    start = numpy.linspace(-1, 1, 12).reshape(shape)
    b = library.vector(system.b.reshape(shape))
    x0 = library.vector(start)
    x, info = getattr(library.linalg, name)(library.matrix(system.A), b, x0=x0, rtol=1e-8)
    assert info == 0
    numpy.testing.assert_array_equal(library.host(x0), start)
    numpy.testing.assert_array_equal(library.host(b).ravel(), system.b)
    x = library.host(x)
    assert x.shape == (12,)
    assert system.residual(x) <= 1e-8 * numpy.linalg.norm(system.b) * allowance(name)


def test_x0_is_used(library, name):
    system = easy()
    recorders = Recorder(library), Recorder(library)
    for recorder, x0 in zip(recorders, (None, numpy.linspace(-1, 1, 12))):
        solve(library, name, system.A, system.b, x0=x0, maxiter=1, callback=recorder)
    assert not numpy.array_equal(recorders[0].iterates[0], recorders[1].iterates[0])


def test_exact_x0_needs_no_iteration(library, name):
    recorder = Recorder(library)
    x, info = solve(library, name, sparse.eye_array(2, format="csr"), numpy.array([-1.0, -1.0]),
                    x0=numpy.array([-1.0, -1.0]), callback=recorder)
    assert info == 0 and recorder.count == 0
    numpy.testing.assert_array_equal(x, [-1, -1])


@pytest.mark.parametrize("dtypes", [("f4", "f8", "f8"), ("f8", "f4", "f8"), ("f4", "f4", "f4"), ("f4", "i4", "f8"),
                                    ("f8", "i8", "f8"), ("i4", "f8", "f8"), ("i4", "i4", "f8")])
def test_types_are_promoted(library, name, dtypes):
    of_matrix, of_vector, expected = dtypes
    A = sparse.csr_array(numpy.array([[4, 1, 0], [1, 3, 1], [0, 1, 5]], of_matrix))
    b = numpy.array([1, 2, 3], of_vector)
    if library.is_prepared and (of_matrix, expected) == ("f4", "f8"):
        # A prepared matrix has one type, and its vectors have it too.
        with pytest.raises(TypeError, match='float64.*dtype="float64"'):
            solve(library, name, A, b)
        return
    x, info = solve(library, name, A, b, rtol=1e-4)
    assert info == 0
    if not widens(library, name):
        assert x.dtype == expected
    assert numpy.linalg.norm(A.astype("f8") @ x - b) <= 1e-4 * numpy.linalg.norm(b) * allowance(name)


def test_b_may_be_a_list(library, name):
    if isinstance(library, OnGpu):
        pytest.skip("lists are host memory")
    A = sparse.csr_array([[4.0, 1.0], [1.0, 3.0]])
    x, info = getattr(library.linalg, name)(library.matrix(A), [1, 2])
    assert info == 0
    assert numpy.linalg.norm(A @ x - [1, 2]) <= 1e-5 * numpy.sqrt(5)


@pytest.mark.parametrize("x0", [None, numpy.ones(12)])
@pytest.mark.parametrize("rtol", [1e-10, 1e-2])
def test_right_hand_side_of_zero(library, name, x0, rtol):
    x, info = solve(library, name, easy().A, numpy.zeros(12), x0=x0, rtol=rtol)
    assert info == 0
    numpy.testing.assert_array_equal(x, 0)


def test_empty_system(library, name):
    x, info = solve(library, name, sparse.csr_array((0, 0), dtype="float64"), numpy.zeros(0))
    assert info == 0 and x.shape == (0,)
