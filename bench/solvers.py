#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time solvers of Python libraries: an iteration, and the whole solution.

    solvers.py -o FILE.csv [--method cg,minres,lsqr,eigsh] [--device cuda] [--libraries scipy,cupy,petsc,gossamer]
               [MATRIX ...]

MATRIX is a Matrix Market file, or a specification that `gossamer convert` takes. Without one, the matrices of the
experiment solvers/METHOD are taken; eigsh takes those of solvers/cg. The systems and right-hand sides are those of
the experiment. For lsqr, b = A z with a z between 0.25 and 0.75. For the others, the matrix is the given one if that
is symmetric and diagonally dominant, otherwise a weighted Laplacian with its pattern. Libraries that are absent are
named on stderr and left out. NumPy and SciPy are needed.

The time of an iteration is the difference between two solves with fixed numbers of iterations, divided by the
difference of the numbers. It is empty if a solver stops earlier. Libraries alternate, round by round. Columns us_low
and us_high are the quartiles of the rounds.

- lsqr: CuPy has no iterative lsqr, so its lsmr is timed.
- eigsh: the 6 largest eigenvalues and their vectors, from the same start. SciPy's solver (on a GPU, CuPy's) runs
  with its own matrix, and with Gossamer's as a LinearOperator. SciPy tests each residual relative to its eigenvalue.
  CuPy tests the norm of all six, here relative to the smallest of the six. true_relative_residual is the largest
  residual relative to its eigenvalue. There is no time of an iteration.
"""

import argparse
import csv
import functools
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
# On a GPU, gossamer.linalg captures its graph after the first 16 iterations: both numbers contain this.
FEW, MANY = 64, 320
LIMIT = 20000
EIGENVALUES = 6
COLUMNS = ("method", "matrix", "made_definite", "rows", "nnz", "value", "device", "library", "version",
           "us_per_iteration", "us_low", "us_high", "solution_ms", "iterations", "true_relative_residual")


def experiment_matrices(method="cg"):
    """The matrices of solvers/METHOD, as the source has them."""
    source = (TOP / "experiments/solvers/series.cpp").read_text()
    function = source[source.index("matrices_of_programs()" if method == "lsqr" else "matrices_of_systems()") :]
    return re.findall(r'"([a-z_]+\([^"]*\))"', function[: function.index("}")])


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


@functools.lru_cache(maxsize=1)
def system_of(name, tool, value, is_definite):
    """(matrix, whether it was made)."""
    a = read_matrix(name, tool, value)
    return definite_system(a) if is_definite else (a, False)


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


def right_hand_side(method, a):
    import numpy

    if method == "lsqr":
        return (a @ (0.25 + 0.5 * (numpy.arange(a.shape[1]) % 97) / 97)).astype(a.dtype)
    return (1 + (numpy.arange(a.shape[0]) % 97) / 97).astype(a.dtype)


class krylov:
    """A solver with SciPy's signature, and where its arrays are."""

    def __init__(self, library, version, solver, place, a, b):
        self.library, self.version, self.place = library, version, place
        self.solver, self.a, self.b = solver, a, b
        names = inspect.signature(solver).parameters
        self.is_lsqr = "btol" in names
        # Older versions call the relative tolerance tol.
        self.tolerances = ("atol", "btol") if self.is_lsqr else ("rtol",) if "rtol" in names else ("tol",)
        self.limit = "iter_lim" if "iter_lim" in names else "maxiter"
        self.fixed = {"conlim": 0.0} if self.is_lsqr else {"atol": 0.0} if "atol" in names else {}

    def solve(self, iterations, rtol, **callback):
        """What the solver returns after at most so many iterations. Waits for the device."""
        tolerances = dict.fromkeys(self.tolerances, rtol)
        found = self.solver(self.a, self.b, **{self.limit: iterations}, **tolerances, **self.fixed, **callback)
        self.place.wait()
        return found

    def count(self, iterations, rtol):
        """(x in host memory, number of iterations)."""
        if self.is_lsqr:
            x, _, done = self.solve(iterations, rtol)[:3]
            return self.place.to_host(x), done
        done = 0

        def count_one(_):
            nonlocal done
            done += 1

        x, _ = self.solve(iterations, rtol, callback=count_one)
        return self.place.to_host(x), done

    def times_iterations(self):
        """Whether a solve without tolerance runs as many iterations as it is told to."""
        found = self.solve(MANY, 0.0)
        return (found[2] if self.is_lsqr else found[1]) == MANY


