# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/performance.md: `auto` relative to other libraries, and to Gossamer's own formats."""

import math
import statistics

import best_choice as best_choice_script

from . import RESULTS, figure, markdown_table, read_csv, read_json
from .formats import RECORD as ALL_FORMATS, time_of, title_of
from .headline import RECORD as HEADLINE, STATES, TITLES, mean, speeds
from .readme import over_mkl

ALL_PEERS = "h200/peers.csv.gz"
HELD_OUT = "h200/auto_held_out.csv"
OWN = ("coo", "csr", "csr_fragment", "csr_gathered", "ellpack", "ellpack_r", "sliced_ell", "row_grouped_csr", "arg_csr", "jds", "brc",
       "hyb", "dia", "diag_blocks", "bcoo", "bccoo", "packed", "auto")
LOST = 0.97
LIMITS = {"fem": "bytes", "stencil_few": "instructions", "stencil_distinct": "bytes; latency if small", "circuit": "bytes; sectors of x",
          "graph": "latency; sectors of x", "graph_weighted": "latency; sectors of x", "lp": "latency of long rows", "dense": "bytes",
          "random": "sectors of x"}
NO_SPMVOP = ("cusparse_csr_alg1", "cusparse_csr_alg2", "cusparse_coo", "cusparse_sliced_ell")


def two_digits(numbers):
    return f"{statistics.geometric_mean(numbers):.2f}"


@figure
def situations():
    """Speed over @headline in three situations, with SpMVOp among the peers and without."""
    rows = []
    for cache, words in STATES.items():
        cells = []
        for value in ("f64", "f32"):
            cells += [f"{mean(speeds(value, cache)):.2f}", f"{mean(older_peers(value, cache)):.2f}"]
        least = min(min(of.values()) for value in ("f64", "f32") for of in speeds(value, cache).values())
        rows.append([words, *cells, f"{least:.2f}"])
    head = ["", "f64", "f64 without SpMVOp", "f32", "f32 without SpMVOp", "slowest matrix"]
    return markdown_table(head, rows) + f"\n\n[Record](bench/results/{HEADLINE}). Geometric means of the class means."


def older_peers(value, cache):
    """As headline.speeds, against the peers that are older than SpMVOp."""
    classes = {}
    for row in read_csv(HEADLINE):
        if (row["value"], row["cache"]) == (value, cache):
            best = min(float(row[f"{name}_us"]) for name in NO_SPMVOP if row[f"{name}_us"])
            classes.setdefault(row["class"], {})[row["matrix"], row["values"]] = best / float(row["auto_us"])
    return classes


@figure
def classes():
    """Speed for each class of @headline, and what limits it."""
    rows = []
    moved = {}
    headline = {(row["matrix"], row["class"]) for row in read_csv(HEADLINE)}
    for row in read_csv(ALL_FORMATS):
        if (row["value"], row["cache"]) == ("f64", "solver") and (row["matrix"], row["class"]) in headline:
            size = float(row["auto_bytes"]) * int(row["nnz"]) + 8 * (int(row["rows"]) + int(row["cols"]))
            moved.setdefault(row["class"], []).append((float(row["auto_bytes"]), size / float(row["auto_us"]) / 1e3, float(row["copy_gbs"])))
    for name, title in TITLES.items():
        cells = [two_digits(speeds(value, cache)[name].values()) for value in ("f64", "f32") for cache in STATES]
        share = statistics.geometric_mean(bandwidth / copy for _, bandwidth, copy in moved[name])
        rows.append([title, *cells, two_digits(size for size, _, _ in moved[name]), f"{share:.2f}", LIMITS[name]])
    head = ["class", *(f"{value} {words}" for value in ("f64", "f32") for words in ("in a solver", "cold", "back to back")),
            "bytes a nonzero, f64", "share of copy bandwidth", "limit"]
    return markdown_table(head, rows) + (f"\n\n[Record](bench/results/{HEADLINE}); bytes and bandwidth from the run of [all formats](bench/results/{ALL_FORMATS}). "
                                         "The bandwidth counts A, x and y once, in a solver.")


@figure
def all_sets():
    """One run over all sets: speed relative to the fastest of cuSPARSE, and losses."""
    rows = []
    for value in ("f64", "f32"):
        for cache, words in STATES.items():
            of = [row for row in read_csv(ALL_PEERS) if (row["value"], row["cache"]) == (value, cache)]
            ratios = [float(row["ratio"]) for row in of]
            lost = [row for row in of if float(row["ratio_high"]) < LOST]
            named = ", ".join(f"{row['matrix']} {float(row['ratio']):.2f}" for row in lost) or "none"
            rows.append([f"{value}, {words}", len(of), two_digits(ratios), f"{min(ratios):.2f}", named])
    head = ["", "matrices", "mean", "slowest", f"lost: interval wholly below {LOST}"]
    return markdown_table(head, rows) + f"\n\n[Record](bench/results/{ALL_PEERS})."


