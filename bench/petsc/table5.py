#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Table 5 of paper 000: what table5.sh left, as a record (JSON) and as a table (Markdown).

    table5.py FOLDER --commit COMMIT --json FILE.json   writes the record
    table5.py FILE.json [-o FILE.md]                    the table of a record, to stdout or into a file

All seconds are PETSc's -log_view's of one process, of both linear solves together, except `total`, which is ex19 from start to end. `spmv` are
the products of GMRES alone, one for each time that the preconditioner is applied; those inside of a polynomial are in `pc`, as in the paper. They are told
apart by their number, not by their times. A run that failed or was stopped has a `status` and no times.
"""

import argparse
import csv
import json
import pathlib
import re
import sys

# The paper's seconds: iterations 1 and 2, conversions, SpMV and PC of both solves, total.
PAPER = [
    ("Fermi", "ILU(0)", "AIJ", (657, 770), None, 6.619, 8.156, 26.864),
    ("Fermi", "ILU(0)", "CUSP", (657, 770), None, 2.316, 11.673, 17.345),
    ("Fermi", "ILU(0)", "BRC", (657, 770), 0.088, 0.895, 9.493, 13.891),
    ("Fermi", "Polynomial", "AIJ", (299, 345), None, 3.037, 81.141, 91.269),
    ("Fermi", "Polynomial", "CUSP", (299, 345), None, 1.058, 22.316, 25.783),
    ("Fermi", "Polynomial", "BRC", (299, 345), 0.088, 0.411, 9.591, 11.994),
    ("Kepler", "ILU(0)", "AIJ", (657, 770), None, 6.762, 7.965, 27.600),
    ("Kepler", "ILU(0)", "CUSP", (657, 770), None, 2.645, 9.654, 15.143),
    ("Kepler", "ILU(0)", "BRC", (657, 770), 0.079, 0.538, 9.115, 12.683),
    ("Kepler", "Polynomial", "AIJ", (299, 345), None, 3.105, 82.980, 94.639),
    ("Kepler", "Polynomial", "CUSP", (299, 345), None, 1.045, 21.712, 24.831),
    ("Kepler", "Polynomial", "BRC", (299, 345), 0.079, 0.233, 5.722, 7.540),
]


class BadInput(Exception):
    """One line for the user; exit status 2."""


def text_of(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror}") from problem


def events_of(path):
    """Seconds and number of each of PETSc's events, over all stages."""
    events = {}
    for number, line in enumerate(csv.reader(text_of(path).splitlines()), 1):
        if number == 1 or len(line) < 5:
            continue
        try:
            count, seconds = int(line[3]), float(line[4])
        except ValueError as problem:
            raise BadInput(f"{path}:{number}: not a line of -log_view's CSV: {problem}") from problem
        before = events.get(line[1], (0, 0.0))
        events[line[1]] = (before[0] + count, before[1] + seconds)
    return events


def copies_of(text):
    """How often PETSc copied between the host and the GPU while it solved, and how many MB, each way."""
    line = re.search(r"^SNESSolve .*$", text, re.M)
    fields = re.search(r"(\d+) (\d\.\d+e[+-]\d+) +(\d+) (\d\.\d+e[+-]\d+)(?: +\d+)? *$", line.group(0)) if line else None
    if not fields:
        return None
    to_gpu, mb_to_gpu, to_host, mb_to_host = fields.groups()
    return {"to_gpu": int(to_gpu), "mb_to_gpu": float(mb_to_gpu), "to_host": int(to_host), "mb_to_host": float(mb_to_host)}


def row_of(folder, name):
    printed = text_of(folder / f"{name}.txt")
    preconditioner, _, series = name.partition("-")
    plan = re.search(r"Gossamer: (format .*?); ", printed)
    row = {"preconditioner": preconditioner, "series": series, "plan": plan.group(1) if plan else "",
           "iterations": [int(n) for n in re.findall(r"Linear solve converged.* iterations (\d+)", printed)], "status": "ok"}
    if "Number of SNES iterations" not in printed or not (folder / f"{name}.csv").exists():
        errors = re.findall(r"PETSC ERROR: (.*)", printed)
        row.update(status="failed", reason=errors[0] if errors else "stopped before its end")
        return row
    events = events_of(folder / f"{name}.csv")
    products, multiplying = events["MatMult"]
    applications, applying = events["PCApply"]
    row.update(
        total=float(text_of(folder / f"{name}.seconds")), solve=events["SNESSolve"][1], products=products, applications=applications,
        spmv=multiplying * min(1, applications / products), all_products=multiplying, pc=applying,
        inspect=events.get("GossamerInspect", (0, 0.0))[1], update=events.get("GossamerUpdate", (0, 0.0))[1],
        copies=copies_of(text_of(folder / f"{name}.log")))
    return row


def record_of(folder, commit):
    machine = dict(line.split(": ", 1) for line in text_of(folder / "machine.txt").splitlines())
    names = sorted(path.stem for path in folder.glob("*.seconds"))
    if not names:
        raise BadInput(f"{folder}: no *.seconds, which table5.sh leaves")
    grid = int(machine.pop("grid"))
    degree = int(machine.pop("degree"))
    machine["threads"] = int(machine["threads"])
    return {"schema": 1, "commit": commit, "experiment": "brc/table5", "source": "paper 000, Table 5", "shows": "PETSc's ex19", "value": "f64",
            "grid": grid, "unknowns": 4 * grid * grid, "degree": degree, "machine": machine, "rows": [row_of(folder, name) for name in names]}


def seconds(x):
    return "–" if x is None else f"{x:.3f}"


def table_of(record):
    machine = record["machine"]
    lines = [f"ex19, {record['grid']} × {record['grid']} × 4 unknowns, {machine['threads']} threads of {machine['cpu']}"
             + (f", {machine['gpu']}" if "gpu" in machine else "") + f"; polynomial of degree {record['degree']}; commit {record['commit']}. Seconds.", "",
             "| preconditioner | series | plan | iterations | conversion | new values | SpMV | PC | total |",
             "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in record["rows"]:
        cells = [row["preconditioner"], row["series"], row["plan"] or "–", ", ".join(map(str, row["iterations"]))]
        if row["status"] == "ok":
            cells += [seconds(row[key] or None) for key in ("inspect", "update")] + [seconds(row[key]) for key in ("spmv", "pc", "total")]
        else:
            cells += ["–"] * 4 + [row["reason"]]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "The paper's:", "", "| platform | preconditioner | format | iterations | conversion | SpMV | PC | total |",
              "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |"]
    for platform, preconditioner, name, iterations, *times in PAPER:
        lines.append("| " + " | ".join([platform, preconditioner, name, ", ".join(map(str, iterations))] + [seconds(t) for t in times]) + " |")
    return "\n".join(lines) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--commit", default="")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    given = parser.parse_args(arguments)
    try:
        if given.source.is_dir():
            record = record_of(given.source, given.commit)
        else:
            try:
                record = json.loads(text_of(given.source))
            except ValueError as problem:
                raise BadInput(f"{given.source}: not JSON: {problem}") from problem
            if not isinstance(record, dict) or record.get("experiment") != "brc/table5":
                raise BadInput(f"{given.source}: not a record of brc/table5")
    except BadInput as problem:
        print(f"table5.py: {problem}", file=sys.stderr)
        return 2
    if given.json:
        given.json.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = table_of(record)
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
