#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How close any choice of a format can come to the fastest format in three states of the caches at once.

    best_choice.py RECORD.csv

RECORD.csv has the columns matrix, value, cache, auto_us, csr_us, ellpack_us, sliced_ell_us and brc_us, as
bench/results/h200/auto_held_out.csv has. A format's quotient is its time over that of the fastest format, in the
same state of the caches. For each matrix, the best choice is the format with the least geometric mean of its
three quotients. Prints geometric means over the matrices, of `auto` and of the best choice.
"""

import csv
import math
import statistics
import sys

FORMATS = ("auto", "csr", "ellpack", "sliced_ell", "brc")  # formats that refuse a matrix have no time
STATES = ("solver", "cold", "hot")


def times_of(record):
    """{(value, matrix): {state: {format: microseconds}}}"""
    times = {}
    with open(record, newline="") as file:
        for row in csv.DictReader(file):
            found = {name: float(row[f"{name}_us"]) for name in FORMATS if row.get(f"{name}_us")}
            times.setdefault((row["value"], row["matrix"]), {})[row["cache"]] = found
    return {key: states for key, states in times.items() if all(state in states for state in STATES)}


def quotients(states):
    """{format: {state: quotient}} of the formats that have a time in every state."""
    everywhere = [name for name in FORMATS if all(name in states[state] for state in STATES)]
    best = {state: min(states[state][name] for name in everywhere) for state in STATES}
    return {name: {state: states[state][name] / best[state] for state in STATES} for name in everywhere}


def main():
    times = times_of(sys.argv[1])
    print("| value | choice | matrices | " + " | ".join(STATES) + " |")
    print("|---|---|---:|" + "---:|" * len(STATES))
    for value in sorted({value for value, _ in times}, reverse=True):
        of_matrices = [quotients(states) for (v, _), states in times.items() if v == value]
        best = [min(each.values(), key=lambda of_states: math.prod(of_states.values())) for each in of_matrices]
        for name, chosen in (("auto", [each["auto"] for each in of_matrices]), ("the best", best)):
            means = [f"{statistics.geometric_mean(each[state] for each in chosen):.3f}" for state in STATES]
            print(f"| {value} | {name} | {len(chosen)} | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()