@figure
def behind_own():
    """How far `auto` is behind Gossamer's fastest format on each matrix."""
    rows = []
    for record, words in ((ALL_FORMATS, "all sets"), (HELD_OUT, "held out")):
        for value in ("f64", "f32"):
            for cache in STATES:
                quotients = {}
                for row in read_csv(record):
                    if (row["value"], row["cache"]) == (value, cache):
                        times = {name: time_of(row, name) for name in OWN if time_of(row, name)}
                        best = min(times, key=times.get)
                        quotients[title_of(row), best] = times["auto"] / times[best]
                worst = max(quotients, key=quotients.get)
                average = statistics.geometric_mean(quotients.values())
                rows.append([f"{words}, {value}, {STATES[cache]}", len(quotients), f"{average:.3f}", f"{quotients[worst]:.2f} {worst[0]} ({worst[1]})"])
    head = ["", "matrices", "time of auto / fastest own format", "most"]
    links = f"[All sets](bench/results/{ALL_FORMATS}), [held out](bench/results/{HELD_OUT})."
    return markdown_table(head, rows) + "\n\n" + links


def held_out_speeds():
    """(row, speed relative to the fastest peer) of each case of the held-out matrices."""
    for row in read_csv(HELD_OUT):
        yield row, min(float(time) for name, time in row.items() if name.startswith("cusparse_") and time) / float(row["auto_us"])


@figure
def held_out_slowest():
    """The largest time of `auto`, relative to the fastest peer's, over the held-out matrices."""
    return f"{1 / min(speed for _, speed in held_out_speeds()):.2f}"


@figure
def held_out_losses():
    """Held-out matrices on which `auto` is slower than the fastest peer."""
    lost = {}
    for row, speed in held_out_speeds():
        if speed < LOST:
            lost.setdefault(title_of(row), {})[row["value"], row["cache"]] = f"{speed:.2f}"
    columns = [(value, cache) for value in ("f64", "f32") for cache in STATES]
    rows = [[matrix, *(of.get(column, "") for column in columns)] for matrix, of in lost.items()]
    short = {"solver": "in a solver", "cold": "cold", "hot": "back to back"}
    head = [f"speed below {LOST}", *(f"{value} {short[cache]}" for value, cache in columns)]
    return markdown_table(head, rows) + f"\n\n[Record](bench/results/{HELD_OUT})."


@figure
def held_out():
    """Mean speed over the held-out matrices."""
    rows = []
    for cache, words in STATES.items():
        cells = []
        for value in ("f64", "f32"):
            cells.append(two_digits(speed for row, speed in held_out_speeds() if (row["value"], row["cache"]) == (value, cache)))
        rows.append([words, *cells])
    return markdown_table(["", "f64", "f32"], rows)


def over_mkl_of_document(record, names):
    """As readme.over_mkl, of a document of `gossamer bench`."""
    classes = {}
    for row in read_json(record)["results"]:
        if row["format"] in names and not row["peer"] and row.get("vs_peers", {}).get("mkl"):
            classes.setdefault(row["class"], {})[row["matrix"], row["values"]] = row["vs_peers"]["mkl"]["ratio"]
    return classes


@figure
def cpus():
    """`auto` on CPUs relative to MKL."""
    records = [("16 threads of a Xeon, f64", "h200/cpu16_processes.csv", over_mkl("h200/cpu16_processes.csv")),
               ("2 threads of a Xeon, f64", "xeon-2-cores/headline_processes.csv", over_mkl("xeon-2-cores/headline_processes.csv")),
               ("2 threads of a Zen 5, f64", "zen5-2-cores/headline-auto.json.gz", over_mkl_of_document("zen5-2-cores/headline-auto.json.gz", ("auto",)))]
    rows = []
    for words, record, found in records:
        each = {(name, matrix): speed for name, of in found.items() for matrix, speed in of.items()}
        slowest = min(each, key=each.get)
        name = slowest[1] if isinstance(slowest[1], str) else slowest[1][0]
        rows.append([words, len(each), f"{mean(found):.2f}", f"{each[slowest]:.2f} {name}", f"[record](bench/results/{record})"])
    return markdown_table(["machine", "matrices", "speed relative to MKL", "slowest", ""], rows)


@figure
def best_choice(value, cache):
    """How far a choice that knew all times in advance would be behind, over the held-out matrices."""
    of_matrices = [best_choice_script.quotients(states) for (v, _), states in best_choice_script.times_of(RESULTS / HELD_OUT).items()
                   if v == value]
    best = [min(each.values(), key=lambda states: math.prod(states.values())) for each in of_matrices]
    return f"{statistics.geometric_mean(each[cache] for each in best):.3f}"
