# SPDX-License-Identifier: BSD-3-Clause
"""`gossamer bench` with libraries of Python. Times are not tested."""

import csv
import importlib.util
import os
import signal
import subprocess
import sys

import numpy
import pytest
import scipy.io
import scipy.sparse as sparse

import gossamer
from gossamer import bench, tool
from gossamer.bench import matrices, output, peers
from support import random_matrix

QUICK = ["--seconds", "0"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """With a.mtx and b.npz. The test runs in it."""
    scipy.io.mmwrite(tmp_path / "a.mtx", random_matrix((30, 20)))
    sparse.save_npz(tmp_path / "b.npz", random_matrix((20, 40)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def error_of(capfd, *arguments):
    """The one line that the command prints."""
    assert bench.main([*arguments, *QUICK]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1 and printed.err.startswith("gossamer bench: ")
    return printed.err


def test_table_and_csv(capfd):
    assert bench.main(["a.mtx", "--peer", "scipy", "b.npz", "--value", "f32,f64", "--csv", "times.csv", *QUICK]) == 0
    printed = capfd.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert lines[0].split() == ["matrix", "value", "product", "library", "us", "time/gossamer"]
    assert len(lines) == 1 + 2 * 2 * 3 * 2
    assert lines[1].startswith("a.mtx   f32    A @ x     gossamer  ")
    rows = rows_of("times.csv")
    assert len(rows) == len(lines) - 1
    assert list(rows[0]) == ["matrix", "nnz", "device", "value", "operation", "library", "us"]
    assert [row["operation"] for row in rows[:6:2]] == ["A @ x", "A.T @ x", "A @ X"]
    assert {(row["matrix"], int(row["nnz"])) for row in rows} == {
        ("a.mtx", random_matrix((30, 20)).nnz),
        ("b.npz", random_matrix((20, 40)).nnz),
    }
    assert {(row["library"], row["device"]) for row in rows} == {("gossamer", "cpu"), ("scipy", "cpu")}
    assert all(float(row["us"]) > 0 for row in rows)
    assert sorted(os.listdir()) == ["a.mtx", "b.npz", "times.csv"]


def test_built_in_matrices(capfd):
    arguments = ["tiny", "grid:3", "--peer=scipy", "--csv", "times.csv", *QUICK]
    assert bench.main(arguments) == 0
    assert {(row["matrix"], row["nnz"]) for row in rows_of("times.csv")} == {("tiny", "30"), ("grid:3", "135")}
    grid = matrices.read("grid:3")
    assert grid.shape == (27, 27) and (grid.diagonal() == 6).all()


def test_solver(capfd):
    assert bench.main(["grid:4", "--peer", "scipy", "--solver", "cg", "--csv", "times.csv", *QUICK]) == 0
    rows = rows_of("times.csv")
    assert [(row["operation"], row["library"]) for row in rows[-2:]] == [("cg", "gossamer"), ("cg", "scipy")]


def test_torch(capfd):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    assert bench.main(["tiny", "--peer", "torch", "--csv", "times.csv", *QUICK]) == 0
    assert capfd.readouterr().err == ""
    rows = rows_of("times.csv")
    names = ["gossamer", "gossamer, torch tensors", "gossamer.torch.matmul", "torch"]
    assert [(row["operation"], row["library"]) for row in rows] == [
        (operation, name) for operation in peers.PRODUCTS for name in names
    ]


@pytest.mark.gpu
@pytest.mark.parametrize("peer", ["cupy", "torch"])
def test_on_a_gpu(peer, capfd):
    pytest.importorskip(peer, reason=f"{peer} is not installed")
    assert bench.main(["tiny", "a.mtx", "--peer", peer, "--device", "cuda", "--csv", "times.csv", *QUICK]) == 0
    assert capfd.readouterr().err == ""
    own = ["gossamer"] if peer == "cupy" else ["gossamer, torch tensors", "gossamer.torch.matmul"]
    assert {row["library"] for row in rows_of("times.csv")} == {*own, peer}


@pytest.mark.gpu
def test_solver_on_a_gpu(capfd):
    pytest.importorskip("cupy", reason="CuPy is not installed")
    arguments = ["grid:8", "--peer", "cupy", "--device", "cuda", "--solver", "cg", "--csv", "times.csv", *QUICK]
    assert bench.main(arguments) == 0
    assert [row["library"] for row in rows_of("times.csv") if row["operation"] == "cg"] == ["gossamer", "cupy"]


def test_installed_peers_are_the_default(capfd, monkeypatch):
    for name in ("torch", "sparse_dot_mkl"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it was not installed
    assert bench.main(["b.npz", "--csv", "times.csv", *QUICK]) == 0
    assert capfd.readouterr().err == ""
    assert {row["library"] for row in rows_of("times.csv")} == {"gossamer", "scipy"}


def test_no_peer(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert bench.main(["b.npz", "--peer", "none", "--csv", "times.csv", *QUICK]) == 0
    assert {row["library"] for row in rows_of("times.csv")} == {"gossamer"}


def test_missing_peers_are_left_out(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "sparse_dot_mkl", None)
    assert bench.main(["tiny", "--peer", "scipy,cupy", "--peer", "sparse_dot_mkl", *QUICK]) == 0
    printed = capfd.readouterr()
    assert "scipy" in printed.out
    assert printed.err.splitlines() == [
        "gossamer bench: sparse_dot_mkl is not installed: it is left out",
        "gossamer bench: cupy does not run on --device cpu: it is left out",
    ]


def test_all_peers_missing(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert error_of(capfd, "tiny", "--peer", "torch") == "gossamer bench: torch is not installed\n"


def test_a_peer_that_fails(capfd, monkeypatch):
    def fail(self, operation, x):
        raise RuntimeError("no kernel\nfor this type")

    monkeypatch.setattr(peers.SciPy, "multiplication", fail)
    assert bench.main(["tiny", "--peer", "scipy", "--csv", "times.csv", *QUICK]) == 0
    printed = capfd.readouterr()
    assert printed.err.splitlines()[0] == "gossamer bench: scipy fails at tiny f64 A @ x: no kernel"
    assert printed.out.count("failed") == 3
    assert {row["library"] for row in rows_of("times.csv")} == {"gossamer"}


def test_a_wrong_product_of_gossamer(capfd, monkeypatch):
    monkeypatch.setattr(peers.GossamerNumPy, "multiplication", lambda self, operation, x: lambda: numpy.zeros(10))
    assert bench.main(["tiny", "--peer", "scipy", *QUICK]) == 1
    assert "gossamer fails at tiny f64 A @ x: " in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["b.npz", "--peer", "scipy,mkl"], "run two commands, with --peer scipy and with --peer mkl"),
        (["b.npz", "--peer", "eigen", "--peer=scipy"], "run two commands, with --peer scipy and with --peer eigen"),
        (["b.npz", "--peer", "cusparse_coo"], "cusparse_coo is timed by the compiled tool, which reads Matrix Market files only"),
        (["b.npz", "--peer", "scypi"], '"scypi" is not one of cupy, scipy, sparse_dot_mkl, torch, all, none'),
        (["b.npz", "--peer"], "--peer: expected one argument"),
        (["--peer", "scipy"], "required: MATRIX"),
        (["missing.npz"], "missing.npz: no such file"),
        (["stencil(nx=9)", "--peer", "scipy"], "a matrix is a file, tiny or grid:N"),
        (["grid:0", "--peer", "scipy"], "grid:0: grid:N needs a number N of 1 or more"),
        ([".", "--peer", "scipy"], ".: the name has to end in .mtx"),
        (["b.npz", "--device", "gpu"], '"gpu" is not cpu or cuda'),
        (["b.npz", "--value", "f64,f16"], '"f16" is not f64 or f32'),
        (["b.npz", "--seconds", "-1"], '"-1" is no number between 0 and 3600'),
        (["b.npz", "--op", "transposed"], "--op is no option with libraries of Python"),
        (["b.npz", "--format=csr"], "--format is no option with libraries of Python"),
        (["b.npz", "--pee", "scipy"], "--pee is no option with libraries of Python"),
        (["b.npz", "--solver", "gmres"], "--solver: invalid choice: 'gmres'"),
        (["b.npz", "--peer", "scipy", "--solver", "cg"], "--solver cg: b.npz is not symmetric"),
        (["b.npz", "--csv", "missing/times.csv"], "--csv missing/times.csv: there is no folder"),
        (["b.npz", "--csv", "b.npz"], "--csv b.npz: this file is a matrix to time"),
        (["b.npz", "--csv", "."], "--csv .: no regular file"),
        (["b.npz", "--csv", "/dev/stdout"], "--csv /dev/stdout: no regular file"),
    ],
)
def test_wrong_arguments(arguments, message, capfd):
    assert message in error_of(capfd, *arguments)


def test_a_solver_needs_a_peer_that_has_one(capfd, monkeypatch):
    monkeypatch.setattr(peers.Torch, "why_absent", classmethod(lambda cls, device: None))
    assert "--solver cg needs the peer scipy" in error_of(capfd, "grid:3", "--peer", "torch", "--solver", "cg")


def test_unreadable_files(capfd):
    with open("c.npz", "w") as file:
        file.write("text")
    with open("c.mtx", "w") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n2 2 1\n5 5 1\n")
    sparse.save_npz("complex.npz", sparse.csr_array(1j * numpy.eye(3)))
    # A second matrix is read before the first one is timed.
    assert "c.npz: this is no .npz file" in error_of(capfd, "b.npz", "c.npz")
    assert "c.mtx:3:1: " in error_of(capfd, "c.mtx", "--peer", "scipy")
    assert "complex.npz: its values are complex128" in error_of(capfd, "complex.npz")


@pytest.mark.skipif(gossamer.cuda_device_count() > 0, reason="there is a GPU")
def test_without_a_gpu(capfd):
    assert "--device cuda: there is no usable GPU" in error_of(capfd, "b.npz", "--device", "cuda:0")


def test_without_scipy(capfd, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "scipy" else find(name))
    assert error_of(capfd, "b.npz") == "gossamer bench: SciPy is needed: pip install scipy\n"


def test_the_file_is_written_at_once(monkeypatch):
    with open("times.csv", "w") as file:
        file.write("old")
    monkeypatch.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        output.write_csv("times.csv", [])
    assert sorted(os.listdir()) == ["a.mtx", "b.npz", "times.csv"]
    assert open("times.csv").read() == "old"


def test_ctrl_c_ends_it():
    code = "import sys; from gossamer.bench import main; sys.exit(main(sys.argv[1:]))"
    arguments = ["tiny", "--peer", "scipy", "--seconds", "0.02", "--csv", "times.csv"]
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); " + code
    # It would take about 20 seconds.
    command = [sys.executable, "-c", code, *arguments, *["tiny"] * 200]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().startswith("matrix")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == -signal.SIGINT
    assert sorted(os.listdir()) == ["a.mtx", "b.npz"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["formats"],
        ["info", "b.npz"],
        ["bench"],
        ["bench", "a.mtx"],
        ["bench", "a.mtx", "--peer", "mkl,eigen", "--json=b.json"],
        ["bench", "a.mtx", "--peer", "unknown"],
        ["bench", "--help"],
    ],
)
def test_other_commands_are_forwarded(arguments, monkeypatch):
    called = []
    monkeypatch.setattr(os, "execv", lambda program, arguments: called.append((program, arguments)))
    monkeypatch.setattr(sys, "argv", ["gossamer", *arguments])
    tool.main()
    program = os.path.join(os.path.dirname(gossamer.__file__), "bin", "gossamer")
    assert called == [(program, [program, *arguments])]


@pytest.mark.parametrize(
    "arguments",
    [
        ["b.npz"],
        ["a.mtx", "c.NPZ", "--peer", "mkl"],
        ["tiny"],
        ["grid:4", "--value", "f32"],
        ["a.mat"],
        ["a.rb"],
        ["a.mtx", "--peer", "scipy"],
        ["a.mtx", "--peer=mkl,torch"],
        ["--peer", "mkl", "--peer", "cupy", "a.mtx"],
    ],
)
def test_python_peers_and_what_only_python_reads_are_not_forwarded(arguments, monkeypatch):
    monkeypatch.setattr(bench, "main", lambda arguments: arguments)
    monkeypatch.setattr(sys, "argv", ["gossamer", "bench", *arguments])
    with pytest.raises(SystemExit) as ended:
        tool.main()
    assert ended.value.code == arguments


def test_importing_the_package_imports_no_peer():
    code = "import gossamer, gossamer.tool, sys; "
    code += "names = {'scipy', 'torch', 'cupy', 'sparse_dot_mkl', 'gossamer.bench', 'argparse'} & set(sys.modules); "
    code += "assert not names, names"
    subprocess.run([sys.executable, "-c", code], check=True)
