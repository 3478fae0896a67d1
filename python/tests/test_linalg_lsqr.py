# SPDX-License-Identifier: BSD-3-Clause
"""lsqr: what SciPy's function promises, tested with SciPy itself and with gossamer.linalg."""

import numpy
import pytest
import scipy.sparse as sparse
from scipy.sparse.linalg import aslinearoperator

import gossamer.linalg
from linear_systems import LIBRARIES, OnGpu

NAMES = ["x", "istop", "itn", "r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm", "var"]
EPS = numpy.finfo(float).eps


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param()


def solve(library, A, b, **options):
    """A dict of what lsqr returns, with NumPy arrays."""
    if isinstance(options.get("x0"), numpy.ndarray):
        options["x0"] = library.vector(options["x0"])
    result = library.linalg.lsqr(library.matrix(A), library.vector(b), **options)
    assert len(result) == len(NAMES)
    found = dict(zip(NAMES, result))
    found["x"], found["var"] = library.host(found["x"]), library.host(found["var"])
    assert all(isinstance(found[name], (int, numpy.integer)) for name in ("istop", "itn"))
    assert all(numpy.ndim(found[name]) == 0 for name in NAMES[1:-1])
    return found


def random_problem(rows, cols, seed=5):
    random = numpy.random.default_rng(seed)
    dense = random.uniform(-1, 1, (rows, cols)) * (random.random((rows, cols)) < 0.5)
    dense += 2 * numpy.eye(rows, cols)  # full rank
    return sparse.csr_array(dense), random.uniform(-1, 1, rows)


def check_stopping_rule(A, b, found, atol, btol, damp=0.0, start=0.0):
    """The rule that istop names, with the residuals of x itself. Rounding: of the terms of A x and A^T r."""
    x = found["x"]
    r = b - A @ x
    rest = damp * (x - start)
    norm = numpy.sqrt(numpy.linalg.norm(r) ** 2 + numpy.linalg.norm(rest) ** 2)
    frobenius = numpy.linalg.norm(A.toarray())
    noise = 10 * found["itn"] * EPS * frobenius * (numpy.linalg.norm(x) + numpy.linalg.norm(b))
    if found["istop"] == 1:
        assert norm <= btol * numpy.linalg.norm(b) + atol * found["anorm"] * numpy.linalg.norm(x - start) + noise
    else:
        assert found["istop"] == 2
        assert numpy.linalg.norm(A.T @ r - damp * rest) <= atol * found["anorm"] * norm + noise * frobenius


@pytest.mark.parametrize("damp", [0.0, 1.5])
@pytest.mark.parametrize("shape", [(35, 35), (60, 20), (20, 60), (1, 7), (7, 1)])
def test_stopping_rule_and_solution(library, shape, damp):
    A, b = random_problem(*shape)
    given = b.copy()
    found = solve(library, A, b, damp=damp, atol=1e-12, btol=1e-12)
    numpy.testing.assert_array_equal(b, given)
    check_stopping_rule(A, b, found, 1e-12, 1e-12, damp)
    # The least-squares solution of the system that has `damp` times the identity below A; of smallest norm.
    extended = numpy.vstack([A.toarray(), damp * numpy.eye(shape[1])])
    expected = numpy.linalg.lstsq(extended, numpy.concatenate([b, numpy.zeros(shape[1])]), rcond=None)[0]
    singular = numpy.linalg.svd(extended, compute_uv=False)
    # ||x - x*|| <= ||A^T r|| / s_min^2, and ||A^T r|| <= atol ||A||_F (||b|| + ||A||_F ||x||) by either rule.
    norm = numpy.linalg.norm
    residual = (1e-12 + 100 * EPS) * singular[0] * norm(extended) * (norm(b) + norm(extended) * norm(expected))
    assert norm(found["x"] - expected) <= residual / singular[min(shape) - 1 if damp == 0 else -1] ** 2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_norms_that_are_returned(library, dtype):
    A, b = random_problem(60, 20)
    A, b = A.astype(dtype), b.astype(dtype)
    found = solve(library, A, b, damp=0.5, atol=1e-6, btol=1e-6)
    x = found["x"].astype("float64")
    r = b - A.astype("float64") @ x
    # Estimates by the recurrences. Each agrees with the vector's norm to the square root of the precision.
    accuracy = numpy.sqrt(numpy.finfo(dtype).eps)
    norm = numpy.linalg.norm
    assert abs(found["r1norm"] - norm(r)) <= accuracy * norm(b)
    assert abs(found["r2norm"] - numpy.hypot(norm(r), 0.5 * norm(x))) <= accuracy * norm(b)
    assert abs(found["xnorm"] - norm(x)) <= 2 * accuracy * norm(x)
    assert norm(A.toarray(), 2) <= found["anorm"] * (1 + accuracy)
    assert found["acond"] >= 1


