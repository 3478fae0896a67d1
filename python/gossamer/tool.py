# SPDX-License-Identifier: BSD-3-Clause
"""The command `gossamer`: starts the compiled command-line tool that is in the package.

`gossamer bench` with a library of Python or an .npz file is run by gossamer.bench instead.
"""

import os
import sys
from pathlib import Path

PYTHON_PEERS = frozenset({"cupy", "scipy", "sparse_dot_mkl", "torch"})


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["bench"] and _needs_python(arguments[1:]):
        from . import bench

        sys.exit(bench.main(arguments[1:]))
    program = str(Path(__file__).parent / "bin" / "gossamer")
    os.execv(program, [program, *arguments])


def _needs_python(arguments):
    """True if --peer names a library of Python, or a file ends in .npz, which the compiled tool does not read."""
    for before, argument in zip(["", *arguments], arguments):
        if argument.startswith("--peer="):
            peers = argument.removeprefix("--peer=")
        else:
            peers = argument if before == "--peer" else ""
        if not PYTHON_PEERS.isdisjoint(peers.split(",")):
            return True
        if not argument.startswith("-") and argument.lower().endswith(".npz"):
            return True
    return False
