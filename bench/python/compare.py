#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times products from Python: gossamer next to SciPy, PyTorch, sparse_dot_mkl and CuPy.

    compare.py [--device cpu|cuda] [--value f64|f32] [--seconds 0.3] [--csv FILE] MATRIX...

A MATRIX is a Matrix Market file, `tiny` (10 x 10), or `grid:N` (7 points on a grid of N x N x N). Operations are
A @ x, A.T @ x and A @ X with 8 columns, row-major. In each of 9 rounds every library has its turn; the figure is the
median of the rounds, in microseconds for one product. On a GPU a turn ends with a wait for the device. Peers that
are not installed are left out, and named.
"""

import argparse
import csv
import importlib
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sparse

import gossamer

ROUNDS = 9


def matrix_of(name, dtype):
    if name == "tiny":
        return sparse.random_array((10, 10), density=0.3, rng=np.random.default_rng(1), format="csr", dtype=dtype)
    if name.startswith("grid:"):
        n = int(name.removeprefix("grid:"))
        line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
        return sparse.csr_array(sparse.kronsum(sparse.kronsum(line, line), line), dtype=dtype)
    return sparse.csr_array(scipy.io.mmread(name), dtype=dtype)


class Gossamer:
    name = "gossamer"

    def __init__(self, A, device):
        self.G = gossamer.matrix(A, operations="both", vectors=8, device=device)
        self.single = gossamer.matrix(A, operations="both", device=device)
        self.arrays = importlib.import_module("cupy" if device == "cuda" else "numpy")

    def product(self, operation, x):
        x = self.arrays.asarray(x)
        G = self.G if operation == "A @ X" else self.single
        G = G.T if operation == "A.T @ x" else G
        return lambda: G @ x

    def wait(self):
        if self.arrays is not np:
            self.arrays.cuda.Device().synchronize()


class SciPy:
    name = "scipy"

    def __init__(self, A, device):
        self.A, self.transposed = A, A.T.tocsr()

    def product(self, operation, x):
        A = self.transposed if operation == "A.T @ x" else self.A
        return lambda: A @ x

    def wait(self):
        pass


class MKL(SciPy):
    name = "sparse_dot_mkl"

    def product(self, operation, x):
        from sparse_dot_mkl import dot_product_mkl

        A = self.transposed if operation == "A.T @ x" else self.A
        return lambda: dot_product_mkl(A, x)


class Torch:
    name = "torch"

    def __init__(self, A, device):
        import torch

        self.torch, self.device = torch, device
        tensor = lambda A: torch.sparse_csr_tensor(A.indptr, A.indices, A.data, A.shape).to(device)
        self.A, self.transposed = tensor(A), tensor(A.T.tocsr())

    def product(self, operation, x):
        x = self.torch.as_tensor(x).to(self.device)
        A = self.transposed if operation == "A.T @ x" else self.A
        return lambda: A @ x

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()


class GossamerTorch(Torch):
    """Products of torch tensors."""

    name = "gossamer, torch tensors"

    def __init__(self, A, device):
        super().__init__(A, device)
        self.A = gossamer.matrix(A, operations="both", device=device)
        self.transposed = self.A.T


class CuPy:
    name = "cupy"

    def __init__(self, A, device):
        import cupy
        import cupyx.scipy.sparse

        self.cupy, self.A = cupy, cupyx.scipy.sparse.csr_matrix(sparse.csr_matrix(A))

    def product(self, operation, x):
        x, A = self.cupy.asarray(x), self.A
        return (lambda: A.T @ x) if operation == "A.T @ x" else (lambda: A @ x)

    def wait(self):
        self.cupy.cuda.Device().synchronize()


def libraries_for(device):
    names = [(Gossamer, "cupy" if device == "cuda" else "numpy"), (GossamerTorch, "torch"), (Torch, "torch")]
    names += [(CuPy, "cupy")] if device == "cuda" else [(SciPy, "scipy"), (MKL, "sparse_dot_mkl")]
    found = []
    for library, module in names:
        try:
            importlib.import_module(module)
            found.append(library)
        except ImportError:
            print(f"{module} is not installed: {library.name} is left out", file=sys.stderr)
    return found


def seconds_of(library, product, count):
    begin = time.perf_counter()
    for _ in range(count):
        product()
    library.wait()
    return (time.perf_counter() - begin) / count


def count_for(library, product, seconds):
    """How many products take so long."""
    seconds_of(library, product, 1)
    count = 1
    while (taken := seconds_of(library, product, count) * count) < seconds / 4:
        count *= 2
    return max(1, round(count * seconds / taken))


def medians(libraries, operation, x, seconds):
    products = {library: library.product(operation, x) for library in libraries}
    counts = {library: count_for(library, product, seconds / ROUNDS) for library, product in products.items()}
    times = {library: [] for library in libraries}
    for _ in range(ROUNDS):
        for library in libraries:
            times[library].append(seconds_of(library, products[library], counts[library]))
    return {library.name: 1e6 * statistics.median(of) for library, of in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--value", choices=["f64", "f32"], default="f64")
    parser.add_argument("--seconds", type=float, default=0.3, help="of each library's turns together")
    parser.add_argument("--csv")
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    options = parser.parse_args()
    dtype = "float64" if options.value == "f64" else "float32"
    rows = []
    for name in options.matrices:
        A = matrix_of(name, dtype)
        libraries = [library(A, options.device) for library in libraries_for(options.device)]
        for operation in ("A @ x", "A.T @ x", "A @ X"):
            size = A.shape[0 if operation == "A.T @ x" else 1]
            x = np.ones((size, 8) if operation == "A @ X" else size, dtype)
            for library, us in medians(libraries, operation, x, options.seconds).items():
                rows.append((Path(name).name, A.nnz, options.device, options.value, operation, library, f"{us:.3f}"))
                print(f"{rows[-1][0]:24} {operation:8} {library:24} {us:12.2f} us", flush=True)
    if options.csv:
        with open(options.csv, "w", newline="") as to:
            writer = csv.writer(to, lineterminator="\n")
            writer.writerow(["matrix", "nnz", "device", "value", "operation", "library", "us"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
