# SPDX-License-Identifier: BSD-3-Clause
"""The records that bench/claims.json names: their rows, and the matrices that a claim is about."""

import collections
import functools
import gzip
import json

from . import RESULTS, Unknown

Number = collections.namedtuple("Number", "name value real")  # real: of a file
# What a claim may say of its matrices.
SELECTION = {"matrices", "except", "variation", "source", "values", "least_nnz"}


def found(name, results):
    """The name of a record, which may be compressed; None if it is absent."""
    return next((each for each in (name, f"{name}.gz") if (results / each).exists()), None)


@functools.lru_cache(maxsize=None)
def _document(name, results):
    present = found(name, results)
    if present is None:
        return None
    with (gzip.open if present.endswith(".gz") else open)(results / present, "rt", encoding="utf-8") as file:
        return json.load(file)


def rows_of(names, results=None):
    """The rows of the records together. A matrix counts once."""
    seen, rows = set(), []
    for name in names:
        own = _document(name, results or RESULTS)["rows"]
        fresh = {key(row) for row in own} - seen
        rows += [row for row in own if key(row) in fresh]
        seen |= fresh
    return rows


def key(row):
    return row.get("matrix"), row.get("values")


def published(row):
    """The name in the papers' tables: of like(cant) and like(cant,values=few(100)) cant."""
    name = row["matrix"]
    return name[5:].rstrip(")").split(",")[0] if name.startswith("like(") else name.split(".mtx")[0]


def table_rows(rows, names):
    """Rows of a paper's matrices: of each the file, or else the stand-in without other arguments."""
    kept = []
    for name in names:
        files = [row for row in rows if row["source"] == "file" and published(row) == name]
        kept += files or [row for row in rows if row["matrix"] == f"like({name})" and row["values"] != "few(100)"]
    return kept


def selected(rows, ours, sets):
    """Rows of the matrices that a claim is about."""
    names = names_of(ours, sets)
    if names is not None:
        rows = table_rows(rows, names)
    low, high = ours.get("variation", (-1, float("inf")))
    return [row for row in rows
            if ("source" not in ours or row["source"] == ours["source"])
            and ("values" not in ours or row["values"] in listed(ours["values"]))
            and row["nnz"] >= ours.get("least_nnz", 0)
            and low < row["row_sd"] / max(row["row_mean"], 1e-300) <= high]


def listed(one_or_more):
    return [one_or_more] if isinstance(one_or_more, str) else one_or_more


def names_of(ours, sets):
    """The matrices that a claim names; None for all of the record."""
    if "matrices" not in ours:
        if "except" in ours:
            raise Unknown("`except` needs `matrices`")
        return None
    if isinstance(ours["matrices"], str) and ours["matrices"] not in sets:
        raise Unknown(f"there is no set of matrices \"{ours['matrices']}\"")
    names = sets[ours["matrices"]] if isinstance(ours["matrices"], str) else ours["matrices"]
    strange = set(ours.get("except", [])) - set(names)
    if strange:
        raise Unknown(f"`except` names no matrix of the claim: {', '.join(sorted(strange))}")
    return [name for name in names if name not in ours.get("except", [])]


def absent(rows, ours, sets):
    """Matrices that a claim names and its record does not have. A bound on σ / μ or the nonzeros may leave out others."""
    unbounded = {name: value for name, value in ours.items() if name not in ("variation", "least_nnz")}
    present = {published(row) for row in selected(rows, unbounded, sets)}
    return [name for name in names_of(ours, sets) or [] if name not in present]


def by_matrix(rows):
    """{matrix: {series: row}} in the record's order."""
    all_of = {}
    for row in rows:
        all_of.setdefault(key(row), {})[row["series"]] = row
    return all_of


def seconds(row):
    return row["seconds"]["median"] if row and row["status"] == "ok" and row["seconds"] else None


def options_of(text):
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


def number(row, value):
    return Number(published(row), value, row["source"] == "file")
