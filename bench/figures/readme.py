# SPDX-License-Identifier: BSD-3-Clause
"""The README's table of claims."""

import statistics

from . import figure, markdown_table, read_csv
from .choosing import cpu_cases, gpu_cases
from .headline import STATES, mean, speeds

MANY = 100_000  # nonzeros; in smaller matrices the time of the call counts


def over_python(record, library):
    """Speeds of gossamer's `G @ x` relative to another library's, of matrices that are not small."""
    times = {}
    for row in read_csv(record):
        if row["operation"] == "A @ x" and int(row["nnz"]) > MANY:
            times.setdefault(row["matrix"], {})[row["library"]] = float(row["us"])
    # The benchmark's two grids are no matrices from files.
    return [of[library] / of["gossamer"] for matrix, of in times.items() if not matrix.startswith("grid") and library in of]


def over_mkl(record):
    """Speeds of `auto` relative to MKL's, by class; of the processes of the record the median."""
    times = {}
    for row in read_csv(record):
        times.setdefault(row["class"], {}).setdefault(row["matrix"], []).append(float(row["ratio"]))
    return {name: {matrix: statistics.median(of) for matrix, of in members.items()} for name, members in times.items()}


def cell(each, average):
    return f"{average:.2f} ({min(each):.2f})" if average < 10 else f"{average:.0f} ({min(each):.1f})"


@figure
def claims():
    """Speed relative to the strongest other library."""
    rows = []
    for value in ("f64", "f32"):
        cells = []
        for cache in STATES:
            classes = speeds(value, cache)
            cells.append(cell([speed for of in classes.values() for speed in of.values()], mean(classes)))
        rows.append([f"one H200, {value}", "fastest of cuSPARSE", *cells, "[41 matrices](bench/results/h200/auto_headline.csv)"])
    classes = over_mkl("h200/cpu16_processes.csv")
    each = [speed for of in classes.values() for speed in of.values()]
    rows.append(["16 threads of a Xeon, f64", "MKL", "", "", cell(each, mean(classes)), f"[{len(each)} matrices](bench/results/h200/cpu16_processes.csv)"])
    for record, library, where, words in (("h200/python.csv", "cupy", "`G @ x` in Python, one H200", "CuPy"),
                                          ("h200/python_16_cores.csv", "scipy", "`G @ x` in Python, 16 cores", "SciPy, one thread")):
        each = over_python(record, library)
        rows.append([where, words, "", "", cell(each, statistics.geometric_mean(each)), f"[{len(each)} larger matrices](bench/results/{record})"])
    head = ["", "relative to", "in a solver", "cold caches", "back to back", ""]
    return markdown_table(head, rows)


@figure
def preparation():
    """What inspection costs, in products of the vendor's CSR: the least and the most of the means of three places."""
    means = [statistics.geometric_mean(inspection / other for inspection, _, other in cases)
             for cases in (list(cpu_cases()), list(gpu_cases("f64", "device")), list(gpu_cases("f64", "host")))]
    return f"{min(means):.0f} to {max(means):.0f}"
