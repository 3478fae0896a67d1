# SPDX-License-Identifier: BSD-3-Clause
"""cg, bicgstab and minres: what SciPy's solvers promise, tested with SciPy itself and with gossamer.linalg."""

import warnings

import numpy
import pytest
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator

from linear_systems import (
    CASES,
    LIBRARIES,
    SOLVERS,
    SYSTEMS,
    OnGpu,
    Recorder,
    SciPy,
    System,
    gram_matrix,
    path_laplacian,
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


def solve(library, name, A, b, **options):
    """Calls the solver with the library's matrix and vectors; x is a NumPy array."""
    for vector in ("x0",):
        if isinstance(options.get(vector), numpy.ndarray):
            options[vector] = library.vector(options[vector])
    x, info = getattr(library.linalg, name)(library.matrix(A), library.vector(b), **options)
    assert isinstance(info, (int, numpy.integer))
    return library.host(x), info


def easy():
    """Positive definite, so each solver may have it."""
    return System("easy", gram_matrix(12, 2), numpy.arange(1.0, 13.0), "definite")


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


def widens(library, name):
    """SciPy's minres returns float64 for float32 input, since its scalars are float64."""
    return library.name == "scipy" and name == "minres"


def allowance(name):
    """minres stops at ||r|| <= rtol ||A|| ||x||, which may be more than rtol ||b||: the tests have systems
    where the quotient is small."""
    return 50 if name == "minres" else 1


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


def test_iterations_of_minres_reduce_the_residual(library):
    system = System("path", -path_laplacian(40), numpy.arange(40.0), "symmetric")
    recorder = Recorder(library)
    solve(library, "minres", system.A, system.b, rtol=1e-10, callback=recorder)
    residuals = [numpy.linalg.norm(system.b)] + [system.residual(x) for x in recorder.iterates]
    # Up to rounding errors of the residual that is computed here.
    noise = 40 * numpy.finfo(float).eps * 4 * max(abs(x).max() for x in recorder.iterates) * 40
    assert all(after <= before + noise for before, after in zip(residuals, residuals[1:]))


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
    if library.name in ("gossamer", "gossamer, cupy", "gossamer, gpu and numpy") and (of_matrix, expected) == ("f4", "f8"):
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


# Preconditioners.


@pytest.mark.parametrize("kind", ["operator", "sparse", "dense"])
def test_inverse_as_preconditioner_needs_one_iteration(library, name, kind):
    if isinstance(library, OnGpu):
        pytest.skip("the preconditioner is in host memory")
    system = easy()
    inverse = numpy.linalg.inv(system.A.toarray())
    inverse = (inverse + inverse.T) / 2
    M = {
        "operator": lambda: LinearOperator((12, 12), lambda r: inverse @ r, dtype="float64"),
        "sparse": lambda: sparse.csr_array(inverse),
        "dense": lambda: inverse,
    }[kind]()
    recorder = Recorder(library)
    x, info = solve(library, name, system.A, system.b, M=M, rtol=1e-8, callback=recorder)
    assert info == 0 and recorder.count <= 2
    assert system.residual(x) <= 1e-8 * numpy.linalg.norm(system.b) * allowance(name)


@pytest.mark.parametrize("name, system", CASES)
def test_identity_as_preconditioner_changes_nothing(library, name, system):
    if isinstance(library, OnGpu):
        pytest.skip("the preconditioner is in host memory")
    n = len(system.b)
    plain = solve(library, name, system.A, system.b)
    M = LinearOperator((n, n), lambda r: r, dtype="float64")
    numpy.testing.assert_allclose(solve(library, name, system.A, system.b, M=M)[0], plain[0], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["cg", "bicgstab"])
@pytest.mark.parametrize("x0", [None, "Mb", numpy.linspace(0, 1, 30)])
def test_diagonal_preconditioner_helps(library, name, x0):
    scale = 10.0 ** numpy.linspace(0, 3, 30)
    A = (sparse.diags_array(scale) @ path_laplacian(30) @ sparse.diags_array(scale)).tocsr()
    system = System("scaled", A, numpy.ones(30), "definite")
    M = sparse.diags_array(1 / A.diagonal()).tocsr()
    counts = []
    for preconditioner in (None, M):
        recorder = Recorder(library)
        x, info = solve(library, name, A, system.b, x0=x0, M=preconditioner, callback=recorder, maxiter=10_000)
        counts.append(recorder.count)
    assert info == 0 and counts[1] < counts[0]
    assert system.residual(x) <= 1e-5 * numpy.linalg.norm(system.b)


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
    if name == "minres" and isinstance(library, SciPy) and library.name == "scipy":
        pytest.skip("SciPy's minres reports convergence")
    system = easy()
    A, b, x0 = system.A.copy(), system.b.copy(), numpy.ones(12)
    {"A": A.data, "b": b, "x0": x0}[place][3] = numpy.nan
    x, info = solve(library, name, A, b, x0=x0)
    assert info != 0


# minres.


def test_minres_of_a_singular_system(library):
    A = path_laplacian(10).tolil()
    A[0], A[:, 0] = 0, 0
    b = numpy.arange(10.0)  # b[0] = 0, so it has a solution
    x, info = solve(library, "minres", A.tocsr(), b)
    assert info == 0
    assert numpy.linalg.norm(A @ x - b) <= 1e-5 * numpy.linalg.norm(b) * allowance("minres")


@pytest.mark.parametrize("shift", [0.5, -1.0])
def test_minres_shift(library, shift):
    system = next(each for each in SYSTEMS if each.name == "dense symmetric")
    shifted = (system.A - shift * sparse.eye_array(6)).tocsr()
    x, info = solve(library, "minres", system.A, system.b, shift=shift, rtol=1e-10)
    assert info == 0
    assert System("", shifted, system.b, "").residual(x) <= 1e-10 * numpy.linalg.norm(system.b) * allowance("minres")


def test_minres_check(library):
    A = path_laplacian(10).tolil()
    A[1, 2], A[2, 1] = 1, 2
    with pytest.raises(ValueError, match="symmetric"):
        solve(library, "minres", A.tocsr(), numpy.arange(10.0), check=True)
    x, info = solve(library, "minres", path_laplacian(10), numpy.arange(10.0), check=True)
    assert info == 0


def test_minres_refuses_an_indefinite_preconditioner(library):
    M = -sparse.eye_array(12, format="csr")
    with pytest.raises(ValueError, match="indefinite preconditioner|pos-def|positive definite"):
        solve(library, "minres", easy().A, easy().b, M=M)


def test_minres_with_preconditioner_and_x0(library):
    system = easy()
    M = gram_matrix(12, 7)
    x, info = solve(library, "minres", system.A, system.b, M=M, x0=numpy.linspace(-1, 1, 12), rtol=1e-8)
    assert info == 0
    # The stopping rule is in the norm of M, whose condition bounds the quotient to the Euclidean norm.
    condition = numpy.linalg.cond(M.toarray())
    assert system.residual(x) <= 1e-8 * numpy.linalg.norm(system.b) * allowance("minres") * numpy.sqrt(condition)


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
