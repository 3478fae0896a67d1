# SPDX-License-Identifier: BSD-3-Clause
"""What the solvers of gossamer.linalg take besides what SciPy's take: matrices, preconditioners, vectors."""

import _thread
import gc
import threading
import weakref

import numpy
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg

import gossamer
import gossamer.linalg as linalg
from linear_systems import allowance, easy, grid_laplacian, path_laplacian

SOLVERS = ["cg", "bicgstab", "minres"]


@pytest.fixture(params=SOLVERS)
def name(request):
    return request.param


@pytest.fixture
def solver(name):
    return getattr(linalg, name)


def is_solved(name, A, x, b, rtol=1e-5):
    return numpy.linalg.norm(A @ x - b) <= rtol * numpy.linalg.norm(b) * allowance(name)


# Matrices.


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("is_prepared", [False, True])
def test_formats_of_scipy(solver, name, kind, is_prepared):
    A = easy().A.asformat(kind)
    x, info = solver(gossamer.matrix(A) if is_prepared else A, easy().b)
    assert info == 0 and is_solved(name, A, x, easy().b)


@pytest.mark.parametrize("operations", ["forward", "transposed", "both"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_transposes_solve_with_the_transpose(operations, kind, is_transposed):
    random = numpy.random.default_rng(3)
    A = sparse.csr_array(random.uniform(-1, 1, (12, 12)) + 6 * numpy.eye(12)).asformat(kind)
    G = gossamer.matrix(A, operations=operations)
    b = numpy.arange(12.0)
    for _ in range(2):  # the second time with what the first one kept
        x, info = linalg.bicgstab(G.T if is_transposed else G, b, rtol=1e-10)
        assert info == 0 and is_solved("bicgstab", A.T if is_transposed else A, x, b, 1e-10)


def test_copies_for_solvers_are_kept_unless_values_change():
    A = easy().A.tocsc()
    G, changing = gossamer.matrix(A), gossamer.matrix(A, values_change=True)
    for each in (G, changing):
        linalg.cg(each, easy().b)
    assert len(G._context.for_solvers) == 1 and not changing._context.for_solvers


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("copy", [False, True])
def test_copies_for_solvers_are_freed_with_the_matrix(kind, copy):
    A = easy().A.asformat(kind)
    for matrix in (gossamer.matrix(A, copy=copy), gossamer.matrix(A, copy=copy).T):
        linalg.lsqr(matrix, easy().b)
        linalg.cg(matrix, easy().b)
        stored = weakref.ref(matrix._context)
        del matrix
    gc.collect()
    assert stored() is None


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_updated_values_are_used(solver, name, kind):
    A = easy().A.asformat(kind)
    G = gossamer.matrix(A, values_change=True)
    solver(G, easy().b)
    G.update(2 * A.data)
    x, info = solver(G, easy().b)
    assert info == 0 and is_solved(name, 2 * A, x, easy().b)


def test_reordered_matrices(solver, name):
    A = grid_laplacian(9)
    b = numpy.arange(81.0)
    x, info = solver(gossamer.matrix(A, reorder="rcm"), b)
    assert info == 0 and is_solved(name, A, x, b)


@pytest.mark.parametrize("format", gossamer.formats())
def test_every_format(solver, name, format):
    try:
        G = gossamer.matrix(easy().A, format=format)
    except NotImplementedError:
        pytest.skip(f"{format} is not for this matrix or device")
    x, info = solver(G, easy().b)
    assert info == 0 and is_solved(name, easy().A, x, easy().b)


def test_linear_operators_of_gossamer(solver, name):
    G = gossamer.matrix(easy().A)
    x, info = solver(gossamer.aslinearoperator(G), easy().b)
    expected, _ = solver(G, easy().b)
    assert info == 0
    numpy.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("kind", ["LinearOperator", "function", "aslinearoperator"])
def test_operators_are_refused(solver, name, kind):
    A = easy().A
    operator = {
        "LinearOperator": scipy.sparse.linalg.LinearOperator(A.shape, lambda x: A @ x, dtype=float),
        "function": lambda x: A @ x,
        "aslinearoperator": scipy.sparse.linalg.aslinearoperator(A),
    }[kind]
    message = f"gossamer.linalg.{name} needs the entries of the matrix.*scipy.sparse.linalg.{name}"
    with pytest.raises(TypeError, match=message):
        solver(operator, easy().b)


def test_dense_matrices_are_refused(solver):
    with pytest.raises(TypeError, match="a dense array"):
        solver(easy().A.toarray(), easy().b)


def test_complex_numbers_are_refused(solver):
    with pytest.raises(TypeError, match="complex"):
        solver(easy().A.astype(complex), easy().b)
    with pytest.raises(TypeError, match="complex"):
        solver(easy().A, easy().b.astype(complex))


def test_types_of_a_prepared_matrix(solver):
    G = gossamer.matrix(easy().A.astype("float32"))
    with pytest.raises(TypeError, match=r'b is float64.*make it with dtype="float64", or pass b.astype\("float32"\)'):
        solver(G, easy().b)
    x, info = solver(G, easy().b.astype("float32"), rtol=1e-3)
    assert info == 0 and x.dtype == "float32"


def test_vectors_with_strides(solver):
    wide = numpy.zeros((12, 3))
    wide[:, 1] = easy().b
    x, info = solver(easy().A, wide[:, 1], x0=wide[::-1, 2])
    numpy.testing.assert_array_equal(x, solver(easy().A, easy().b, x0=numpy.zeros(12))[0])


# Preconditioners.


def scaled_system():
    scale = 10.0 ** numpy.linspace(0, 3, 30)
    A = (sparse.diags_array(scale) @ path_laplacian(30) @ sparse.diags_array(scale)).tocsr()
    return A, numpy.ones(30)


@pytest.mark.parametrize("kind", ["array", "dia", "csr", "dense", "Matrix", "float32", "operator", "function"])
def test_jacobi_in_all_forms(solver, kind):
    A, b = scaled_system()
    inverse = 1 / A.diagonal()
    if kind == "float32":
        inverse = inverse.astype("float32").astype("float64")
    M = {
        "array": lambda: inverse,
        "dia": lambda: sparse.diags_array(inverse),
        "csr": lambda: sparse.diags_array(inverse).tocsr(),
        "dense": lambda: numpy.diag(inverse),
        "Matrix": lambda: gossamer.matrix(sparse.diags_array(inverse).tocsr()),
        "float32": lambda: gossamer.matrix(sparse.diags_array(inverse).tocsr().astype("float32")),
        "operator": lambda: scipy.sparse.linalg.LinearOperator((30, 30), lambda r: inverse * r, dtype=float),
        "function": lambda: lambda r: inverse * r,
    }[kind]()
    x, info = solver(A, b, M=M, rtol=1e-10)
    expected, _ = solver(A, b, M="jacobi", rtol=1e-10)
    assert info == 0
    # ||x - y|| <= ||A^-1|| (||A x - b|| + ||A y - b||). minres measures residuals in the norm of M.
    smallest = numpy.linalg.eigvalsh(A.toarray())[0]
    allowed = 2e-10 * numpy.linalg.norm(b) * (1e6 if solver.__name__ == "minres" else 1) / smallest
    assert numpy.linalg.norm(x - expected) <= allowed


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("degree", [0, 1, 3, 8])
def test_polynomial(dtype, degree):
    A = grid_laplacian(20).astype(dtype)
    b = numpy.ones(400, dtype)
    counts = []
    for M in (None, linalg.Polynomial(degree)):
        steps = []
        x, info = linalg.cg(A, b, M=M, callback=steps.append)
        counts.append(len(steps))
        assert info == 0 and is_solved("cg", A.astype("float64"), x.astype("float64"), b, 1.01e-5)
    if degree >= 3:
        assert counts[1] < counts[0]


@pytest.mark.parametrize(
    "M, error, message",
    [
        ("ilu", ValueError, "M = 'ilu'"),
        (numpy.ones(11), ValueError, r"M has shape \(11,\)"),
        (numpy.ones((12, 11)), ValueError, r"M has shape \(12, 11\)"),
        (numpy.zeros(12), ValueError, "M has an element that is 0"),
        (lambda r: r[:5], ValueError, r"M returned an array of shape \(5,\)"),
        (3, TypeError, "M is a int"),
        (linalg.Polynomial(-1), ValueError, "degree"),
    ],
    ids=str,
)
def test_preconditioners_that_are_wrong(solver, M, error, message):
    with pytest.raises(error, match=message):
        solver(easy().A, easy().b, M=M)


def test_errors_of_preconditioners_reach_the_caller(solver):
    def fail(r):
        raise LookupError("no factors")

    with pytest.raises(LookupError, match="no factors"):
        solver(easy().A, easy().b, M=fail)


def test_preconditioners_may_keep_their_vectors(solver):
    kept = []

    def identity(r):
        kept.append(r)
        return r

    solver(easy().A, easy().b, M=identity)
    numpy.testing.assert_array_equal(kept[0], easy().b)
    assert len({id(each) for each in kept}) == len(kept)


# Callbacks, threads and signals.


def test_callbacks_may_multiply_and_keep_their_vectors(solver, name):
    G = gossamer.matrix(easy().A)
    seen, residuals = [], []

    def look(x):
        seen.append(x)
        residuals.append(numpy.linalg.norm(G @ x - easy().b))

    x, info = solver(G, easy().b, callback=look)
    assert info == 0 and not numpy.array_equal(seen[0], seen[-1])
    numpy.testing.assert_array_equal(seen[-1], x)


def test_solves_of_one_matrix_in_several_threads(solver, name):
    A = grid_laplacian(60)
    G = gossamer.matrix(A)
    right = [numpy.random.default_rng(seed).uniform(-1, 1, 3600) for seed in range(6)]
    expected = [solver(G, b)[0] for b in right]
    found = [None] * 6

    def work(at):
        found[at] = solver(G, right[at])[0]

    threads = [threading.Thread(target=work, args=(at,)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got, wanted in zip(found, expected):
        numpy.testing.assert_array_equal(got, wanted)


def test_control_c_ends_a_solve():
    A = path_laplacian(20_000)
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        linalg.cg(A, numpy.ones(20_000), rtol=0, atol=0, maxiter=10**9)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(rtol=-1), "rtol = -1"),
        (dict(rtol=numpy.nan), "rtol = nan"),
        (dict(maxiter=-1), "maxiter = -1"),
        (dict(check_every=0), "check_every = 0"),
        (dict(x0="Ab"), "x0 = 'Ab'"),
        (dict(x0="Mb", M=linalg.Polynomial()), "Polynomial"),
    ],
)
def test_options_that_are_wrong(solver, options, message):
    with pytest.raises(ValueError, match=message):
        solver(easy().A, easy().b, **options)


# GPUs.


@pytest.mark.gpu
@pytest.mark.parametrize("every", [1, 5, 16, 100])
def test_bits_do_not_depend_on_the_interval_of_checks(solver, every):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    A = grid_laplacian(30)
    G = gossamer.matrix(A, device="cuda")
    b = cupy.arange(900.0)
    expected, _ = solver(G, b)
    x, info = solver(G, b, check_every=every)
    assert info == 0
    numpy.testing.assert_array_equal(x.get(), expected.get())
    numpy.testing.assert_array_equal(solver(G, b.get())[0], expected.get())


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["array", "host array", "jacobi", "function", "dia", "cupy matrix", "matrix",
                                  "cupy dense", "dense", "Matrix", "polynomial"])
