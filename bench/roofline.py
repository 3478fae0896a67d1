#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where the products of a document of `gossamer bench --json` stand under the roof of the copy bandwidth that was measured with them.

    roofline.py FILE.json [--format packed]

A product of 2 nnz operations a column moves what is stored once, and all columns of X and Y, once each. For each value type, cache state, number of
columns and class, as a Markdown table of geometric means:
operations a byte of that, the roof (times the copy bandwidth), what was reached, and its share of the roof; hot or between a solver's vector kernels,
a share may be over 1, since a cache keeps a part. For CSR's bytes (12 or 8 a nonzero and the offsets, x, y) the roof of a product that decodes nothing,
so that the two roofs tell what storing less is worth.
"""

import argparse
import sys

import record

OFFSET_BYTES = 4
INDEX_BYTES = 4
VALUE_BYTES = {"f32": 4, "f64": 8}


def point(row, copy_gbs):
    """Operations a byte, the roof over them in GFLOP/s, what was reached, and the roof of CSR's bytes."""
    width = VALUE_BYTES[row["value"]]
    columns = row.get("columns", 1)
    operations = 2 * row["nnz"] * columns
    vectors = (row["rows"] + row["cols"]) * width * columns
    moved = row["bytes"] + vectors
    of_csr = row["nnz"] * (width + INDEX_BYTES) + (row["rows"] + 1) * OFFSET_BYTES + vectors
    return {"intensity": operations / moved, "roof": operations / moved * copy_gbs,
            "reached": operations / row["seconds"]["median"] / 1e9, "csr_roof": operations / of_csr * copy_gbs}


def taken(document, wanted):
    """The rows of A x, of one vector or several, in that format with default options that were measured and have entries."""
    return [row for row in document["results"]
            if row["format"] == wanted and row["status"] == "ok" and not row["peer"] and row["default"] and row["nnz"] > 0
            and row.get("op", "forward") == "forward"]


def table(document, wanted):
    rows = taken(document, wanted)
    if not rows:
        raise record.BadInput(f"no product of {wanted} with default options was measured")
    groups = {}
    for row in rows:
        copy_gbs = document["machine"]["copy_gbs" if row["device"].startswith("cuda") else "stream_gbs"]
        groups.setdefault((row["value"], row["cache"], row.get("columns", 1), row["class"] or "–"), []).append(point(row, copy_gbs))
    lines = ["| values, cache, class | matrices | flop/byte | roof, GFLOP/s | reached | share | CSR's roof |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for (value, cache, columns, name), points in sorted(groups.items()):
        where = f"{value}, {cache}, {name}" if columns == 1 else f"{value}, {cache}, {columns} columns, {name}"
        mean = {key: record.geometric_mean(p[key] for p in points) for key in points[0]}
        lines.append(f"| {where} | {len(points)} | {mean['intensity']:.3f} | {mean['roof']:.0f} | {mean['reached']:.0f} "
                     f"| {mean['reached'] / mean['roof']:.2f} | {mean['csr_roof']:.0f} |")
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--format", default="packed")
    parsed = parser.parse_args(arguments)
    try:
        print("\n".join(table(record.read(parsed.file), parsed.format)))
    except record.BadInput as problem:
        print(f"roofline.py: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
