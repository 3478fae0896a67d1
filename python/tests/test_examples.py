# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in examples/python run and print right results."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
OUTPUTS = {
    "eigenvalues.py": r"largest eigenvalue (\S+), exact \1\nlargest singular value (\S+), of the dense matrix \2\n",
    "linear_program.py": r"cost (\S+), by SciPy's linprog \1\n",
    "pagerank.py": r"\d+ steps, first page 0, sum 1\.000000\n",
    "cupy_cg.py": "status 0, residual below 1e-7: True, more than 100 steps: True\n",
}


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(OUTPUTS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.gpu) if "cupy" in name else name for name in OUTPUTS]
)
def test_output(name):
    if "cupy" in name:
        pytest.importorskip("cupy", reason="CuPy is not installed")
    run = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(OUTPUTS[name], run.stdout), run.stdout
