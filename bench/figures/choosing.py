# SPDX-License-Identifier: BSD-3-Clause
"""What `auto` costs and gains, for docs/guides/choosing.md and docs/guides/updating-values.md."""

import statistics

from . import figure, markdown_table, read_csv, read_json

GPU = "h200/auto_inspect.csv"
CPU = "h100/cpu16-auto-12.json.gz"
UPDATES = "h200/values_change.csv"


def least(row, names):
    """The least time of the columns `names`, which are empty where a library refused the matrix."""
    return min(float(row[name]) for name in names if row[name])


def gpu_cases(value, place):
    """Of each matrix: inspection with auto, one product of it, and one of cuSPARSE's CSR, in microseconds."""
    for row in read_csv(GPU):
        if row["value"] == value:
            yield (float(row[f"packed_inspect_{place}_us"]), float(row["packed_us"]),
                   least(row, ("cusparse_csr_alg1_us", "cusparse_csr_alg2_us")))


def gpu_costs(value, place):
    """Of each matrix: inspection with auto, in nanoseconds per nonzero."""
    for row in read_csv(GPU):
        if row["value"] == value:
            yield float(row[f"packed_inspect_{place}_us"]) * 1e3 / float(row["nnz"])


def cpu_matrices():
    """Of each matrix: the rows of auto and of MKL."""
    matrices = {}
    for row in read_json(CPU)["results"]:
        matrices.setdefault((row["matrix"], row["values"]), {})[row["format"]] = row
    return [(rows["auto"], rows["mkl"]) for rows in matrices.values()]


def cpu_cases():
    """As gpu_cases, with MKL's CSR, in seconds."""
    for auto, mkl in cpu_matrices():
        yield auto["inspect_seconds"], auto["seconds"]["median"], mkl["seconds"]["median"]


def cpu_costs():
    """As gpu_costs."""
    for auto, _ in cpu_matrices():
        yield auto["inspect_seconds"] * 1e9 / auto["nnz"]


def break_even(inspection, product, other):
    """The number of products after which the inspection has paid off; infinite if it never does."""
    return inspection / (other - product) if other > product else float("inf")


def whole(number):
    return "never" if number == float("inf") else f"{number:.0f}"


def cost_line(title, cases, by_nonzero):
    cases = list(cases)
    costs = [inspection / other for inspection, _, other in cases]
    ends = sorted(break_even(*case) for case in cases)
    return (title, f"{statistics.geometric_mean(by_nonzero):.2f}", f"{statistics.geometric_mean(costs):.0f}", f"{max(costs):.0f}",
            whole(ends[len(ends) // 2]), whole(ends[len(ends) * 9 // 10]))


@figure
def inspection_cost():
    """Inspection with auto and break-even, in products of a vendor's CSR."""
    head = ["plan, and place of the matrix", "mean inspection, ns per nonzero", "mean inspection, products",
            "longest inspection, products", "median break-even, products", "90th percentile of break-even, products"]
    lines = [cost_line("CPU, f64", cpu_cases(), cpu_costs())]
    for place, title in (("device", "GPU, matrix in its memory"), ("host", "GPU, matrix in host memory")):
        lines += [cost_line(f"{title}, {value}", gpu_cases(value, place), gpu_costs(value, place)) for value in ("f64", "f32")]
    note = (f"CPU: 16 threads of a Xeon ([record](bench/results/{CPU})). GPU: an H200\n"
            f"([record](bench/results/{GPU})). The caches are hot. Means over the {len(cpu_matrices())} matrices of\n"
            "[`@headline`](generators.md#sets) are geometric.")
    return note + "\n\n" + markdown_table(head, lines)


@figure
def choice_gain():
    """How far auto is from the best format, and how much faster than csr."""
    names = ("csr", "pattern_csr", "packed", "sliced_ell", "dia", "brc")
    cpu, cpu_gain, chosen = [], [], {}
    for row in read_csv("h200/cpu16_choice.csv"):
        auto = float(row[f"{row['auto']}_us"])
        cpu.append(auto / least(row, [f"{name}_us" for name in names]))
        cpu_gain.append(float(row["csr_us"]) / auto)
        chosen[row["auto"]] = chosen.get(row["auto"], 0) + 1
    lines = [("CPU, 16 threads, hot", len(cpu), f"{statistics.geometric_mean(cpu):.3f}", f"{max(cpu):.2f}",
              f"{statistics.geometric_mean(cpu_gain):.2f}")]
    columns = [f"{name}_us" for name in ("csr", "packed", "ellpack", "sliced_ell", "brc")]
    for state, title in (("hot", "hot"), ("solver", "between a solver's vector kernels"), ("cold", "cold caches")):
        rows = [row for row in read_csv("h200/choice.csv") if row["value"] == "f64" and row["cache"] == state]
        quotients = [float(row["packed_us"]) / least(row, columns) for row in rows]
        gains = [float(row["csr_us"]) / float(row["packed_us"]) for row in rows]
        lines.append((f"GPU, {title}", len(rows), f"{statistics.geometric_mean(quotients):.3f}", f"{max(quotients):.2f}",
                      f"{statistics.geometric_mean(gains):.2f}"))
    note = ("f64, geometric means. First line: a Xeon, where `auto` is pattern_csr on {pattern_csr}, csr on {csr}, packed on\n"
            "{packed} and dia on {dia} matrices ([record](bench/results/h200/cpu16_choice.csv)). The others: an H200\n"
            "([record](bench/results/h200/choice.csv)).").format(**chosen)
    return markdown_table(["resource and caches", "matrices", "time / best format's", "largest", "speed / csr's"], lines) + "\n\n" + note


@figure
def update_cost():
    """Inspections and updates of values, in products of cuSPARSE's CSR."""
    formats = [(name, value) for name in ("packed", "csr") for value in ("f64", "f32")]

    def line(title, record, column):
        cells = []
        for name, value in formats:
            rows = [row for row in read_csv(record) if row["value"] == value]
            hot = "_hot" if record == UPDATES else ""
            cells.append(statistics.geometric_mean(
                float(row[f"{name}_{column}_us"]) / least(row, (f"cusparse_csr_alg1{hot}_us", f"cusparse_csr_alg2{hot}_us"))
                for row in rows))
        return (title, *(f"{cell:.1f}" if cell < 10 else f"{cell:.0f}" for cell in cells))

    lines = [line("`update_values`, values in the GPU's memory", UPDATES, "device_update"),
             line("`update_values`, values in host memory", UPDATES, "update"),
             line("`inspect`, matrix in the GPU's memory", GPU, "inspect_device"),
             line("`inspect`, matrix in host memory", GPU, "inspect_host")]
    note = (f"Products of cuSPARSE's CSR with hot caches on an H200, geometric means over `@headline`\n"
            f"([updates](bench/results/{UPDATES}),\n[inspections](bench/results/{GPU})).")
    return markdown_table(["", *(f"{name}, {value}" for name, value in formats)], lines) + "\n\n" + note
