# SPDX-License-Identifier: BSD-3-Clause
"""The command `gossamer`: starts the compiled command-line tool that is in the package."""

import os
import sys
from pathlib import Path


def main():
    program = str(Path(__file__).parent / "bin" / "gossamer")
    os.execv(program, [program, *sys.argv[1:]])
