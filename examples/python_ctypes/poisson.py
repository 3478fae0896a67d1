#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves Poisson's equation on a square grid: the 5-point Laplacian in CSR arrays, and conjugate gradients.

Usage: poisson.py [path of libgossamer.so]. It needs the standard library only.
"""
import ctypes
import math
import sys
from array import array

GOSSAMER_CSR, GOSSAMER_HOST, GOSSAMER_F64, GOSSAMER_I32, GOSSAMER_FORWARD = 1, 0, 2, 3, 0


class Arrays(ctypes.Structure):
    """gossamer_arrays"""
    _fields_ = [("struct_size", ctypes.c_size_t), ("layout", ctypes.c_int32), ("memory", ctypes.c_int32),
                ("value_type", ctypes.c_int32), ("offset_type", ctypes.c_int32), ("index_type", ctypes.c_int32),
                ("base", ctypes.c_int32), ("device", ctypes.c_int32), ("rows", ctypes.c_int64), ("cols", ctypes.c_int64),
                ("nnz", ctypes.c_int64), ("offsets", ctypes.c_void_p), ("indices", ctypes.c_void_p), ("values", ctypes.c_void_p)]


def load(path):
    """The library, with the argument types of the functions that are used."""
    library = ctypes.CDLL(path)
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double
    library.gossamer_last_error.restype = text
    library.gossamer_status_name.restype = text

    def check(status, function, arguments):
        if status != 0:
            name, message = library.gossamer_status_name(status), library.gossamer_last_error()
            raise RuntimeError(f"{name.decode()}: {message.decode()}")
        return status

    arguments = {
        "matrix_create": [ctypes.POINTER(pointer), ctypes.POINTER(Arrays)],
        "inspect": [ctypes.POINTER(pointer), pointer, text, text, pointer],
        "multiply": [pointer, ctypes.c_int32, number, pointer, number, pointer],
    }
    for name, types in arguments.items():
        function = getattr(library, "gossamer_" + name)
        function.argtypes, function.restype, function.errcheck = types, ctypes.c_int32, check
    for name in "matrix_destroy", "plan_destroy":
        function = getattr(library, "gossamer_" + name)
        function.argtypes, function.restype = [pointer], None
    return library


def laplacian(side):
    """Offsets, indices and values of CSR."""
    unknowns = side * side
    offsets, indices, values = array("i", [0]), array("i"), array("d")
    for i in range(unknowns):
        column = i % side
        neighbors = [(i - side, i >= side), (i - 1, column > 0), (i, True), (i + 1, column < side - 1),
                     (i + side, i < unknowns - side)]
        for j, inside in neighbors:
            if inside:
                indices.append(j)
                values.append(4.0 if i == j else -1.0)
        offsets.append(len(indices))
    return offsets, indices, values


def dot(a, b):
    total = 0.0
    for s, t in zip(a, b):
        total += s * t
    return total


def address(numbers):
    return numbers.buffer_info()[0]


def main():
    library = load(sys.argv[1] if len(sys.argv) > 1 else "libgossamer.so")
    side, max_steps = 60, 1000
    unknowns = side * side
    offsets, indices, values = laplacian(side)
    arrays = Arrays(struct_size=ctypes.sizeof(Arrays), layout=GOSSAMER_CSR, memory=GOSSAMER_HOST, value_type=GOSSAMER_F64,
                    offset_type=GOSSAMER_I32, index_type=GOSSAMER_I32, base=0, rows=unknowns, cols=unknowns,
                    nnz=len(indices), offsets=address(offsets), indices=address(indices), values=address(values))
    matrix, plan = ctypes.c_void_p(), ctypes.c_void_p()
    library.gossamer_matrix_create(ctypes.byref(matrix), ctypes.byref(arrays))
    library.gossamer_inspect(ctypes.byref(plan), matrix, b"cpu", b"calls=500", None)

    # A x = b with b = (1, ..., 1) and x = 0 at first
    x, r, p, q = (array("d", [start]) * unknowns for start in (0, 1, 1, 0))
    b_norm = math.sqrt(dot(r, r))
    rr = dot(r, r)
    steps = 0
    while math.sqrt(rr) > 1e-8 * b_norm and steps < max_steps:
        library.gossamer_multiply(plan, GOSSAMER_FORWARD, 1, address(p), 0, address(q))  # q = A p
        alpha = rr / dot(p, q)
        for i in range(unknowns):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
        rr_before, rr = rr, dot(r, r)
        for i in range(unknowns):
            p[i] = r[i] + rr / rr_before * p[i]
        steps += 1

    # The residual of the solution: r = b - A x
    r = array("d", [1]) * unknowns
    library.gossamer_multiply(plan, GOSSAMER_FORWARD, -1, address(x), 1, address(r))
    print(f"{unknowns} unknowns, {steps} steps, relative residual {math.sqrt(dot(r, r)) / b_norm:.1e}")

    library.gossamer_plan_destroy(plan)
    library.gossamer_matrix_destroy(matrix)


main()
