# SPDX-License-Identifier: BSD-3-Clause
"""gossamer.linalg.pdhg against HiGHS, and what its result promises."""

import dataclasses

import numpy
import pytest
import scipy.sparse as sparse
from scipy.optimize import Bounds

import gossamer
import gossamer.linalg
from gossamer.linalg.equilibration import equilibrate, equilibrate_on_device
from lp_programs import INF, LinearProgram, random_program

norm = numpy.linalg.norm
SIZES = [(1, 1), (1, 6), (6, 1), (8, 8), (10, 25), (25, 10), (30, 30)]


@pytest.fixture(params=["numpy", pytest.param("cupy", marks=pytest.mark.gpu)])
def pdhg(request):
    """The function with vectors of NumPy on a CPU, or of CuPy on a GPU. Results are NumPy arrays."""
    if request.param == "numpy":
        return gossamer.linalg.pdhg
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")

    def on_host(found):
        assert all(isinstance(array, cupy.ndarray) for array in (found.x, found.y, found.reduced_costs))
        arrays = {name: getattr(found, name).get() for name in ("x", "y", "reduced_costs")}
        return dataclasses.replace(found, **arrays)

    def solve(c, A, **options):
        if "callback" in options:
            options["callback"] = lambda found, call=options["callback"]: call(on_host(found))
        return on_host(gossamer.linalg.pdhg(cupy.asarray(c, dtype="float64"), A, **options))

    return solve


def finite(array):
    return numpy.where(numpy.isfinite(array), array, 0)


def held(multipliers, low, high):
    """The part of multipliers that finite bounds allow."""
    by_low = numpy.where(numpy.isfinite(low), multipliers.clip(0), 0)
    return by_low + numpy.where(numpy.isfinite(high), multipliers.clip(None, 0), 0)


def check_optimal(program, found, rtol):
    """The three tests that the documentation names, computed again."""
    assert found.success and found.status == 0
    x, y, reduced = found.x, found.y, found.reduced_costs
    assert (program.lower <= x).all() and (x <= program.upper).all()
    numpy.testing.assert_array_equal(held(y, program.lb, program.ub), y)
    numpy.testing.assert_array_equal(held(reduced, program.lower, program.upper), reduced)
    # Products are rounded differently here; the bound of each element is n + 3 units of its terms.
    eps = numpy.finfo(float).eps
    rounding = (max(program.A.shape) + 3) * 10 * eps * (1 + abs(program.A).sum()) * (1 + abs(x).max() + abs(y).max())
    product = program.A @ x
    sides = norm(numpy.maximum(abs(finite(program.lb)), abs(finite(program.ub))))
    assert norm(product - product.clip(program.lb, program.ub)) <= rtol * (1 + sides) + rounding
    assert norm(program.c - program.A.T @ y - reduced) <= rtol * (1 + norm(program.c)) + rounding
    dual = sum(
        finite(low) @ multipliers.clip(0) + finite(high) @ multipliers.clip(None, 0)
        for multipliers, low, high in ((y, program.lb, program.ub), (reduced, program.lower, program.upper))
    )
    assert abs(program.c @ x - dual) <= rtol * (1 + abs(program.c @ x) + abs(dual)) + rounding
    assert abs(found.fun - program.c @ x) <= rounding and abs(found.dual_fun - dual) <= rounding
    assert all(error <= rtol for error in (found.primal_error, found.dual_error, found.gap))


def check_objective(program, found, rtol):
    """The objective's error, by weak duality: c x - c x* is at most the gap and what violations are worth.

    Let x* be optimal and r = c - A^T y - reduced. Then c x* >= dual + r x*, and c x* = c x at most differs from
    c x by y* times the violation of the sides. HiGHS has both at 1e-7.
    """
    exact = program.exact()
    scale = 1 + abs(exact) + norm(program.c) + norm(finite(program.lb)) + norm(finite(program.ub))
    size = 1 + norm(found.x) + norm(found.y)
    assert abs(found.fun - exact) <= (rtol + 1e-7) * scale * size * 2


@pytest.mark.parametrize("rtol", [1e-4, 1e-8])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_random_programs(pdhg, size, seed, rtol):
    program = random_program(*size, seed)
    found = pdhg(**program.arguments(), rtol=rtol, maxiter=200_000)
    check_optimal(program, found, rtol)
    check_objective(program, found, rtol)


