# SPDX-License-Identifier: BSD-3-Clause
"""Products next to other OpenMP runtimes in one process: those of PyTorch and of scikit-learn."""

import subprocess
import sys

import pytest

PROGRAM = """
{first}
import numpy, scipy.sparse
import gossamer
{second}
A = scipy.sparse.random_array((20000, 20000), density=1e-3, rng=numpy.random.default_rng(0), format="csr")
G = gossamer.matrix(A, threads=4)
x = numpy.ones(20000)
expected = G @ x
for _ in range(20):
    {other}
    assert (G @ x == expected).all()
print("done")
"""
RUNTIMES = """
{first}
import numpy, scipy.sparse
import gossamer
{second}
gossamer.matrix(scipy.sparse.eye_array(10, format="csr")) @ numpy.ones(10)
with open("/proc/self/maps") as maps:
    print(sorted({{line.split()[-1] for line in maps if "libgomp" in line}}))
"""
LIBRARIES = {
    "torch": ("import torch", "torch.mm(torch.ones(400, 400), torch.ones(400, 400))"),
    "sklearn": (
        "import sklearn.cluster",
        "sklearn.cluster.KMeans(3, n_init=1).fit(numpy.random.default_rng(1).random((2000, 4)))",
    ),
}


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_products_next_to(library, order):
    pytest.importorskip(library, reason=f"{library} is not installed")
    load, other = LIBRARIES[library]
    program = PROGRAM.format(
        first=load if order == "before" else "", second=load if order == "after" else "", other=other
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert run.returncode == 0 and run.stdout == "done\n", run.stderr


@pytest.mark.parametrize("order", ["before", "after"])
def test_one_runtime_serves_gossamer_and_torch(order):
    """Waiting threads of two runtimes would slow each other down."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    first, second = ("import torch", "") if order == "before" else ("", "import torch")
    program = RUNTIMES.format(first=first, second=second)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert run.returncode == 0, run.stderr
    assert len(eval(run.stdout)) == 1, run.stdout
