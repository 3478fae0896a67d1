# SPDX-License-Identifier: BSD-3-Clause
"""Speed of the Matrix Market reader relative to SciPy's mmread, by bench/reader/reader.py."""

from . import figure, markdown_table, read_json

RECORD = "../reader/h200.json"
FILES = {"real17": "17 digits, general", "real1": "a stencil of ones, general", "symmetric": "17 digits, symmetric",
         "pattern": "pattern", "real17.gz": "17 digits, .gz", "real1.gz": "a stencil of ones, .gz"}


@figure
def reader():
    """A row for each file: speed in MB of text a second, and relative to SciPy with its 95 % interval."""
    results = {(each["file"], each["threads"]): each for each in read_json(RECORD)["results"]}
    rows = []
    for name, title in FILES.items():
        row = [title, f"{results[name, 2]['text_bytes'] / 1e6:.0f}"]
        for threads in (2, 16):
            each = results[name, threads]
            ratio = each["ratio"]
            row += [f"{each['mb_per_second']:.0f}", f"{ratio['median']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}]"]
        rows.append(row)
    head = ["file", "text, MB", "2 threads, MB/s", "relative to SciPy", "16 threads, MB/s", "relative to SciPy"]
    return markdown_table(head, rows)
