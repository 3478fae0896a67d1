#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time conjugate gradients of Python libraries: an iteration, and the whole solution.

    solvers.py -o FILE.csv [--device cuda] [--libraries scipy,cupy,petsc,gossamer] [MATRIX ...]

MATRIX is a Matrix Market file, or a specification that `gossamer convert` takes. Without one, the matrices of the
experiment solvers/cg are taken. The systems and the right-hand side are those of the experiment: the matrix itself if it
is symmetric and diagonally dominant, otherwise a weighted Laplacian with its pattern. Libraries that are absent are named
on stderr and left out. NumPy and SciPy are needed.

The time of an iteration is the difference between two solves with fixed numbers of iterations, divided by the difference
of the numbers. Libraries alternate, round by round. Columns us_low and us_high are the quartiles of the rounds.
"""

import argparse
import csv
import inspect
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
DOMINANCE = 1.001
FEW, MANY = 16, 48
COLUMNS = ("matrix", "made_definite", "rows", "nnz", "value", "device", "library", "version", "us_per_iteration", "us_low", "us_high",
           "solution_ms", "iterations", "true_relative_residual")


def experiment_matrices():
    """The matrices of solvers/cg, as the source has them."""
    source = (TOP / "experiments/solvers/series.cpp").read_text()
    return re.findall(r'"((?:stencil|fem|like)\([^"]*\))"', source[source.index("matrices_of_systems") : source.index("matrices_of_programs")])


def read_matrix(name, tool, value):
    import numpy
    import scipy.io
    import scipy.sparse

    if pathlib.Path(name).exists():
        a = scipy.io.mmread(name)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/a.mtx"
            subprocess.run([tool, "convert", name, "-o", file], check=True, stdout=subprocess.DEVNULL)
            a = scipy.io.mmread(file)
    return scipy.sparse.csr_array(a, dtype=numpy.float32 if value == "f32" else numpy.float64)


def definite_system(a):
    """(system, whether it was made), by the rule of bench_support::make_spd_system."""
    import numpy
    import scipy.sparse

    if a.shape[0] != a.shape[1]:
        raise ValueError(f"a matrix of {a.shape[0]} x {a.shape[1]} is not square")
    dtype = a.dtype
    a = a.astype(numpy.float64)
    weights = abs(a)  # of each duplicate
    a.sum_duplicates()
    diagonal = a.diagonal()
    others = numpy.asarray(abs(a).sum(axis=1)).ravel() - abs(diagonal)
    if (a != a.T).nnz == 0 and (diagonal > others).all():
        return a.astype(dtype), False
    weights = ((weights + weights.T) / 2).tocsr()
    weights.setdiag(0)
    sums = numpy.asarray(weights.sum(axis=1)).ravel()
    diagonal = numpy.where(sums > 0, DOMINANCE * sums, 1.0)
    made = scipy.sparse.csr_array(scipy.sparse.diags_array(diagonal) - weights)
    made.sum_duplicates()
    return made.astype(dtype), True


def right_hand_side(size, dtype):
    import numpy

    return (1 + (numpy.arange(size) % 97) / 97).astype(dtype)


class krylov:
    """A cg with SciPy's signature, and where its arrays are."""

    def __init__(self, module_name, version, cg, a, b, wait, to_host):
        self.library, self.version = module_name, version
        self.cg, self.a, self.b, self.wait, self.to_host = cg, a, b, wait, to_host
        # Older versions call the relative tolerance tol.
        self.tolerance = "rtol" if "rtol" in inspect.signature(cg).parameters else "tol"

    def solve(self, iterations, rtol, callback=None):
        """x after at most so many iterations. Waits for the device."""
        x, _ = self.cg(self.a, self.b, maxiter=iterations, atol=0.0, callback=callback, **{self.tolerance: rtol})
        self.wait()
        return x

    def count(self, iterations, rtol):
        """(x in host memory, number of iterations)."""
        done = 0

        def count_one(_):
            nonlocal done
            done += 1

        x = self.solve(iterations, rtol, count_one)
        return self.to_host(x), done


class petsc_cg:
    """KSPCG without a preconditioner; on a GPU with aijcusparse."""

    library = "petsc"

    def __init__(self, a, b, device):
        from petsc4py import PETSc

        self.version = ".".join(map(str, PETSc.Sys.getVersion()))
        matrix = PETSc.Mat().createAIJ(size=a.shape, csr=(a.indptr.astype(PETSc.IntType), a.indices.astype(PETSc.IntType), a.data))
        if device != "cpu":
            matrix = matrix.convert("aijcusparse")
        self.x, self.b = matrix.createVecs()
        self.b.setArray(b)
        self.ksp = PETSc.KSP().create()
        self.ksp.setOperators(matrix)
        self.ksp.setType("cg")
        self.ksp.getPC().setType("none")
        self.ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)

    def solve(self, iterations, rtol):
        self.ksp.setTolerances(rtol=max(rtol, 1e-300), atol=0.0, divtol=1e300, max_it=iterations)
        self.ksp.solve(self.b, self.x)
        self.x.getArray(readonly=True)  # waits for the device
        return self.x

    def count(self, iterations, rtol):
        return self.solve(iterations, rtol).getArray(readonly=True).copy(), self.ksp.getIterationNumber()