def test_preconditioners_on_a_gpu(solver, kind):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    import cupyx.scipy.sparse

    if kind == "polynomial" and solver is not linalg.cg:
        pytest.skip("for positive definite matrices")
    A, b = (grid_laplacian(20), numpy.ones(400)) if kind == "polynomial" else scaled_system()
    inverse = cupy.asarray(1 / A.diagonal())
    M = {
        "array": lambda: inverse,
        "host array": inverse.get,
        "jacobi": lambda: "jacobi",
        "function": lambda: lambda r: inverse * r,
        "dia": lambda: cupyx.scipy.sparse.diags(inverse),
        "cupy matrix": lambda: cupyx.scipy.sparse.diags(inverse).tocsr(),
        "matrix": lambda: sparse.diags_array(inverse.get()).tocsr(),
        "cupy dense": lambda: cupy.diag(inverse),
        "dense": lambda: numpy.diag(inverse.get()),
        "Matrix": lambda: gossamer.matrix(sparse.diags_array(inverse.get()).tocsr(), device="cuda"),
        "polynomial": lambda: linalg.Polynomial(4),
    }[kind]()
    with cupy.cuda.Stream(non_blocking=True):
        x, info = solver(gossamer.matrix(A, device="cuda"), cupy.asarray(b), M=M, rtol=1e-8)
        assert info == 0 and isinstance(x, cupy.ndarray)
        expected, _ = solver(A, b, M="jacobi", rtol=1e-8)
        assert numpy.linalg.norm(x.get() - expected) <= 1e-4 * numpy.linalg.norm(expected)


@pytest.mark.gpu
def test_callbacks_see_their_iterate_on_a_busy_stream(solver):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    G, b = gossamer.matrix(easy().A, device="cuda"), cupy.asarray(easy().b)
    work = cupy.ones(1 << 26)
    seen = []

    def look(x):
        seen.append(x)
        for _ in range(20):
            work.sum()  # so that the next copy of x has to wait

    solver(G, b, callback=look)
    for count, x in enumerate(seen, 1):
        stopped, _ = solver(G, b, maxiter=count)
        numpy.testing.assert_array_equal(x.get(), stopped.get())


@pytest.mark.gpu
def test_vectors_in_other_memory_are_refused(solver):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    with pytest.raises(ValueError, match="b is on cuda:0, the matrix on cpu"):
        solver(gossamer.matrix(easy().A), cupy.asarray(easy().b))
    with pytest.raises(TypeError, match="x0 is a numpy array, b a cupy"):
        solver(gossamer.matrix(easy().A, device="cuda"), cupy.asarray(easy().b), x0=easy().b)
