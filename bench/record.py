# SPDX-License-Identifier: BSD-3-Clause
"""Documents of `gossamer bench --json` and of `gossamer experiment --json`: reading them, and what tells their rows apart."""

import gzip
import json
import math
import re
import zlib


SCHEMAS = (1, 2)
PACKED_OPTIONS = (("column_repeats=", "elided_deltas="), ("warps_on_diagonals=as_said", "warps_on_diagonals=fixed"),
                  ("warps_on_diagonals=more", "warps_on_diagonals=scaled"))  # of schema 1, of schema 2


class BadInput(Exception):
    """One line for the user; exit status 2."""


def read(path, experiments=False):
    """A document of bench; with `experiments` one of an experiment too, which has `rows` instead of `results`. Names are those of schema 2.
    A name that ends in .gz is of a gzip file."""
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            document = json.load(file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise BadInput(f"{path}: not a whole gzip file") from problem
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise BadInput(f"{path}: not JSON: {problem}") from problem
    known = {"results": "bench", "rows": "experiment"} if experiments else {"results": "bench"}
    if not isinstance(document, dict) or document.get("schema") not in SCHEMAS or not any(isinstance(document.get(name), list) for name in known):
        raise BadInput(f"{path}: not a document of gossamer {' or '.join(known.values())} (schema {' or '.join(map(str, SCHEMAS))})")
    if document["schema"] == 1:
        for row in document.get("results", []) + document.get("rows", []):
            rename(row)
        document["schema"] = 2
    return document


def reference_format(row):
    """The format that others are compared with where the row was measured. Of a hybrid, that of a CPU where all parts are on one."""
    places = [part["where"] for part in row.get("parts") or []] or [row.get("device")]
    return "pattern_csr" if all(place == "cpu" for place in places) else "csr"


def rename(row):
    """Gives a row of schema 1 the names of schema 2. In schema 1, csr on a CPU is the format that is called pattern_csr now."""
    if row.get("peer") or "format" not in row:
        return
    if row.get("parts"):
        for part in row["parts"]:
            if part["where"] == "cpu" and part["format"] == "csr":
                part["format"] = "pattern_csr"
        formats = ",".join(part["format"] for part in row["parts"])
        row["options"] = re.sub(r"\bformats=.*", f"formats={formats}", row["options"])
    if reference_format(row) == "pattern_csr":
        row["format"] = re.sub(r"^csr$", "pattern_csr", row["format"])
        row["options"] = re.sub(r"^format=csr\b", "format=pattern_csr", row["options"])
        if "series" in row:  # arg_csr/conversion names them after formats
            row["series"] = re.sub(r"^csr\b", "pattern_csr", row["series"])
    if row["format"] == "packed" or row["options"].startswith("format=packed,"):
        for old, new in PACKED_OPTIONS:
            row["options"] = row["options"].replace(old, new)


KEY = ("matrix", "values", "value", "op", "columns", "cache", "device", "peer", "format", "options")
MISSING = {"op": "forward", "columns": 1}  # what rows of older documents lack


def key_of(row):
    """A peer's options are left out, and those of what inspect chose: they say what was found, not what was asked for."""
    found = row.get("peer") or row.get("format") == "auto"
    return tuple(None if name == "options" and found else row.get(name, MISSING.get(name)) for name in KEY)


def product(row):
    """The words of A^T x and of several vectors; none for A x."""
    op, columns = row.get("op", MISSING["op"]), row.get("columns", MISSING["columns"])
    return [op] * (op != "forward") + [f"{columns} columns"] * (columns != 1)


def title(row):
    """The matrix's name, with the values where a file has others than its own."""
    other = row.get("source") == "file" and row.get("values") != "file"
    return f"{row['matrix']} values={row['values']}" if other else row["matrix"]


def geometric_mean(numbers):
    numbers = list(numbers)
    return math.exp(sum(math.log(x) for x in numbers) / len(numbers))


def median(numbers):
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