def test_variance(library):
    A, b = random_problem(30, 6)
    found = solve(library, A, b, calc_var=True, atol=0, btol=0, conlim=0, iter_lim=6)
    expected = numpy.diag(numpy.linalg.inv(A.T.toarray() @ A.toarray()))
    # After as many iterations as columns, var is the diagonal of the inverse. It is so to half of the digits,
    # since the vectors of the recurrence lose their orthogonality.
    numpy.testing.assert_allclose(found["var"], expected, rtol=numpy.sqrt(EPS))
    assert not solve(library, A, b)["var"].any()


def test_identity(library):
    for seed in range(10):
        expected = numpy.random.default_rng(seed).uniform(0.1, 1, 10)
        found = solve(library, sparse.eye_array(10, format="csr"), expected)
        assert found["istop"] == 1
        numpy.testing.assert_allclose(found["x"], expected, rtol=1e-6)


def test_integers(library):
    A = sparse.coo_array((numpy.array([1, -1]), ([0, 0], [0, 1])), shape=(1, 2))
    found = solve(library, A.tocsr(), numpy.array([4]))
    numpy.testing.assert_allclose(found["x"], [2, -2], rtol=1e-6)


@pytest.mark.parametrize("x0", [None, numpy.ones(20)], ids=["zero", "start"])
def test_no_iterations(library, x0, capsys):
    A, b = random_problem(60, 20)
    found = solve(library, A, b, iter_lim=0, x0=x0)
    expected = dict(zip(NAMES, sparse.linalg.lsqr(A, b, iter_lim=0, x0=x0)))
    assert [found[name] for name in ("istop", "itn", "anorm", "acond", "xnorm")] == [0, 0, 0, 0, 0]
    assert [expected[name] for name in ("istop", "itn", "anorm", "acond", "xnorm")] == [0, 0, 0, 0, 0]
    for name in ("x", "r1norm", "r2norm", "arnorm", "var"):
        numpy.testing.assert_allclose(found[name], expected[name], rtol=100 * EPS)
    if library.name == "gossamer":
        solve(library, A, b, iter_lim=0, show=True)
        assert "the limit of iterations was reached; 0 iterations" in capsys.readouterr().out


@pytest.mark.parametrize("shape", [(10, 1), (10,)])
def test_shapes_of_b(library, shape):
    found = solve(library, sparse.eye_array(10, format="csr"), numpy.ones(shape))
    assert found["x"].shape == (10,)
    numpy.testing.assert_allclose(found["x"], 1, rtol=1e-6)


def test_b_may_be_a_number(library):
    if isinstance(library, OnGpu):
        pytest.skip("numbers are host memory")
    A = sparse.csr_array([[1.0, 2.0]])
    x = library.linalg.lsqr(library.matrix(A), 3.0)[0]
    numpy.testing.assert_allclose(A @ x, [3], rtol=1e-6)


def test_right_hand_side_of_zero(library):
    A, b = random_problem(8, 5)
    found = solve(library, A, 0 * b)
    assert found["istop"] == 0 and found["itn"] == 0
    assert not found["x"].any()
    assert found["r1norm"] == found["r2norm"] == found["arnorm"] == 0


def test_right_hand_side_orthogonal_to_the_columns(library):
    A = sparse.csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    found = solve(library, A, numpy.array([0.0, 0.0, 3.0]))
    assert found["istop"] == 0 and found["itn"] == 0
    assert not found["x"].any()
    assert found["r1norm"] == 3 and found["arnorm"] == 0


def test_compatible_and_incompatible_systems_differ_in_istop(library):
    A = sparse.csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert solve(library, A, numpy.array([1.0, 0.0, -1.0]))["istop"] == 1
    found = solve(library, A, numpy.array([1.0, 0.01, -1.0]))
    assert found["istop"] == 2
    check_stopping_rule(A, numpy.array([1.0, 0.01, -1.0]), found, 1e-6, 1e-6)


def test_iteration_limit(library):
    A, b = random_problem(60, 20)
    for limit in (1, 3):
        found = solve(library, A, b, atol=0, btol=0, iter_lim=limit)
        assert found["istop"] == 7 and found["itn"] == limit


