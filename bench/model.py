#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How near the model's choice (`auto` where nothing was measured before) comes to the best of all formats.

    model.py GOSSAMER MATRIX... [--value f64|f32] [--device cpu|cuda:N] [--threads N] [--seconds S] [--matrices DIR]

For each matrix, or each of a set such as @gallery, `gossamer bench --format all` times every format with its default options in turn, and `gossamer tune --budget 0`, with the
cache turned off, says what the model takes. Markdown on stdout: the time of the choice over the best one's, that of the reference format (pattern_csr on a CPU,
csr on a GPU) over the best one's, and their geometric means.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import record


def run(command, env):
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"model.py: {' '.join(command)}: {done.stderr.strip()}")


def loss(results, chosen):
    """(name of the best format, the chosen one's time over its, the reference one's over its) of the results of one matrix. None if either was not measured."""
    times = {r["format"]: r["seconds"]["median"] for r in results if r["status"] == "ok"}
    default = record.reference_format(results[0])
    if chosen not in times or default not in times:
        return None
    best = min(times, key=times.get)
    return best, times[chosen] / times[best], times[default] / times[best]


def members(matrix, results):
    """What gives each matrix of the results by itself, and its results."""
    by_name = {}
    for r in results:
        by_name.setdefault((r["matrix"], r["values"], r["source"]), []).append(r)
    for (name, values, source), theirs in by_name.items():
        if not matrix.startswith("@"):
            yield matrix, theirs
        elif source == "file":
            yield f"file({name},values={values})" if values != "file" else name, theirs
        else:
            yield name, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gossamer")
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--value", default="f64", choices=("f32", "f64"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads")
    parser.add_argument("--seconds", default="0.1")
    parser.add_argument("--matrices", dest="folder", default=os.environ.get("GOSSAMER_MATRICES", ""))
    o = parser.parse_args()
    env = {**os.environ, "GOSSAMER_CACHE": ""}
    if o.folder:
        env["GOSSAMER_MATRICES"] = o.folder
    where = ["--value", o.value, "--device", o.device] + (["--threads", o.threads] if o.threads else [])
    losses = []
    default = record.reference_format({"device": o.device})
    print(f"| matrix | model | best | model / best | {default} / best |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        measured = str(pathlib.Path(folder, "bench.json"))
        tuned = str(pathlib.Path(folder, "tune.json"))
        for matrix in o.matrices:
            pathlib.Path(measured).unlink(missing_ok=True)
            run([o.gossamer, "bench", matrix, "--peer", "none", "--seconds", o.seconds, "--json", measured] + where, env)
            for argument, results in members(matrix, record.read(measured)["results"]):
                if not any(r["status"] == "ok" for r in results):
                    continue
                if results[0]["source"] == "file" and argument == results[0]["matrix"]:
                    argument = next(str(f) for f in pathlib.Path(o.folder).rglob(f"{argument}.mtx*"))
                run([o.gossamer, "tune", argument, "--budget", "0", "--json", tuned] + where, env)
                chosen = json.loads(pathlib.Path(tuned).read_text())["model"]["format"]
                found = loss(results, chosen)
                if found is None:
                    sys.exit(f"model.py: {argument}: {chosen}, which the model takes, or {default} was not measured")
                losses.append(found[1:])
                name = results[0]["matrix"] + ("" if results[0]["values"] in ("file", "distinct") else f" {results[0]['values']}")
                print(f"| {name} | {chosen} | {found[0]} | {found[1]:.2f} | {found[2]:.2f} |", flush=True)
    if losses:
        model, by_default = (record.geometric_mean(column) for column in zip(*losses))
        print(f"| geometric mean of {len(losses)} | | | {model:.3f} | {by_default:.3f} |")


if __name__ == "__main__":
    main()
