# SPDX-License-Identifier: BSD-3-Clause
"""cached_x and packed on matrices that wait for x, relative to the fastest of cuSPARSE's formats and SpMVOp."""

from . import figure, markdown_table, read_json
from .formats import title_of

RECORD = "h200/cached_x.json.gz"


def speeds():
    """By matrix, then by (type of values, situation): speed of each format."""
    times = {}
    for each in read_json(RECORD)["results"]:
        if each["status"] != "ok":
            continue
        matrix, key = title_of(each), (each["value"], each["cache"])
        is_cached = each["format"] == "auto" and each["options"].startswith("format=cached_x,")
        name = "cached_x" if is_cached else each["format"]
        times.setdefault(matrix, {}).setdefault(key, {})[name] = each["seconds"]["median"]
    for matrix, by_key in times.items():
        yield matrix, {key: {name: min(t for peer, t in formats.items() if peer.startswith("cusparse")) / formats[name]
                             for name in ("cached_x", "packed") if name in formats} for key, formats in by_key.items()}


@figure
def cached_x_speed():
    """Speed of cached_x and packed for each matrix of the record."""
    cells = [("f64", "solver", "cached_x"), ("f64", "cold", "cached_x"), ("f64", "hot", "cached_x"), ("f64", "solver", "packed"),
             ("f32", "solver", "cached_x"), ("f32", "solver", "packed")]
    head = ["matrix", *(f"{value}, {situation}: {name}" for value, situation, name in cells)]
    rows = [(matrix, *(f"{found[value, situation][name]:.2f}" if name in found[value, situation] else "packed" for value, situation, name in cells))
            for matrix, found in speeds()]
    return (f"Speed relative to the fastest of cuSPARSE's formats and SpMVOp, on an H200 ([record](bench/results/{RECORD})).\n"
            "\"packed\" in a column of cached_x means that `auto` chose packed, by an [earlier rule](../notes/cached_x.md#when-auto-takes-it):\n\n"
            + markdown_table(head, rows))
