#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Nsight Compute counts of products on a GPU, kernel by kernel, as a table.

  cmake --preset dev -D GOSSAMER_BENCHMARKS=ON
  cmake --build build/dev --target bench_counters
  bench/counters/counters.py build/dev/bench/counters/bench_counters products.txt -o counters.csv

A line of products.txt is one product: TYPE MATRIX PRODUCT [KEY=VALUE,...], for example

  f64 like(cant) csr kernel=warp
  f64 m/boyd1.mtx cusparse_csr_alg1

(those of papers.txt that end in .mtx are files of the collection, unpacked in the working directory).
Lines with the same type and matrix should stand together: each matrix is made once. Three products go before the one that is counted, and the
clocks are the GPU's own; but the profiler runs a kernel several times, alone, and evicts a part of L2 in between, so that its times are longer than
those of `gossamer bench`. A product that is refused has a row with the reason. The exit status is 1 where something else went wrong.
"""
import argparse
import collections
import csv
import io
import pathlib
import re
import subprocess
import sys
import tempfile

# Column of the table: the profiler's counters, which are added, and the number that a unit of the column has
# of theirs.
COLUMNS = {
    "us": (("gpu__time_duration.sum",), 1000),
    "blocks": (("launch__grid_size",), 1),
    "threads_a_block": (("launch__block_size",), 1),
    "registers": (("launch__registers_per_thread",), 1),
    "warps_resident_percent": (("sm__warps_active.avg.pct_of_peak_sustained_active",), 1),
    "warp_instructions": (("smsp__inst_executed.sum",), 1),
    "lanes_active": (("smsp__thread_inst_executed_per_inst_executed.ratio",), 1),
    "issue_percent": (("smsp__issue_active.avg.pct_of_peak_sustained_active",), 1),
    "loads": (("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",), 1),
    "sectors_loaded": (("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",), 1),
    "l1_hit_percent": (("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",), 1),
    "l2_sectors_read": (("lts__t_sectors_op_read.sum",), 1),
    "l2_sectors_written": (("lts__t_sectors_op_write.sum",), 1),
    "l2_sectors_added_to": (("lts__t_sectors_op_red.sum", "lts__t_sectors_op_atom.sum"), 1),
    "dram_bytes": (("dram__bytes_read.sum", "dram__bytes_write.sum"), 1),
    "waits_for_memory": (("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",), 1),
    "waits_for_shared_memory": (("smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",), 1),
    "waits_at_barriers": (("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",), 1),
    "waits_to_load": (("smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",), 1),
    "shared_bank_conflicts": (("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",), 1),
}
PRODUCT = ("line", "value", "matrix", "product", "options", "rows", "cols", "nnz", "bytes")


def profile(program, products):
    counters = ",".join(name for names, _ in COLUMNS.values() for name in names)
    command = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw",
               "--print-units", "base", "--log-file", "LOG", "--metrics", counters, program]
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        done = subprocess.run([str(log) if word == "LOG" else word for word in command], input="".join(line + "\n" for line in products),
                              stdout=subprocess.PIPE, text=True, check=False)
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    if done.returncode:
        sys.exit(f"counters: ncu ended with status {done.returncode}:\n{text[-2000:]}")
    return done.stdout, "".join(line for line in io.StringIO(text) if not line.startswith("=="))


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value == int(value) else round(value, 3)


def short(kernel):
    """A kernel's name without namespaces, template arguments and parameters."""
    return re.split(r"[<(]", re.sub(r"<unnamed>|\(anonymous namespace\)", "", kernel))[0].split("::")[-1].split(" ")[-1]


def rows(products, said, profiled):
    told = {}
    for line in said.splitlines():
        words = line.split(" ", 2)
        told[int(words[0])] = words[1:]
    kernels = collections.defaultdict(list)
    now = None
    for row in csv.DictReader(io.StringIO(profiled)):
        if not row["ID"]:
            continue  # the line of the units
        if short(row["Kernel Name"]) == "mark":
            # As many blocks as the product's number.
            now = int(row["Grid Size"].strip("()").split(",")[0])
            continue
        kernels[now].append({"kernel": short(row["Kernel Name"])} | {
            name: number(str(sum(float(row[counter].replace(",", "")) for counter in counters) / unit))
            for name, (counters, unit) in COLUMNS.items()})
    for n, line in enumerate(products, 1):
        product = {"line": n} | dict(zip(PRODUCT[1:], line.split() + [""]))
        if n not in told:
            sys.exit(f"counters: of product {n}, \"{line}\", the program said nothing")
        if told[n][0] != "ok":
            yield product | {"kernel": "refused: " + told[n][1]}
            continue
        product |= dict(zip(PRODUCT[5:], told[n][1].split()))
        if not kernels[n]:
            sys.exit(f"counters: of product {n}, \"{line}\", no kernel was profiled")
        for kernel in kernels[n]:
            yield product | kernel


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="bench_counters")
    arguments.add_argument("products", help="a file, one product a line")
    arguments.add_argument("-o", "--output", required=True, help="the table, as CSV")
    given = arguments.parse_args()
    with open(given.products, encoding="utf-8") as file:
        products = [line for line in file.read().splitlines() if line.strip()]
    said, profiled = profile(given.program, products)
    table_rows = list(rows(products, said, profiled))
    with open(given.output, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*PRODUCT, "kernel", *COLUMNS], lineterminator="\n")
        table.writeheader()
        table.writerows(table_rows)


if __name__ == "__main__":
    main()
