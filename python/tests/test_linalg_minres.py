# SPDX-License-Identifier: BSD-3-Clause
"""minres: indefinite and singular matrices, shift, check, tested with SciPy itself and with gossamer.linalg."""

import numpy
import pytest
import scipy.sparse as sparse

from linear_systems import LIBRARIES, SYSTEMS, Recorder, System, allowance, easy, gram_matrix, path_laplacian, solve


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param()


def test_iterations_of_minres_reduce_the_residual(library):
    system = System("path", -path_laplacian(40), numpy.arange(40.0), "symmetric")
    recorder = Recorder(library)
    solve(library, "minres", system.A, system.b, rtol=1e-10, callback=recorder)
    residuals = [numpy.linalg.norm(system.b)] + [system.residual(x) for x in recorder.iterates]
    # Up to rounding errors of the residual that is computed here.
    noise = 40 * numpy.finfo(float).eps * 4 * max(abs(x).max() for x in recorder.iterates) * 40
    assert all(after <= before + noise for before, after in zip(residuals, residuals[1:]))


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


@pytest.mark.parametrize("kind", ["csr", "dia"])
def test_minres_refuses_an_indefinite_preconditioner(library, kind):
    M = -sparse.eye_array(12, format=kind)
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
