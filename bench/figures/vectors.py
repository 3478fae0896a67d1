# SPDX-License-Identifier: BSD-3-Clause
"""Transposed products and products by several vectors: speed relative to other libraries.

Means are geometric: first over the matrices of a class, then over the classes.
"""

import functools
import statistics

from . import figure, markdown_table, read_csv, read_json

TRANSPOSED, PAIRS = "h200/transposed.json.gz", "h200/pairs.csv"
FEW, SIXTEEN, WIDE = (f"h200/several_vectors{suffix}.json.gz" for suffix in ("", "_16", "_wide"))
CPU = "h200/several_vectors_cpu16.json.gz"
COLUMNS = (1, 2, 4, 8, 16, 32, 64)


@functools.cache
def times(record):
    """Median seconds by (value, cache, columns), then matrix, then format; and the class of each matrix."""
    found, classes = {}, {}
    for each in read_json(record)["results"]:
        if each["status"] != "ok":
            continue
        matrix = each["matrix"], each["values"]
        classes[matrix] = each["class"]
        situation = found.setdefault((each["value"], each["cache"], each["columns"]), {})
        situation.setdefault(matrix, {})[each["format"]] = each["seconds"]["median"]
    return found, classes


def best(formats, accept):
    return min(seconds for name, seconds in formats.items() if accept(name))


def mean_of_classes(ratios, classes):
    members = {}
    for matrix, ratio in ratios.items():
        members.setdefault(classes[matrix], []).append(ratio)
    means = {name: statistics.geometric_mean(each) for name, each in members.items()}
    return statistics.geometric_mean(means.values()), means


def links(*records):
    names = [name.removesuffix(".json.gz") for name in records]
    return "records " * (len(names) > 1) + ", ".join(
        f"[{number if len(names) > 1 else 'record'}](bench/results/{name}.md)" for number, name in enumerate(names, 1))


@figure
def transposed_speed():
    """Speed of packed for y = A^T x relative to cuSPARSE, on an H200."""
    found, classes = times(TRANSPOSED)
    def of_transpose(name):
        return name.startswith("cusparse") and not name.endswith("_transposed")

    is_peer = {"CSR of A, operation transpose": lambda name: name.endswith("_transposed"),
               "CSR of the stored transpose": lambda name: of_transpose(name) and "_csr_" in name,
               "best format of the stored transpose": of_transpose}
    situations = [(value, cache) for value in ("f64", "f32") for cache in ("hot", "solver", "cold")]
    rows = []
    for title, accept in is_peer.items():
        row = [title]
        for value, cache in situations:
            speeds = {matrix: best(each, accept) / each["packed"] for matrix, each in found[value, cache, 1].items()}
            row.append(f"{mean_of_classes(speeds, classes)[0]:.2f}, {min(speeds.values()):.2f}")
        rows.append(row)
    head = ["cuSPARSE", *(f"{value} {cache}" for value, cache in situations)]
    return markdown_table(head, rows) + f"\n\nMean and lowest speed of {len(classes)} matrices; {links(TRANSPOSED)}."


@figure
def transposed_bytes():
    """Bytes of A and its transpose in packed, relative to A in CSR, by class."""
    rows = read_csv(PAIRS)
    sizes = {}
    for row in rows:
        sizes.setdefault((row["class"], row["precision"]), []).append(float(row["bytes_over_csr"]))
    names = list(dict.fromkeys(row["class"] for row in rows))
    table = [[name, *(f"{statistics.geometric_mean(sizes[name, value]):.2f}" for value in ("f64", "f32"))]
             for name in names]
    return markdown_table(["class", "f64", "f32"], table) + f"\n\n[Record](bench/results/{PAIRS}); geometric means."


def packed_and_peers(value, columns):
    """Seconds of packed and of the best of cuSPARSE, its single products included, for each matrix."""
    single, classes = times(FEW)
    record = FEW if columns <= 8 else SIXTEEN if (value, columns) == ("f64", 16) else WIDE
    result = {}
    for matrix, formats in times(record)[0][value, "hot", columns].items():
        peers = best(formats, lambda name: name.startswith("cusparse"))
        one = best(single[value, "hot", 1][matrix], lambda name: name.startswith("cusparse"))
        result[matrix] = formats["packed"], min(peers, columns * one)
    return result, classes


@figure
def several_vectors_speed():
    """Speed of packed relative to the best of cuSPARSE on an H200."""
    rows = []
    for value in ("f64", "f32"):
        means, lowest = [f"{value}, mean"], [f"{value}, lowest"]
        for columns in COLUMNS:
            pairs, classes = packed_and_peers(value, columns)
            speeds = {matrix: peer / ours for matrix, (ours, peer) in pairs.items()}
            means.append(f"{mean_of_classes(speeds, classes)[0]:.2f}")
            lowest.append(f"{min(speeds.values()):.2f}")
        rows += [means, lowest]
    head = ["type", *(f"k = {columns}" if columns == 1 else columns for columns in COLUMNS)]
    note = f"Mean and lowest of {len(classes)} matrices; {links(FEW, SIXTEEN, WIDE)}."
    return markdown_table(head, rows) + "\n\n" + note


@figure
def several_vectors_saving():
    """Time of one product by k columns relative to k single products, in packed, by class."""
    names, rows = [], []
    for value in ("f64", "f32"):
        one = packed_and_peers(value, 1)[0]
        for columns in (4, 16):
            pairs, classes = packed_and_peers(value, columns)
            means = mean_of_classes({m: ours / (columns * one[m][0]) for m, (ours, _) in pairs.items()}, classes)[1]
            names = names or sorted(means)
            rows.append([value, columns, *(f"{means[name]:.2f}" for name in names)])
    return markdown_table(["type", "k", *names], rows)


@figure
def several_vectors_cpu():
    """Speed relative to MKL's product by a dense matrix in its faster layout, paired within rounds, on a CPU."""
    results = [each for each in read_json(CPU)["results"] if each["vs_best_peer"]]
    classes = {each["matrix"]: each["class"] or "files" for each in results}
    rows = []
    for name in ("csr", "pattern_csr", "packed", "sliced_ell"):
        row = [name]
        for columns in (4, 8, 16):
            speeds = {each["matrix"]: each["vs_best_peer"]["ratio"] for each in results
                      if (each["format"], each["columns"]) == (name, columns)}
            row.append(f"{mean_of_classes(speeds, classes)[0]:.2f}, {min(speeds.values()):.2f}")
        rows.append(row)
    note = f"Mean and lowest speed of {len(classes)} matrices, f64, hot, 16 threads of a Xeon; {links(CPU)}."
    return markdown_table(["format", "k = 4", 8, 16], rows) + "\n\n" + note
