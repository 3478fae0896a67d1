# SPDX-License-Identifier: BSD-3-Clause
"""Products whose matrix stays in host memory: time relative to a copy of the same bytes through the bus."""

from . import figure, markdown_table, read_json

RECORDS = {"27-point grid of 160³": "h200/bus_27point.json.gz", "finite elements, fem(68)": "h200/bus_fem.json.gz",
           "uniform columns": "h200/bus_uniform.json.gz", "power law, rmat": "h200/bus_rmat.json.gz"}
FORMATS = ("csr", "sliced_ell", "brc", "arg_csr", "bccoo", "packed")


def relative_times(record):
    """Of each format with its default options; formats that refuse the matrix are absent."""
    bus = record["machine"]["bus_gbs"] * 1e9
    return {each["format"]: each["seconds"]["median"] / (each["bus_bytes"] / bus) for each in record["results"]
            if each["status"] == "ok" and each["default"]}


@figure
def bus():
    """A row for each matrix."""
    rows = []
    for title, name in RECORDS.items():
        times = relative_times(read_json(name))
        cells = [f"{times[each]:.2f}" if each in times else "" for each in FORMATS]
        rows.append([f"[{title}](bench/results/{name})", *cells])
    return markdown_table(["matrix", *FORMATS], rows)
