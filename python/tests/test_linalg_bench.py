# SPDX-License-Identifier: BSD-3-Clause
"""bench/lp solves its generated programs, and reads what it writes to MPS files."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

pytest.importorskip("highspy", reason="highspy is not installed")
BENCH = Path(__file__).parents[2] / "bench" / "lp"


def test_small_programs(tmp_path):
    table = tmp_path / "lp.csv"
    command = [sys.executable, BENCH / "lp.py", "--size", "small", "--repeat", "1", "--output", table]
    subprocess.run([*command, "--solver", "gossamer", "pdlp", "highs"], check=True, capture_output=True)
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 5 * (1 + 2 + 2)
    assert {row["status"] for row in rows} == {"optimal"}
    for row in rows:
        assert all(float(row[name]) <= float(row["rtol"]) for name in ("primal_error", "dual_error", "gap"))


def test_files_have_the_programs(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import mps
    import programs

    for program in programs.small():
        mps.write(program, tmp_path / "program.mps")
        read = mps.read(tmp_path / "program.mps")
        for name in ("c", "lb", "ub", "lower", "upper"):
            numpy.testing.assert_allclose(getattr(read, name), getattr(program, name), rtol=1e-14)
        assert abs(read.A - program.A).max() <= 1e-14 * abs(program.A).max()