def test_condition_limit(library):
    A = sparse.diags_array(10.0 ** -numpy.arange(8)).tocsr()
    found = solve(library, A, numpy.ones(8), atol=0, btol=0, conlim=1e3)
    assert found["istop"] == 3 and found["acond"] >= 1e3


def test_zero_tolerances_stop_at_the_precision(library):
    A, b = random_problem(20, 20)
    found = solve(library, A, b, atol=0, btol=0, conlim=0, iter_lim=2000)
    assert found["istop"] in (4, 5)
    assert numpy.linalg.norm(A @ found["x"] - b) <= 1e-8 * numpy.linalg.norm(b)


def test_x0(library):
    A, b = random_problem(35, 35)
    tight = dict(atol=1e-12, btol=1e-12)
    plain = solve(library, A, b, **tight)
    numpy.testing.assert_allclose(solve(library, A, b, x0=numpy.zeros(35), **tight)["x"], plain["x"], rtol=1e-12)
    start = solve(library, A, b, iter_lim=1, **tight)["x"]
    kept = start.copy()
    warm = solve(library, A, b, x0=start, **tight)
    numpy.testing.assert_array_equal(start, kept)
    check_stopping_rule(A, b, warm, 1e-12, 1e-12, start=start)
    assert numpy.linalg.norm(A @ warm["x"] - b) <= 1e-9 * numpy.linalg.norm(b)


def test_exact_x0_needs_no_iteration(library):
    found = solve(library, sparse.eye_array(3, format="csr"), numpy.ones(3), x0=numpy.ones(3))
    assert found["itn"] == 0 and found["istop"] == 0
    numpy.testing.assert_array_equal(found["x"], 1)


def test_same_result_in_each_run(library):
    A, b = random_problem(60, 20)
    first, second = solve(library, A, b), solve(library, A, b)
    for name in NAMES:
        numpy.testing.assert_array_equal(first[name], second[name])


def test_empty_rows_and_columns(library):
    A, b = random_problem(12, 9)
    A = A.tolil()
    A[3], A[:, 5] = 0, 0
    found = solve(library, A.tocsr(), b)
    assert found["x"][5] == 0 and found["istop"] == 2
    check_stopping_rule(A.tocsr(), b, found, 1e-6, 1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_ends(library):
    A, b = random_problem(12, 9)
    b[2] = numpy.nan
    assert solve(library, A, b, iter_lim=20)["istop"] not in (1, 2, 4, 5)


@pytest.mark.parametrize("size", [11, 13])
def test_right_hand_side_of_a_wrong_size(library, size):
    A, _ = random_problem(12, 9)
    with pytest.raises(ValueError):
        solve(library, A, numpy.ones(size))


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(damp=-1), "damp = -1"),
        (dict(atol=numpy.nan), "atol = nan"),
        (dict(btol=-1e-3), "btol = -0.001"),
        (dict(conlim=-2), "conlim = -2"),
        (dict(iter_lim=-1), "maxiter = -1"),
        (dict(x0=numpy.zeros(12)), r"x0 has shape \(12,\); a matrix of shape \(12, 9\) needs \(9,\)"),
        (dict(check_every=0), "check_every = 0"),
    ],
)
def test_options_that_are_wrong(options, message):
    A, b = random_problem(12, 9)
    with pytest.raises(ValueError, match=message):
        gossamer.linalg.lsqr(A, b, **options)


def test_operators_and_complex_numbers_are_refused():
    A, b = random_problem(12, 9)
    with pytest.raises(TypeError, match="gossamer.linalg.lsqr needs the entries of the matrix"):
        gossamer.linalg.lsqr(aslinearoperator(A), b)
    with pytest.raises(TypeError, match="complex"):
        gossamer.linalg.lsqr(A, b * 1j)


@pytest.mark.parametrize("operations", ["forward", "transposed", "both"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_prepared_matrices_and_transposes(kind, operations):
    A, b = random_problem(12, 9)
    G = gossamer.matrix(A.asformat(kind), operations=operations)
    found = dict(zip(NAMES, gossamer.linalg.lsqr(G, b)))
    check_stopping_rule(A, b, found, 1e-6, 1e-6)
    found = dict(zip(NAMES, gossamer.linalg.lsqr(G.T, b[:9])))
    check_stopping_rule(A.T.tocsr(), b[:9], found, 1e-6, 1e-6)


def test_show(capsys):
    A, b = random_problem(12, 9)
    gossamer.linalg.lsqr(A, b, show=True)
    assert capsys.readouterr().out.startswith("lsqr: the least-squares solution is good enough for atol; ")
