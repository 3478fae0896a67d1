# SPDX-License-Identifier: BSD-3-Clause
"""The text files of a source tree: those that git tracks, or all of them where the tree is no git checkout."""
import os
import re
import subprocess

CPP = re.compile(r"\.(hpp|cpp|cu|cuh|inl|c|h)$")
FORTRAN = re.compile(r"\.f90$")
CMAKE = re.compile(r"(\.cmake|CMakeLists\.txt)$")
PYTHON = re.compile(r"\.py$")
SHELL = re.compile(r"(\.sh$|^scripts/[^.]*$|^tests/mutants/run$|^\.ci/run$)")
DOCS = re.compile(r"\.md$")


def files(root):
    try:
        names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, found in os.walk(root):
            folders[:] = [f for f in folders if f != "build" and not f.startswith(".git")]
            names += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    kinds = (CPP, FORTRAN, CMAKE, PYTHON, SHELL, DOCS)
    return sorted(n for n in names if n and any(k.search(n) for k in kinds) and os.path.isfile(os.path.join(root, n)))


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()