class lanczos:
    """An eigsh with SciPy's signature, and where its arrays are. It does not report its iterations."""

    def __init__(self, library, version, solver, place, a, b, bound):
        self.library, self.version, self.place = library, version, place
        self.solver, self.a, self.b = solver, a, b
        # The tolerance of CuPy is absolute: relative to the eigenvalues, first to a bound of them.
        self.scale = 1.0 if place.is_host else bound

    def solve(self, iterations, rtol):
        tolerance = rtol * self.scale
        found = self.solver(self.a, k=EIGENVALUES, which="LA", v0=self.b.copy(), tol=tolerance, maxiter=iterations)
        self.place.wait()
        return found

    def count(self, iterations, rtol):
        if not self.place.is_host:
            self.scale = abs(float(self.solve(iterations, rtol)[0].min()))
        return tuple(self.place.to_host(array) for array in self.solve(iterations, rtol)), ""

    def times_iterations(self):
        return False


class petsc_solver:
    """A KSP without a preconditioner; on a GPU with aijcusparse."""

    library = "petsc"

    def __init__(self, method, a, b, device):
        from petsc4py import PETSc

        self.version = ".".join(map(str, PETSc.Sys.getVersion()))
        indices = (array.astype(PETSc.IntType) for array in (a.indptr, a.indices))
        matrix = PETSc.Mat().createAIJ(size=a.shape, csr=(*indices, a.data))
        if device != "cpu":
            matrix = matrix.convert("aijcusparse")
        self.x, self.b = matrix.createVecs()  # of sizes columns, rows
        self.b.setArray(b)
        self.ksp = PETSc.KSP().create()
        self.ksp.setOperators(matrix)
        self.ksp.setType(method)
        self.ksp.getPC().setType("none")
        if method == "cg":
            self.ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)

    def solve(self, iterations, rtol):
        self.ksp.setTolerances(rtol=max(rtol, 1e-300), atol=0.0, divtol=1e300, max_it=iterations)
        self.ksp.solve(self.b, self.x)
        self.x.getArray(readonly=True)  # waits for the device
        return self.x

    def count(self, iterations, rtol):
        return self.solve(iterations, rtol).getArray(readonly=True).copy(), self.ksp.getIterationNumber()


    def times_iterations(self):
        self.solve(MANY, 0.0)
        return self.ksp.getIterationNumber() == MANY


class host:
    """Where arrays of NumPy are."""

    is_host = True

    def wait(self):
        pass

    def to_host(self, x):
        return x

    def array(self, x):
        return x


class gpu:
    """Where arrays of CuPy are: the current device."""

    is_host = False

    def __init__(self):
        import cupy

        self.wait, self.to_host, self.array = cupy.cuda.Device().synchronize, cupy.asnumpy, cupy.asarray


def make_solver(library, method, a, b, device):
    """Raises ImportError where the library is absent, ValueError where it does not run on the device."""
    on_gpu = device != "cpu"
    if library not in ("scipy", "cupy", "petsc", "gossamer"):
        raise ValueError("no such library; known are scipy, cupy, petsc and gossamer")
    if library == "petsc":
        if method == "eigsh":
            raise ValueError("it has no eigenvalues without SLEPc")
        return petsc_solver(method, a, b, device)
    if library == "scipy" and on_gpu:
        raise ValueError("it runs on the CPU alone")
    if library == "cupy" and not on_gpu:
        raise ValueError("it runs on GPUs alone")
    place = gpu() if on_gpu else host()
    if on_gpu:
        import cupy as arrays
        import cupyx.scipy.sparse as sparse
        import cupyx.scipy.sparse.linalg as linalg
    else:
        import scipy as arrays
        import scipy.sparse as sparse
        import scipy.sparse.linalg as linalg

    if library != "gossamer":
        solver = linalg.lsmr if (library, method) == ("cupy", "lsqr") else getattr(linalg, method)
        version, matrix = arrays.__version__, sparse.csr_matrix(a) if on_gpu else a
    else:
        import gossamer.linalg

        operations = "both" if method == "lsqr" else "forward"
        version = gossamer.__version__
        matrix = gossamer.matrix(a, device="cuda:0" if on_gpu else "cpu", operations=operations)
        if method == "eigsh":
            matrix = gossamer.aslinearoperator(matrix)
        solver = linalg.eigsh if method == "eigsh" else getattr(gossamer.linalg, method)
    given = library, version, solver, place, matrix, place.array(b)
    return lanczos(*given, bound=float(abs(a).sum(axis=1).max())) if method == "eigsh" else krylov(*given)