def no_wait():
    pass


def make_solver(library, a, b, device):
    """Raises ImportError where the library is absent, ValueError where it does not run on the device."""
    on_gpu = device != "cpu"
    if library == "petsc":
        return petsc_cg(a, b, device)
    if library == "scipy":
        if on_gpu:
            raise ValueError("it runs on the CPU alone")
        import scipy
        import scipy.sparse.linalg

        return krylov(library, scipy.__version__, scipy.sparse.linalg.cg, a, b, no_wait, lambda x: x)
    if library == "cupy" and not on_gpu:
        raise ValueError("it runs on GPUs alone")
    if on_gpu:
        import cupy

        there, wait, to_host = cupy.asarray(b), cupy.cuda.get_current_stream().synchronize, cupy.asnumpy
    else:
        there, wait, to_host = b, no_wait, lambda x: x
    if library == "cupy":
        import cupyx.scipy.sparse
        import cupyx.scipy.sparse.linalg

        return krylov(library, cupy.__version__, cupyx.scipy.sparse.linalg.cg, cupyx.scipy.sparse.csr_matrix(a), there, wait, to_host)
    if library == "gossamer":
        import gossamer
        import gossamer.linalg

        matrix = gossamer.matrix(a, device="cuda:0" if on_gpu else "cpu")
        return krylov(library, gossamer.__version__, gossamer.linalg.cg, matrix, there, wait, to_host)
    raise ValueError("no such library; known are scipy, cupy, petsc and gossamer")


def seconds_of(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(solvers, rounds):
    """{library: (samples of one iteration, samples of the solution, x, iterations)}; seconds."""
    return_values = {}
    for solver in solvers:
        solver.solve(FEW, 0.0)
        x, iterations = solver.count(20000, solver.rtol)
        return_values[solver.library] = ([], [], x, iterations)
    for number in range(rounds):
        for solver in solvers if number % 2 == 0 else reversed(solvers):
            steps, solutions, _, _ = return_values[solver.library]
            few = seconds_of(lambda solver=solver: solver.solve(FEW, 0.0))
            many = seconds_of(lambda solver=solver: solver.solve(MANY, 0.0))
            steps.append((many - few) / (MANY - FEW))
            solutions.append(seconds_of(lambda solver=solver: solver.solve(20000, solver.rtol)))
    return return_values


def relative_residual(a, b, x):
    import numpy

    a, b, x = a.astype(numpy.float64), b.astype(numpy.float64), numpy.asarray(x, dtype=numpy.float64)
    return float(numpy.linalg.norm(b - a @ x) / numpy.linalg.norm(b))


def rows_of(name, arguments):
    a, made = definite_system(read_matrix(name, arguments.tool, arguments.value))
    b = right_hand_side(a.shape[0], a.dtype)
    solvers = []
    for library in arguments.libraries.split(","):
        try:
            solver = make_solver(library, a, b, arguments.device)
        except (ImportError, ValueError) as reason:
            print(f"{name}: {library} is left out: {reason}", file=sys.stderr)
            continue
        solver.rtol = arguments.rtol or (1e-4 if arguments.value == "f32" else 1e-8)
        solvers.append(solver)
    measured = measure(solvers, arguments.rounds)
    for solver in solvers:
        steps, solutions, x, iterations = measured[solver.library]
        low, middle, high = statistics.quantiles(steps, n=4, method="inclusive")
        values = (name, int(made), a.shape[0], a.nnz, arguments.value, arguments.device, solver.library, solver.version,
                  f"{middle * 1e6:.4g}", f"{low * 1e6:.4g}", f"{high * 1e6:.4g}", f"{statistics.median(solutions) * 1e3:.4g}", iterations,
                  f"{relative_residual(a, b, x):.3g}")
        yield dict(zip(COLUMNS, values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", metavar="MATRIX")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.csv")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--libraries", default="scipy,cupy,petsc,gossamer", metavar="NAME,NAME")
    parser.add_argument("--value", choices=("f32", "f64"), default="f64")
    parser.add_argument("--rtol", type=float, help="relative tolerance of the solutions (default: 1e-8, f32 1e-4)")
    parser.add_argument("--rounds", type=int, default=7, help="samples of each library, 2 or more (default: 7)")
    parser.add_argument("--tool", default="gossamer", help="the command that makes matrices (default: gossamer)")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds is less than 2")
    with open(arguments.output, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for name in arguments.matrices or experiment_matrices():
            for row in rows_of(name, arguments):
                writer.writerow(row)
                file.flush()
                print(f"{row['matrix']}  {row['library']}  {row['us_per_iteration']} us an iteration, {row['solution_ms']} ms")


if __name__ == "__main__":
    main()
