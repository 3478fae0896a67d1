# SPDX-License-Identifier: BSD-3-Clause
"""Documents of `gossamer bench --json` and of `gossamer experiment --json`: reading them, and what tells their rows apart."""

import json
import math


class BadInput(Exception):
    """One line for the user; exit status 2."""


def read(path, experiments=False):
    """A document of bench; with `experiments` one of an experiment too, which has `rows` instead of `results`."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise BadInput(f"{path}: not JSON: {problem}") from problem
    known = {"results": "bench", "rows": "experiment"} if experiments else {"results": "bench"}
    if not isinstance(document, dict) or document.get("schema") != 1 or not any(isinstance(document.get(name), list) for name in known):
        raise BadInput(f"{path}: not a document of gossamer {' or '.join(known.values())} (schema 1)")
    return document


KEY = ("matrix", "values", "value", "cache", "device", "peer", "format", "options")


def key_of(row):
    """A peer's options are left out, and those of what inspect chose: they say what was found, not what was asked for."""
    found = row.get("peer") or row.get("format") == "auto"
    return tuple(None if name == "options" and found else row.get(name) for name in KEY)


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
