#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time to solve linear programs by gossamer.linalg.pdhg, by cuPDLPx, and by the PDLP and the exact solvers of HiGHS.

    lp.py [--size small|medium|large | --mps FILE...] [--solver NAME...] [--device cpu|cuda] [--rtol R...]
          [--time-limit SECONDS] [--repeat N] [--output FILE.csv] [--write FOLDER]

Without --mps, it solves five generated programs (programs.py). Each row of the CSV file is one solve: the median
time of --repeat solves, with the errors of the solution in the same norms for each solver, computed here. HiGHS
runs once, to its own tolerance of 1e-7; the other objectives are compared with its objective. --write only writes
the generated programs to MPS files. Needs highspy; cupdlpx and a GPU only for the solver cupdlpx.
"""

import argparse
import csv
import math
import statistics
import sys
import time

import numpy as np

import mps
import programs

COLUMNS = ["program", "rows", "columns", "entries", "solver", "device", "rtol", "status", "seconds", "prepare_seconds",
           "iterations", "objective", "objective_error", "primal_error", "dual_error", "gap"]


def errors_of(program, x, y):
    """The relative errors of PDLP's papers: of the rows, of the reduced costs, and of the objectives."""
    norm = np.linalg.norm
    finite = lambda array: np.where(np.isfinite(array), array, 0)
    held = lambda r, low, high: r.clip(0) * np.isfinite(low) + r.clip(None, 0) * np.isfinite(high)
    least = lambda r, low, high: r.clip(0) @ finite(low) + r.clip(None, 0) @ finite(high)
    x, y = x.clip(program.lower, program.upper), held(y, program.lb, program.ub)
    product, free = program.A @ x, program.c - program.A.T @ y
    reduced = held(free, program.lower, program.upper)
    objective = program.c @ x
    dual = least(y, program.lb, program.ub) + least(reduced, program.lower, program.upper)
    sides = norm(np.maximum(abs(finite(program.lb)), abs(finite(program.ub))))
    return {
        "objective": objective,
        "primal_error": norm(product - product.clip(program.lb, program.ub)) / (1 + sides),
        "dual_error": norm(free - reduced) / (1 + norm(program.c)),
        "gap": abs(objective - dual) / (1 + abs(objective) + abs(dual)),
    }


def solve_by_gossamer(program, rtol, limit, device):
    from gossamer.linalg import pdhg

    start = time.perf_counter()
    found = pdhg(program.c, program.A, program.lb, program.ub, bounds=(program.lower, program.upper), rtol=rtol,
                 maxiter=10**9, time_limit=limit, device=device)
    seconds = time.perf_counter() - start
    return {"status": "optimal" if found.success else found.message, "seconds": seconds, "iterations": found.nit,
            "prepare_seconds": seconds - found.solve_seconds}, found.x, found.y


def solve_by_cupdlpx(program, rtol, limit, device):
    from cupdlpx import Model

    start = time.perf_counter()
    model = Model(program.c, program.A, program.lb, program.ub, program.lower, program.upper)
    model.setParams(OutputFlag=False, OptimalityTol=rtol, FeasibilityTol=rtol, TimeLimit=limit, Presolve=False)
    model.optimize()
    seconds = time.perf_counter() - start
    return {"status": str(model.StatusName).lower(), "seconds": seconds, "iterations": model.IterCount,
            "prepare_seconds": seconds - model.Runtime}, np.asarray(model.X), np.asarray(model.Pi)


def solve_by_pdlp(program, rtol, limit, device):
    """HiGHS's own PDLP, on the CPU."""
    start = time.perf_counter()
    highs = mps.to_highs(program)
    highs.setOptionValue("solver", "pdlp")
    highs.setOptionValue("presolve", "off")
    highs.setOptionValue("time_limit", limit)
    for name in ("pdlp_optimality", "primal_feasibility", "dual_feasibility", "primal_residual", "dual_residual",
                 "optimality", "kkt"):
        highs.setOptionValue(f"{name}_tolerance", rtol)
    ready = time.perf_counter()
    highs.run()
    seconds = time.perf_counter() - start
    solution = highs.getSolution()
    found = {"status": highs.modelStatusToString(highs.getModelStatus()).lower(), "seconds": seconds,
             "prepare_seconds": ready - start, "iterations": highs.getInfo().pdlp_iteration_count}
    return found, np.array(solution.col_value), np.array(solution.row_dual)


def solve_by_highs(program, limit):
    start = time.perf_counter()
    highs = mps.to_highs(program)
    highs.setOptionValue("time_limit", limit)
    ready = time.perf_counter()
    highs.run()
    seconds = time.perf_counter() - start
    solution, info = highs.getSolution(), highs.getInfo()
    status = highs.modelStatusToString(highs.getModelStatus()).lower()
    found = {"status": status, "seconds": seconds, "prepare_seconds": ready - start,
             "iterations": info.simplex_iteration_count + info.ipm_iteration_count}
    return found, np.array(solution.col_value), np.array(solution.row_dual)


def rows_of(program, options):
    """The rows of the table for one program."""
    rows, columns = program.A.shape
    shared = {"program": program.name, "rows": rows, "columns": columns, "entries": program.A.nnz}
    exact = math.nan
    if "highs" in options.solver:
        found, x, y = solve_by_highs(program, options.time_limit)
        row = {**shared, "solver": "highs", "device": "cpu", "rtol": 1e-7, **found, **errors_of(program, x, y)}
        if found["status"] == "optimal":
            exact = row["objective"]
        yield row
    first_order = {"gossamer": solve_by_gossamer, "cupdlpx": solve_by_cupdlpx, "pdlp": solve_by_pdlp}
    for solver, solve in first_order.items():
        for rtol in options.rtol if solver in options.solver else ():
            runs = [solve(program, rtol, options.time_limit, options.device) for _ in range(options.repeat)]
            found, x, y = runs[-1]
            for name in ("seconds", "prepare_seconds"):
                found[name] = statistics.median(run[0][name] for run in runs)
            device = {"gossamer": options.device, "cupdlpx": "cuda", "pdlp": "cpu"}[solver]
            row = {**shared, "solver": solver, "device": device, "rtol": rtol, **found, **errors_of(program, x, y)}
            row["objective_error"] = abs(row["objective"] - exact) / (1 + abs(exact))
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=["small", "medium", "large"], default="medium")
    parser.add_argument("--mps", nargs="+", default=[])
    parser.add_argument("--solver", nargs="+", choices=["gossamer", "cupdlpx", "pdlp", "highs"], default=["gossamer", "highs"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rtol", nargs="+", type=float, default=[1e-4, 1e-8])
    parser.add_argument("--time-limit", type=float, default=600)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--output", default="lp.csv")
    parser.add_argument("--write")
    options = parser.parse_args()
    chosen = [mps.read(file) for file in options.mps] if options.mps else getattr(programs, options.size)()
    if options.write:
        for program in chosen:
            mps.write(program, f"{options.write}/{program.name}.mps")
        return
    with open(options.output, "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        for program in chosen:
            for row in rows_of(program, options):
                short = lambda value: f"{value:.6g}" if isinstance(value, float) else value
                table.writerow({key: short(value) for key, value in row.items()})
                file.flush()
                print(f"{row['program']}: {row['solver']} to {row['rtol']:g}: {row['status']}, {row['seconds']:.3g} s",
                      file=sys.stderr)


if __name__ == "__main__":
    main()
