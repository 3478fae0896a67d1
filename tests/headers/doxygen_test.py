#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs doxygen over the public headers with docs/site/Doxyfile; a warning fails. Usage: ... SOURCE_TREE"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    root = sys.argv[1]
    doxygen = shutil.which("doxygen")
    if not doxygen:
        print("\nSKIPPED [1] docs.doxygen: doxygen is not installed")  # scripts/test counts such lines
        sys.exit(SKIPPED)
    with open(os.path.join(root, "docs/site/Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    with tempfile.TemporaryDirectory() as folder:
        settings += f"\nOUTPUT_DIRECTORY = {folder}\n"
        run = subprocess.run([doxygen, "-"], cwd=root, input=settings, text=True, capture_output=True, check=False)
        print(run.stdout + run.stderr, end="")
        xml = os.path.join(folder, "xml", "classgossamer_1_1plan.xml")
        if run.returncode == 0 and not os.path.exists(xml):
            sys.exit("doxygen wrote no XML for gossamer::plan")
    sys.exit(1 if run.returncode else 0)


main()