def seconds_of(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(solvers, rounds):
    """{library: (samples of one iteration, samples of the solution, x, iterations)}; seconds."""
    return_values, can_time = {}, {}
    for solver in solvers:
        can_time[solver] = solver.times_iterations()
        x, iterations = solver.count(LIMIT, solver.rtol)
        return_values[solver.library] = ([], [], x, iterations)
    for number in range(rounds):
        for solver in solvers if number % 2 == 0 else reversed(solvers):
            steps, solutions, _, _ = return_values[solver.library]
            if can_time[solver]:
                few = seconds_of(lambda solver=solver: solver.solve(FEW, 0.0))
                many = seconds_of(lambda solver=solver: solver.solve(MANY, 0.0))
                steps.append((many - few) / (MANY - FEW))
            solutions.append(seconds_of(lambda solver=solver: solver.solve(LIMIT, solver.rtol)))
    return return_values


def relative_residual(a, b, x):
    """||b - A x|| / ||b||. Of eigenvalues w and vectors v: the largest ||A v - w v|| / |w|."""
    import numpy

    a = a.astype(numpy.float64)
    if isinstance(x, tuple):
        values, vectors = (numpy.asarray(array, dtype=numpy.float64) for array in x)
        return float((numpy.linalg.norm(a @ vectors - values * vectors, axis=0) / abs(values)).max())
    b, x = b.astype(numpy.float64), numpy.asarray(x, dtype=numpy.float64)
    return float(numpy.linalg.norm(b - a @ x) / numpy.linalg.norm(b))


def rows_of(name, method, arguments):
    a, made = system_of(name, arguments.tool, arguments.value, method != "lsqr")
    b = right_hand_side(method, a)
    solvers = []
    for library in arguments.libraries.split(","):
        try:
            solver = make_solver(library, method, a, b, arguments.device)
        except (ImportError, ValueError) as reason:
            print(f"{name}: {library} is left out: {reason}", file=sys.stderr)
            continue
        solver.rtol = arguments.rtol or (1e-4 if arguments.value == "f32" else 1e-6 if method == "eigsh" else 1e-8)
        solvers.append(solver)
    measured = measure(solvers, arguments.rounds)
    for solver in solvers:
        steps, solutions, x, iterations = measured[solver.library]
        low, middle, high = statistics.quantiles(steps, n=4, method="inclusive") if steps else (None, None, None)
        microseconds = lambda seconds: "" if seconds is None else f"{seconds * 1e6:.4g}"
        values = (method, name, int(made), a.shape[0], a.nnz, arguments.value, arguments.device, solver.library,
                  solver.version, microseconds(middle), microseconds(low), microseconds(high),
                  f"{statistics.median(solutions) * 1e3:.4g}", iterations, f"{relative_residual(a, b, x):.3g}")
        yield dict(zip(COLUMNS, values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", metavar="MATRIX")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.csv")
    parser.add_argument("--method", default="cg", metavar="NAME,NAME", help="of cg, minres, lsqr, eigsh (default: cg)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--libraries", default="scipy,cupy,petsc,gossamer", metavar="NAME,NAME")
    parser.add_argument("--value", choices=("f32", "f64"), default="f64")
    parser.add_argument("--rtol", type=float, help="of the solutions (default: 1e-8, eigsh 1e-6, f32 1e-4)")
    parser.add_argument("--rounds", type=int, default=7, help="samples of each library, 2 or more (default: 7)")
    parser.add_argument("--tool", default="gossamer", help="the command that makes matrices (default: gossamer)")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds is less than 2")
    methods = arguments.method.split(",")
    if not set(methods) <= {"cg", "minres", "lsqr", "eigsh"}:
        parser.error(f"--method {arguments.method} is not of cg, minres, lsqr, eigsh")
    methods_of = {}  # each matrix is made once
    for method in methods:
        for name in arguments.matrices or experiment_matrices(method):
            methods_of.setdefault(name, []).append(method)
    with open(arguments.output, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for name, method in ((name, method) for name, methods in methods_of.items() for method in methods):
            for row in rows_of(name, method, arguments):
                writer.writerow(row)
                file.flush()
                print(f"{name}  {method}  {row['library']}  {row['us_per_iteration'] or '-'} us an iteration, "
                      f"{row['solution_ms']} ms", flush=True)


if __name__ == "__main__":
    main()
