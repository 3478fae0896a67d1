#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make one small record of documents of `gossamer bench --json`: all formats and peers of a matrix in one row.

    wide.py FILE.json... -o FILE.csv

A row is a matrix, a type of its values and a state of the caches. Columns: NAME_us, the median time of a format
or peer, in microseconds, or "refused", or "failed"; NAME_bytes, bytes a nonzero of a format's arrays; copy_gbs, the device's
copy bandwidth. ratio, ratio_low and ratio_high compare `auto` with the fastest peer: the peer's time divided by
that of `auto`, with its 95 % interval. Of a case that several documents have, the first one counts.
"""

import argparse
import csv
import sys

import record

IDENTITY = ("matrix", "values", "class", "rows", "cols", "nnz", "value", "cache")
COMPARISON = ("copy_gbs", "best_peer", "ratio", "ratio_low", "ratio_high")


def rows_of(documents):
    """{(matrix, values, value, cache): row}, in the order of the documents."""
    rows = {}
    for document in documents:
        for result in document["results"]:
            another_product = result.get("op", "forward") != "forward" or result.get("columns", 1) != 1
            if another_product or not (result["peer"] or result.get("default", True)):
                continue
            key = tuple(result[name] for name in ("matrix", "values", "value", "cache"))
            row = rows.setdefault(key, {name: result[name] for name in IDENTITY} | {"copy_gbs": round(document["machine"]["copy_gbs"])})
            name = result["format"]
            if f"{name}_us" in row:
                continue
            if result["status"] != "ok":
                row[f"{name}_us"] = "refused" if result["status"] == "unsupported" else result["status"]
                continue
            row[f"{name}_us"] = f"{result['seconds']['median'] * 1e6:.4g}"
            if not result["peer"]:
                row[f"{name}_bytes"] = f"{result['bytes_per_nonzero']:.3f}"
            if name == "auto" and result.get("vs_best_peer"):
                best = result["vs_best_peer"]
                row |= {"best_peer": best["peer"], "ratio": f"{best['ratio']:.4f}", "ratio_low": f"{best['low']:.4f}",
                        "ratio_high": f"{best['high']:.4f}"}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="+", metavar="FILE.json")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.csv")
    arguments = parser.parse_args()
    documents = [record.read(path) for path in arguments.documents]
    rows = rows_of(documents)
    measured = sorted({name for row in rows.values() for name in row} - {*IDENTITY, *COMPARISON})
    with open(arguments.output, "w", newline="") as file:
        writer = csv.DictWriter(file, [*IDENTITY, *COMPARISON, *measured], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())


if __name__ == "__main__":
    try:
        main()
    except record.BadInput as problem:
        sys.exit(f"wide.py: {problem}")
