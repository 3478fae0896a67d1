# SPDX-License-Identifier: BSD-3-Clause
"""Where a format is good and bad on a GPU, from one run of all formats and of cuSPARSE's."""

import statistics

from . import Unknown, figure, markdown_table, read_csv

RECORD = "h200/formats.csv.gz"
PEERS = ("cusparse_csr_alg1", "cusparse_csr_alg2", "cusparse_coo", "cusparse_sliced_ell", "cusparse_bsr")
CLASSES = {"stencil_few": "stencils, repeated values", "stencil_distinct": "stencils", "stencil": "stencils", "fem": "finite elements",
           "circuit": "circuits", "graph": "graphs", "graph_weighted": "graphs", "lp": "linear programs", "dense": "dense",
           "random": "random columns", "": "other real matrices"}


def time_of(row, name):
    text = row.get(f"{name}_us") or "refused"
    if text == "failed":
        raise ValueError(f"{name} failed on {row['matrix']}")
    return None if text == "refused" else float(text)


def best_peer(row):
    return min(time for time in (time_of(row, name) for name in PEERS) if time)


def class_table(format_name, value="f64", cache="solver"):
    """Rows of the table of `format_name`: a class of matrices each."""
    rows = [row for row in read_csv(RECORD) if row["value"] == value and row["cache"] == cache]
    if not rows or f"{format_name}_us" not in rows[0]:
        raise Unknown(f"{RECORD} has no {format_name} in {value}, {cache}")
    classes = {}
    for row in rows:
        classes.setdefault(CLASSES[row["class"]], []).append(row)
    for title, members in classes.items():
        taken = [row for row in members if time_of(row, format_name)]
        if not taken:
            yield title, f"0 of {len(members)}", "", "", "", ""
            continue
        speeds = [(best_peer(row) / time_of(row, format_name), title_of(row)) for row in taken]
        size = statistics.geometric_mean(float(row[f"{format_name}_bytes"]) for row in taken)
        (best, fastest), (worst, slowest) = max(speeds), min(speeds)
        yield (title, f"{len(taken)} of {len(members)}", f"{size:.2f}", f"{statistics.geometric_mean(speed for speed, _ in speeds):.2f}",
               f"{best:.2f} {fastest}", f"{worst:.2f} {slowest}")


def title_of(row):
    """The matrix, with the values if a file has others than its own; the end of a long name is cut."""
    name = row["matrix"]
    if len(name) > 44:
        name = name[:name.rfind(",", 0, 30) + 1] + "…)" if "(" in name else name[:24] + "…"
    return name + ", other values" * (row["values"] != "file" and "(" not in name)


@figure
def format(name):  # noqa: A001 - the pages call it so
    """Speed of a format for each class of matrices, relative to the fastest of cuSPARSE's formats, f64."""
    head = ["class of matrices", "accepted", "bytes per nonzero", "geometric mean of speed", "highest speed, matrix", "lowest speed, matrix"]
    matrices = [row["class"] for row in read_csv(RECORD) if row["value"] == "f64" and row["cache"] == "solver"]
    note = (f"An H200, f64, in a solver ([record](bench/results/{RECORD})): {len(matrices)} matrices, of which\n"
            f"{matrices.count('')} are in no [set](../guides/generators.md#sets). *Accepted*: the format can store the matrix. Speed is\n"
            "relative to cuSPARSE's fastest of CSR, COO, sliced ELL and BSR, [without SpMVOp](../guides/peers.md).")
    return note + "\n\n" + markdown_table(head, class_table(name))
