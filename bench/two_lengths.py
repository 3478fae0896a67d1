#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a matrix of two row lengths as a Matrix Market file to stdout: 20 rows of 209 entries in turn with 20 of 4, at random places of
520 columns. It has the size of TSOPF_RS_b300_c3 and asks whether row lengths like that alone make the times that paper 003 has for such matrices
(docs/reproduction.md). The same file every time.

  bench/two_lengths.py > two_lengths.mtx
"""
import random
import sys

ROWS = 42138
LONG, SHORT, TOGETHER = 209, 4, 20
COLUMNS, BLOCK = 520, 300


def main():
    random.seed(1)
    lengths = [LONG if i // TOGETHER % 2 else SHORT for i in range(ROWS)]
    print("%%MatrixMarket matrix coordinate real general")
    print(ROWS, ROWS, sum(lengths))
    for i, length in enumerate(lengths):
        first = min(max(0, i // BLOCK * BLOCK - 100), ROWS - COLUMNS)
        for column in sorted(random.sample(range(first, first + COLUMNS), length)):
            sys.stdout.write(f"{i + 1} {column + 1} {random.random() + 0.1:.6f}\n")


if __name__ == "__main__":
    main()
