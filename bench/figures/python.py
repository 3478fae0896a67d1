# SPDX-License-Identifier: BSD-3-Clause
"""Speed of the Python package relative to SciPy, CuPy and PyTorch: geometric means over real matrices, float64."""

import statistics

from . import figure, markdown_table, read_csv

TWO_CORES, SIXTEEN_CORES = "xeon-2-cores/python.csv", "h200/python_16_cores.csv"
GPU, GPU_CG = "h200/python.csv", "h200/python_cg.csv"


def times(record):
    """Microseconds of each (matrix, operation, library)."""
    return {(row["matrix"], row["operation"], row["library"]): float(row["us"]) for row in read_csv(record)}


def speeds(record, operation, library, ours="gossamer"):
    """Time of `library` relative to ours, of each matrix that is a file and has more than 100,000 nonzeros."""
    names = {row["matrix"] for row in read_csv(record) if ".mtx" in row["matrix"] and int(row["nnz"]) > 100_000}
    all_times = times(record)
    return [all_times[name, operation, library] / all_times[name, operation, ours] for name in sorted(names)]


def mean(*arguments):
    return f"{statistics.geometric_mean(speeds(*arguments)):.2g}"


def tiny(record, library):
    return f"{times(record)['tiny', 'A @ x', library]:.2g} µs"


def link(text, record):
    return f"[{text}](bench/results/{record})"


@figure
def python_scipy():
    """Speed relative to SciPy on CPUs."""
    records = (TWO_CORES, SIXTEEN_CORES)
    worst = [f"{min(speeds(record, 'A @ x', 'scipy')):.2g}" for record in records]
    return markdown_table(
        ["", link("2 cores of a Xeon", TWO_CORES), link("16 cores of another", SIXTEEN_CORES)],
        [["matrices", *(len(speeds(record, "A @ x", "scipy")) for record in records)],
         ["`G @ x`, mean speed", *(mean(record, "A @ x", "scipy") for record in records)],
         ["`G @ x`, lowest speed", *worst],
         ["`G @ X`, 8 columns, mean speed", *(mean(record, "A @ X", "scipy") for record in records)],
         ["a 10 x 10 matrix: SciPy, Gossamer",
          *(f"{tiny(record, 'scipy')}, {tiny(record, 'gossamer')}" for record in records)]])


@figure
def python_cupy():
    """Speed relative to CuPy on a GPU."""
    cg = times(GPU_CG)
    step = [cg["grid:100", "cg", library] for library in ("cupy", "gossamer.aslinearoperator")]
    product = [cg["grid:100", "A @ x", library] for library in ("cupy", "gossamer.aslinearoperator")]
    small = [times(GPU)["tiny", "A @ x", library] for library in ("cupy", "gossamer")]
    rows = [[f"`{theirs}` and `{ours}`", "", "", mean(GPU, operation, "cupy")] for theirs, ours, operation in
            (("A @ x", "G @ x", "A @ x"), ("A.T @ x", "G.T @ x", "A.T @ x"), ("A @ X", "G @ X", "A @ X"))]
    rows += [[what, f"{a:.3g} µs", f"{b:.2g} µs" if b < 100 else f"{b:.3g} µs", f"{a / b:.2g}"] for what, (a, b) in
             (("a product of a 10 x 10 matrix", small), ("a product in `aslinearoperator(G)`", product),
              ("a step of `cg`", step))]
    return markdown_table([f"{link('H200', GPU)}, {link('cg', GPU_CG)}", "CuPy", "Gossamer", "speed"], rows)


@figure
def python_torch():
    """Speed relative to PyTorch's product with a CSR tensor, on a GPU and on CPUs."""
    names = (("`G @ x`", "gossamer, torch tensors"), ("`gossamer.torch.matmul(G, x)`", "gossamer.torch.matmul"),
             ("PyTorch", "torch"))
    head = ["", link("H200", GPU), "10 x 10", link("16 cores", SIXTEEN_CORES), "10 x 10"]
    rows = [[title] + [text for record in (GPU, SIXTEEN_CORES)
                       for text in (mean(record, "A @ x", "torch", library), tiny(record, library))]
            for title, library in names]
    return markdown_table(head, rows)