def test_rows_and_bounds_that_are_numbers(pdhg):
    A = sparse.csr_array([[1.0, 1.0], [1.0, 3.0]])
    found = pdhg([-2, -3], A, ub=[4, 6], rtol=1e-8)
    numpy.testing.assert_allclose(found.x, [3, 1], atol=1e-6)
    numpy.testing.assert_allclose(found.y, [-1.5, -0.5], atol=1e-6)
    found = pdhg([-2, -3], A, ub=5, bounds=(-1, 1.5), rtol=1e-8)
    numpy.testing.assert_allclose(found.x, [1.5, 7 / 6], atol=1e-6)
    same = pdhg([-2, -3], A, ub=5, bounds=Bounds([-1, -1], [1.5, 1.5]), rtol=1e-8)
    numpy.testing.assert_array_equal(found.x, same.x)


@pytest.mark.parametrize(
    "convert",
    [
        sparse.csc_array,
        sparse.coo_array,
        lambda A: A.astype("float32"),
        gossamer.matrix,
        lambda A: gossamer.matrix(A.T.tocsr()).T,
        lambda A: (A.data, A.indices, A.indptr),
    ],
    ids=["csc", "coo", "float32", "Matrix", "Matrix.T", "tuple"],
)
def test_kinds_of_matrices(pdhg, convert):
    A = sparse.csr_array([[1.0, 1.0], [1.0, 3.0]])
    given = convert(A)
    if isinstance(given, tuple):
        given = gossamer.matrix(given, shape=(2, 2))
    kept = A.copy()
    found = pdhg([-2, -3], given, ub=[4, 6], rtol=1e-8)
    numpy.testing.assert_allclose(found.x, [3, 1], atol=1e-6)
    assert (A != kept).nnz == 0


def test_empty_programs(pdhg):
    nothing = sparse.csr_array((0, 3), dtype="float64")
    found = pdhg([1, -1, 0], nothing, bounds=(0, 2), rtol=1e-8)
    assert found.success and found.fun == pytest.approx(-2)
    assert pdhg([], sparse.csr_array((2, 0), dtype="float64"), ub=1).success
    found = pdhg([], sparse.csr_array((2, 0), dtype="float64"), lb=1, maxiter=1000)
    assert found.status in (1, 2)
    zeros = sparse.csr_array((2, 3), dtype="float64")
    assert pdhg([1, 1, 1], zeros, lb=-1, ub=1, rtol=1e-8).fun == pytest.approx(0)


def test_rows_and_columns_of_zeros(pdhg):
    program = random_program(10, 25, 1)
    A = program.A.tolil()
    A[3], A[:, 5] = 0, 0
    program.A = A.tocsr()
    program.lb[3], program.ub[3] = -1, 1
    program.lower[5], program.upper[5] = -1, 1
    x = numpy.clip(numpy.ones(25), program.lower, program.upper)
    product = program.A @ x
    program.lb, program.ub = numpy.minimum(program.lb, product), numpy.maximum(program.ub, product)
    program.lower, program.upper = program.lower.clip(-3), program.upper.clip(None, 3)
    check_optimal(program, pdhg(**program.arguments(), rtol=1e-6), 1e-6)


def test_without_objective_it_finds_a_feasible_point(pdhg):
    program = random_program(10, 25, 2)
    program.c = numpy.zeros(25)
    found = pdhg(**program.arguments(), rtol=1e-8)
    check_optimal(program, found, 1e-8)
    assert found.fun == 0


def test_start(pdhg):
    program = random_program(30, 30, 3)
    first = pdhg(**program.arguments(), rtol=1e-8)
    start = first.x.copy(), first.y.copy()
    again = pdhg(**program.arguments(), rtol=1e-6, x0=start[0], y0=start[1])
    assert again.nit == 0 and again.success
    numpy.testing.assert_array_equal(start[0], first.x)
    numpy.testing.assert_allclose(again.x, first.x, rtol=1e-12)


@pytest.mark.parametrize("limit", [0, 1, 7, 50])
def test_maxiter(pdhg, limit):
    program = random_program(30, 30, 0)
    found = pdhg(**program.arguments(), rtol=1e-12, maxiter=limit)
    assert found.status == 1 and not found.success and found.nit == limit
    assert (program.lower <= found.x).all() and (found.x <= program.upper).all()


def test_time_limit(pdhg):
    program = random_program(30, 30, 0)
    found = pdhg(**program.arguments(), rtol=0, time_limit=0)
    assert found.status == 1 and found.nit <= 40


def test_equal_bits_in_each_run(pdhg):
    program = random_program(25, 10, 1)
    first, second = (pdhg(**program.arguments(), rtol=1e-6) for _ in range(2))
    numpy.testing.assert_array_equal(first.x, second.x)
    numpy.testing.assert_array_equal(first.y, second.y)
    assert first.nit == second.nit


def test_callback(pdhg):
    program = random_program(30, 30, 0)
    seen = []
    found = pdhg(**program.arguments(), rtol=1e-6, check_every=25, callback=seen.append)
    assert [each.nit for each in seen] == list(range(25, found.nit + 1, 25))
    numpy.testing.assert_array_equal(seen[-1].x, found.x)
    with pytest.raises(ZeroDivisionError):
        pdhg(**program.arguments(), callback=lambda result: 1 / 0)


