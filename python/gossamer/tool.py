# SPDX-License-Identifier: BSD-3-Clause
"""The command `gossamer`: starts the compiled command-line tool that is in the package.

`gossamer bench` is run by gossamer.bench instead if it names a library of Python, or a matrix that only Python reads.
"""

import os
import sys
from pathlib import Path

PYTHON_PEERS = frozenset({"cupy", "scipy", "sparse_dot_mkl", "torch"})
_ONLY_PYTHON = (".npz", ".mat", ".rb", ".hb", ".rua", ".rsa")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["bench"] and _needs_python(arguments[1:]):
        from . import bench

        sys.exit(bench.main(arguments[1:]))
    program = str(Path(__file__).parent / "bin" / "gossamer")
    os.execv(program, [program, *arguments])


def is_built_in(name):
    """Whether the name is one of the matrices that gossamer.bench makes."""
    return name == "tiny" or name.startswith("grid:")


def _needs_python(arguments):
    """True if --peer names a library of Python, or a matrix is one that the compiled tool does not know."""
    for before, argument in zip(["", *arguments], arguments):
        if argument.startswith("--peer="):
            peers = argument.removeprefix("--peer=")
        else:
            peers = argument if before == "--peer" else ""
        if not PYTHON_PEERS.isdisjoint(peers.split(",")):
            return True
        if not argument.startswith("-") and (is_built_in(argument) or argument.lower().endswith(_ONLY_PYTHON)):
            return True
    return False
