# SPDX-License-Identifier: BSD-3-Clause
"""cached_x and packed on matrices that wait for x, relative to the fastest of cuSPARSE's formats and SpMVOp."""

from . import figure, markdown_table, read_json

RECORD = "h200/cached_x.json.gz"
SITUATIONS = ("solver", "cold", "hot")


def speeds():
    """By (matrix, value type): by situation, the speeds of both formats; and the bytes of cached_x."""
    times, sizes = {}, {}
    for each in read_json(RECORD)["results"]:
        if each["status"] != "ok" or each["columns"] != 1:
            continue
        key = each["matrix"], each["value"]
        times.setdefault(key, {}).setdefault(each["cache"], {})[each["format"]] = each["seconds"]["median"]
        if each["format"] == "cached_x":
            sizes[key] = each["bytes_per_nonzero"]
    for key, situations in times.items():
        found = {}
        for situation, formats in situations.items():
            peer = min(seconds for name, seconds in formats.items() if name.startswith("cusparse"))
            found[situation] = {name: peer / formats[name] for name in ("cached_x", "packed") if name in formats}
        if key in sizes:
            yield key, found, sizes[key]


@figure
def cached_x_speed():
    """Speed of cached_x and packed for each matrix of the record."""
    head = ["matrix", "type", "bytes per nonzero", *(f"cached_x, {name}" for name in SITUATIONS), "packed, solver"]
    rows = [(f"`{matrix}`", value, f"{size:.2f}", *(f"{found[name]['cached_x']:.2f}" for name in SITUATIONS),
             f"{found['solver']['packed']:.2f}") for (matrix, value), found, size in speeds()]
    return (f"Speed relative to the fastest of cuSPARSE's formats and SpMVOp, on an H200 ([record](bench/results/{RECORD})):\n\n"
            + markdown_table(head, rows))