def test_infeasible_program(pdhg):
    A = sparse.csr_array([[1.0, 1.0], [1.0, -1.0]])
    found = pdhg([1, 1], A, lb=[4, -INF], ub=[INF, 1], bounds=([0, 0], [1, 2]), maxiter=20_000)
    assert found.status == 2 and not found.success
    # y A x <= 0 < the least of y z: no x can do it.
    reduced = -(A.T @ found.y)
    assert 4 * max(found.y[0], 0) + min(found.y[1], 0) + numpy.minimum(reduced, 0) @ [1, 2] > 0


def test_unbounded_program(pdhg):
    A = sparse.csr_array([[1.0, -1.0]])
    found = pdhg([-1, 0], A, ub=3, maxiter=20_000)
    assert found.status == 3 and not found.success
    assert found.x[0] > 0 and (found.x >= 0).all()
    assert abs((A @ found.x)[0]) <= 1e-8 * found.x[0]


def test_badly_scaled_program(pdhg):
    program = random_program(10, 25, 4)
    exact = program.exact()
    rows, columns = 10.0 ** numpy.linspace(-4, 4, 10), 10.0 ** numpy.linspace(3, -3, 25)
    scaled = LinearProgram(
        program.c * columns,
        (sparse.diags_array(rows) @ program.A @ sparse.diags_array(columns)).tocsr(),
        program.lb * rows, program.ub * rows, program.lower / columns, program.upper / columns,
    )
    found = pdhg(**scaled.arguments(), rtol=1e-8)
    check_optimal(scaled, found, 1e-8)
    assert abs(found.fun - exact) <= 1e-4 * (1 + abs(exact))


@pytest.mark.parametrize("c", [[-2e150, -3e150], [-2e153, 3e-153], [1e153, 1e153]], ids=str)
@pytest.mark.parametrize("scale", [1.0, 1e-160, 1e100])
def test_success_of_large_numbers_is_true(pdhg, c, scale):
    A = sparse.csr_array([[1.0, 1.0], [1.0, 3.0]]) * scale
    found = pdhg(c, A, ub=[4 * scale, 6 * scale], rtol=1e-6, maxiter=2000)
    assert found.success == all(error <= 1e-6 for error in (found.primal_error, found.dual_error, found.gap))
    if found.success:
        exact = pdhg([each / 1e150 for each in c], A / scale, ub=[4, 6], rtol=1e-8)
        assert abs(found.fun / 1e150 - exact.fun) <= 1e-4 * (1 + abs(exact.fun))


def test_numbers_that_overflow(pdhg):
    # The scaled c has a norm that overflows.
    found = pdhg([-2e100, -3e100], sparse.csr_array([[1e-120, 1e-120], [1e-120, 3e-120]]), ub=[4, 6], maxiter=2000)
    assert found.status == 4 and not found.success
    assert "overflow" in found.message


def badly_scaled_matrix(shape):
    random = numpy.random.default_rng(1)
    dense = random.uniform(-1, 1, shape) * (random.random(shape) < 0.3) * 10.0 ** random.integers(-6, 6, shape)
    return sparse.csr_array(dense)


@pytest.mark.parametrize("shape", [(40, 40), (7, 60), (60, 7), (1, 30), (30, 1), (0, 5), (5, 0), (0, 0)])
def test_equilibrated_matrices_have_norm_one_at_most(shape):
    A = badly_scaled_matrix(shape)
    dense = A.toarray()
    S, rows, columns = equilibrate(A)
    eps = numpy.finfo(float).eps
    numpy.testing.assert_allclose(S.toarray(), rows[:, None] * dense * columns, rtol=4 * eps)
    if dense.any():
        assert norm(S.toarray(), 2) <= 1 + 100 * max(shape) * eps
    assert (rows[~dense.any(axis=1)] == 1).all() and (columns[~dense.any(axis=0)] == 1).all()


