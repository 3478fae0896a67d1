#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gossamer's Matrix Market reader beside SciPy's mmread (1.12 or newer), on the same files, cores and number of threads.

  cmake --preset dev -D GOSSAMER_BENCHMARKS=ON
  cmake --build build/dev --target gossamer_cli bench_reader
  bench/reader/reader.py --build build/dev --threads 2,16 --json reader.json

The files are made first, in a folder that is kept (--folder), and read from the page cache. The two readers take turns;
both are held to the same THREADS cores. A rate is bytes of text (of a .gz too) over the median time. The ratio is SciPy's
time over ours, pair by pair: its median, and the 95 % interval that order statistics give. SciPy stops at coordinates;
Gossamer's time includes sorting into CSR. The exit status is 1 where the readers disagree or a ratio's median is below 1.
"""
import argparse
import gc
import gzip
import importlib
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import numpy
import scipy
import scipy.io
import scipy.sparse

# About a hundred to four hundred MB of text each at --scale 1.
FILES = {
    "real17": "17 digits, general",  # uniform columns, all values different
    "real1": "short values, general",  # a 27-point stencil of ones
    "symmetric": "17 digits, lower triangle",
    "pattern": "no values",
}


def write_files(folder, cli, scale, gzip_from):
    """Returns {name: path}; a file that is there is not made again."""
    made = {}

    def make(name, suffix, write):
        path = folder / f"{name}-{scale:g}{suffix}"
        if not path.exists():
            print(f"writing {path}", file=sys.stderr)
            partial = folder / f"partial{suffix}"
            write(partial)
            partial.rename(path)
        made[name + suffix.removeprefix(".mtx")] = path
        return path

    def generate(spec):
        return lambda out: subprocess.run([cli, "generate", spec, "-o", out], check=True, stderr=subprocess.DEVNULL)

    def from_real17(**how):
        def write(out):
            a = scipy.io.mmread(made["real17"])
            if how.get("symmetry") == "symmetric":
                below = a.row >= a.col
                a = scipy.sparse.coo_matrix((a.data[below], (a.row[below], a.col[below])), shape=a.shape)
                a = a + scipy.sparse.tril(a, -1).T
            scipy.io.mmwrite(out, a, **how)
        return write

    def recompress(text):
        """One member, as gzip writes it."""
        def write(out):
            with open(text, "rb") as source, gzip.open(out, "wb", compresslevel=6) as packed:
                shutil.copyfileobj(source, packed, 1 << 20)
        return write

    rows = round(1e6 * scale)
    side = round(75 * scale ** (1 / 3))
    make("real17", ".mtx", generate(f"uniform(rows={rows},per_row=8)"))
    make("real1", ".mtx", generate(f"stencil(nx={side},ny={side},nz={side},points=27,values=constant)"))
    make("symmetric", ".mtx", from_real17(symmetry="symmetric", precision=17))
    make("pattern", ".mtx", from_real17(field="pattern"))
    for name in gzip_from:
        make(name, ".mtx.gz", recompress(made[name]))
        # Gossamer's own writer makes a member of each block.
        make(name + "-members", ".mtx.gz",
             lambda out, text=made[name]: subprocess.run([cli, "convert", text, "-o", out], check=True,
                                                         stderr=subprocess.DEVNULL))
    return made


def text_bytes(path):
    if path.suffix != ".gz":
        return path.stat().st_size
    size = 0
    with gzip.open(path, "rb") as text:
        while block := text.read(1 << 22):
            size += len(block)
    return size


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.gzip_library = self.process.stdout.readline().strip()

    def read(self, path, threads):
        self.process.stdin.write(f"{threads} {path}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{path}: bench_reader ended with {self.process.wait()}")
        answer = json.loads(line)
        seconds = answer.pop("seconds")
        return seconds, answer


class SciPy:
    def __init__(self):
        self.module = importlib.import_module("scipy.io._fast_matrix_market")

    def read(self, path, threads):
        self.module.PARALLELISM = threads
        gc.collect()
        begin = time.perf_counter()
        a = scipy.io.mmread(path)
        seconds = time.perf_counter() - begin
        with numpy.errstate(over="ignore"):
            indices = numpy.sum((a.row.astype(numpy.uint64) + numpy.uint64(1)) * (a.col.astype(numpy.uint64) + numpy.uint64(1)))
        return seconds, {"rows": a.shape[0], "cols": a.shape[1], "nnz": int(a.nnz), "indices": int(indices),
                         "values": float(a.data.sum())}


def agree(a, b):
    return all(a[k] == b[k] for k in ("rows", "cols", "nnz", "indices")) and \
        math.isclose(a["values"], b["values"], rel_tol=1e-6, abs_tol=1e-6 * max(1, a["nnz"]))


def median_interval(values):
    """The median, and order statistics that enclose it with at least 95 % (of any distribution) where there are six."""
    values = sorted(values)
    n = len(values)
    outside, k = 0.0, 0
    while True:
        outside += math.comb(n, k) / 2 ** (n - 1)  # both tails
        if outside > 0.05 or k > n // 2 - 1:
            break
        k += 1
    k = max(k - 1, 0)
    return statistics.median(values), values[k], values[n - 1 - k]


def measure(ours, theirs, path, threads, runs):
    _, first = ours.read(path, threads)
    _, second = theirs.read(path, threads)
    if not agree(first, second):
        sys.exit(f"{path}: read differently: {first} by Gossamer, {second} by SciPy")
    pairs = []
    for k in range(runs):
        order = (ours, theirs) if k % 2 == 0 else (theirs, ours)
        seconds = {reader: reader.read(path, threads)[0] for reader in order}
        pairs.append((seconds[ours], seconds[theirs]))
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/dev"), help="where Gossamer was built")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/reader-files"), help="for the files")
    parser.add_argument("--threads", default="2", help="for example 2,16; so many cores of this process's are used")
    parser.add_argument("--runs", type=int, default=9, help="pairs of runs of each case")
    parser.add_argument("--scale", type=float, default=1.0, help="1: files of 110 to 290 MB")
    parser.add_argument("--only", default="", help="names of files, for example real17,real17.gz")
    parser.add_argument("--gzip", default="real17,real1", help="files that are compressed too")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()

    if tuple(int(x) for x in scipy.__version__.split(".")[:2]) < (1, 12):
        sys.exit(f"SciPy {scipy.__version__} at {scipy.__file__}: 1.12 or newer is needed, whose mmread is parallel")
    cores = sorted(os.sched_getaffinity(0))
    counts = [int(x) for x in given.threads.split(",")]
    if max(counts) > len(cores):
        sys.exit(f"--threads {max(counts)}: there are {len(cores)} cores here")
    given.folder.mkdir(parents=True, exist_ok=True)
    cli = given.build / "tools/gossamer/gossamer"
    version = subprocess.run([cli, "--version"], check=True, capture_output=True, text=True).stdout
    files = write_files(given.folder, cli, given.scale,
                        [x for x in given.gzip.split(",") if x])
    only = [x for x in given.only.split(",") if x] or list(files)
    sizes = {name: text_bytes(files[name]) for name in only}

    results = []
    document = {"schema": 1, "commit": re.search(r"\((.*?)\)", version)[1], "scipy": scipy.__version__, "gzip_library": None, "cpu": cpu_name(), "results": results}
    print(f"{'file':18} {'MB':>5} {'threads':>7} {'Gossamer MB/s':>14} {'SciPy MB/s':>11}   ratio (95 %)")
    for threads in counts:
        os.sched_setaffinity(0, cores[:threads])
        ours = Ours(given.build / "bench/reader/bench_reader")
        document["gzip_library"] = ours.gzip_library
        theirs = SciPy()
        for name in only:
            pairs = measure(ours, theirs, files[name].resolve(), threads, given.runs)
            ratio, low, high = median_interval([b / a for a, b in pairs])
            rates = [sizes[name] / 1e6 / statistics.median(t) for t in zip(*pairs)]
            print(f"{name:18} {sizes[name] / 1e6:5.0f} {threads:7} {rates[0]:14.0f} {rates[1]:11.0f}   "
                  f"{ratio:.2f} ({low:.2f} to {high:.2f})", flush=True)
            results.append({"file": name, "text_bytes": sizes[name], "file_bytes": files[name].stat().st_size,
                            "threads": threads, "seconds": [a for a, _ in pairs], "scipy_seconds": [b for _, b in pairs],
                            "mb_per_second": rates[0], "scipy_mb_per_second": rates[1],
                            "ratio": {"median": ratio, "low": low, "high": high}})
        ours.process.stdin.close()
        ours.process.wait()
        os.sched_setaffinity(0, cores)
    print(f"SciPy {scipy.__version__}; .gz inflated by {document['gzip_library']}; {document['cpu']}")
    if given.json:
        given.json.write_text(json.dumps(document, indent=1) + "\n")
    lost = [f"{r['file']} on {r['threads']}" for r in results if r["ratio"]["median"] < 1]
    if lost:
        sys.exit("slower than SciPy: " + ", ".join(lost))


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


if __name__ == "__main__":
    main()
