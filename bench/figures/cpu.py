# SPDX-License-Identifier: BSD-3-Clause
"""Where a format is good and bad on CPU threads, from a run of `gossamer bench` with MKL."""

import statistics

import record

from . import RESULTS, Unknown, figure, markdown_table
from .formats import CLASSES, title_of

NAME = "h200/cpu16-auto-2"  # the newest run over all matrices of @headline
PEER = "mkl"


def read_record():
    """The record, compressed or not."""
    paths = [RESULTS / f"{NAME}.json{end}" for end in ("", ".gz")]
    return record.read(next(path for path in paths if path.exists()))


def classes_of(format_name, document):
    """The rows of the format in f64, by class."""
    classes = {}
    for row in document["results"]:
        if (row["format"], row["value"], row["cache"]) == (format_name, "f64", "hot") and row["status"] == "ok":
            classes.setdefault(CLASSES[row["class"]], []).append(row)
    if not classes:
        raise Unknown(f"{NAME} has no {format_name} in f64, hot")
    return classes


def mean_bytes(rows, size):
    """Bytes a nonzero: `bytes` has the second copy of values, `streamed_bytes` does not."""
    return f"{statistics.geometric_mean(row[size] / row['nnz'] for row in rows):.2f}"


def class_rows(classes):
    """Rows of the table: a class of matrices each."""
    for title, rows in classes.items():
        speeds = {title_of(row): row["vs_peers"][PEER]["ratio"] for row in rows}
        best, worst = max(speeds, key=speeds.get), min(speeds, key=speeds.get)
        yield (title, len(rows), mean_bytes(rows, "bytes"), mean_bytes(rows, "streamed_bytes"),
               f"{statistics.geometric_mean(speeds.values()):.2f}",
               f"{speeds[best]:.2f} {best}", f"{speeds[worst]:.2f} {worst}")


@figure
def format_cpu(name):
    """Speed of a format on a CPU for each class of matrices, relative to MKL's CSR, f64."""
    document = read_record()
    machine = document["machine"]
    instructions = machine["isa"].upper().replace("AVX512", "AVX-512")
    head = ["class of matrices", "matrices", "bytes per nonzero, both copies", "without the second copy", "mean speed",
            "highest speed, matrix", "lowest speed, matrix"]
    note = (f"Products in f64 on {machine['threads']} threads of a Xeon with {instructions}, with hot caches\n"
            f"([record](bench/results/{NAME}.md)). Speed is relative to MKL's CSR. Means are geometric.")
    return note + "\n\n" + markdown_table(head, class_rows(classes_of(name, document)))