@pytest.mark.gpu
@pytest.mark.parametrize("shape", [(40, 40), (7, 60), (60, 7), (1, 30), (30, 1), (2, 20_000), (20_000, 2), (300, 500)])
def test_equilibration_on_a_gpu(shape):
    pytest.importorskip("cupy", reason="CuPy is not installed")
    A = badly_scaled_matrix(shape)
    S, rows, columns = equilibrate(A)
    arrays, rows_there, columns_there = equilibrate_on_device(A)
    # The factors differ by rounding errors of one sum, of positive numbers.
    accuracy = (max(shape) + 3) * numpy.finfo(float).eps
    for got, expected in ((rows_there, rows), (columns_there, columns), (arrays[0], S.data)):
        numpy.testing.assert_allclose(got.get(), expected, rtol=2 * accuracy)
    numpy.testing.assert_array_equal(arrays[1].get(), A.indices)
    numpy.testing.assert_array_equal(arrays[2].get(), A.indptr)


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(c=[1.0]), r"c has shape \(1,\), not \(2,\)"),
        (dict(lb=[1, 2, 3]), r"lb has shape \(3,\)"),
        (dict(ub=numpy.ones((2, 1))), r"ub has shape \(2, 1\)"),
        (dict(bounds=([0, 0, 0], 1)), r"bounds\[0\] has shape \(3,\)"),
        (dict(x0=[1.0]), "x0 has shape"),
        (dict(y0=[[1.0, 2.0]]), "y0 has shape"),
        (dict(c=[numpy.nan, 1]), "c has an element that is not finite"),
        (dict(c=[INF, 1]), "c has an element that is not finite"),
        (dict(lb=[numpy.nan, 1]), "lb has an element that is NaN"),
        (dict(lb=2, ub=1), r"no number is between lb\[0\] = 2.0 and ub\[0\] = 1.0"),
        (dict(lb=INF), r"between lb\[0\] = inf"),
        (dict(bounds=(0, [1, -1])), r"no number is between bounds\[0\]\[1\] = 0.0 and bounds\[1\]\[1\] = -1.0"),
        (dict(A=sparse.csr_array([[numpy.nan, 1], [1, 1]])), "A has a value that is not finite"),
        (dict(c=[-2e200, -3e200], ub=[4, 6]), "the norm of c overflows; scale the program"),
        (dict(lb=[-1e155, -INF]), "the norm of lb and ub overflows"),
        (dict(ub=[-1e300, INF]), "the norm of lb and ub overflows"),
        (dict(lb=[-1.2e154, 0], ub=[0, 1.2e154]), "the norm of lb and ub overflows"),
        (dict(bounds=[(0, 1), (0, 2)]), "bounds of 2 x 2 numbers may be"),
        (dict(bounds=numpy.ones((2, 2))), "bounds of 2 x 2 numbers may be"),
        (dict(bounds=((0, 1), (0, 2))), "bounds of 2 x 2 numbers may be"),
        (dict(bounds=[(0, 1)] * 3), r"bounds has 3 parts, not \(lower, upper\); for pairs as in linprog, use"),
        (dict(rtol=-1), "rtol = -1"),
        (dict(rtol=numpy.nan), "rtol = nan"),
        (dict(check_every=0), "check_every = 0"),
    ],
)
def test_values_that_are_wrong(changes, message):
    arguments = dict(c=[1.0, 1.0], A=sparse.csr_array(numpy.ones((2, 2))))
    with pytest.raises(ValueError, match=message):
        gossamer.linalg.pdhg(**{**arguments, **changes})


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(c=numpy.array([1j, 1])), "c has elements of complex128"),
        (dict(A=sparse.csr_array([[1j, 1], [1, 1]])), "A is complex128|complex"),
        (dict(A=numpy.ones((2, 2))), "a dense array"),
        (dict(lb=["a", "b"]), "lb has elements of"),
        (dict(bounds=None), r"bounds is None, not \(lower, upper\)"),
    ],
)
def test_types_that_are_wrong(changes, message):
    arguments = dict(c=[1.0, 1.0], A=sparse.csr_array(numpy.ones((2, 2))))
    with pytest.raises(TypeError, match=message):
        gossamer.linalg.pdhg(**{**arguments, **changes})


@pytest.mark.gpu
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_results_on_a_gpu_are_of_the_library_of_c(size):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    import cupyx.scipy.sparse

    program = random_program(*size, 1)
    arguments = {**program.arguments(), "rtol": 1e-8}
    found = gossamer.linalg.pdhg(**arguments, device="cuda")
    assert isinstance(found.x, numpy.ndarray)
    check_optimal(program, found, 1e-8)
    check_objective(program, found, 1e-8)
    on_device = {"c": cupy.asarray(program.c), "lb": cupy.asarray(program.lb)}
    same = gossamer.linalg.pdhg(**{**arguments, **on_device})
    assert isinstance(same.x, cupy.ndarray)
    numpy.testing.assert_array_equal(same.x.get(), found.x)
    same = gossamer.linalg.pdhg(**{**arguments, "A": cupyx.scipy.sparse.csr_matrix(program.A)})
    numpy.testing.assert_array_equal(same.x, found.x)
    on_cpu = gossamer.linalg.pdhg(**{**arguments, **on_device}, device="cpu")
    assert isinstance(on_cpu.x, cupy.ndarray)
    check_objective(program, dataclasses.replace(on_cpu, x=on_cpu.x.get(), y=on_cpu.y.get()), 1e-8)
