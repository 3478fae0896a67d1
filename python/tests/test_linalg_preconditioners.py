# SPDX-License-Identifier: BSD-3-Clause
"""Preconditioners of cg, bicgstab and minres, tested with SciPy itself and with gossamer.linalg."""

import numpy
import pytest
import scipy.sparse as sparse

from linear_systems import (
    CASES,
    LIBRARIES,
    SOLVERS,
    OnGpuFromHost,
    Recorder,
    System,
    allowance,
    easy,
    path_laplacian,
    solve,
)


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param()


@pytest.fixture(params=SOLVERS)
def name(request):
    return request.param


@pytest.mark.parametrize("kind", ["operator", "sparse", "dense"])
def test_inverse_as_preconditioner_needs_one_iteration(library, name, kind):
    system = easy()
    inverse = numpy.linalg.inv(system.A.toarray())
    inverse = (inverse + inverse.T) / 2
    dense = library.vector(inverse)
    M = {
        "operator": lambda: library.operator((12, 12), lambda r: dense @ r),
        "sparse": lambda: library.sparse(inverse),
        "dense": lambda: dense,
    }[kind]()
    recorder = Recorder(library)
    x, info = solve(library, name, system.A, system.b, M=M, rtol=1e-8, callback=recorder)
    assert info == 0 and recorder.count <= 2
    assert system.residual(x) <= 1e-8 * numpy.linalg.norm(system.b) * allowance(name)


@pytest.mark.parametrize("name, system", CASES)
def test_identity_as_preconditioner_changes_nothing(library, name, system):
    if isinstance(library, OnGpuFromHost):
        pytest.skip("with a function, the vectors stay on the host, where sums have another order")
    n = len(system.b)
    plain = solve(library, name, system.A, system.b)
    M = library.operator((n, n), lambda r: r)
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
