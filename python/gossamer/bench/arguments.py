# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of the command, checked before anything is timed."""

import argparse
import contextlib
import importlib.util
import os

from .. import cuda_device_count
from ..tool import PYTHON_PEERS, is_built_in
from . import peers

_COMPILED_PEERS = ("mkl", "cusparse", "eigen", "librsb")  # how names of the compiled tool's peers begin
_DESCRIPTION = """Times G @ x, G.T @ x and G @ X (8 columns) next to SciPy, sparse_dot_mkl, CuPy and PyTorch.

A MATRIX is a file (.mtx, .mtx.gz, .npz, .mat, .rb, .hb, .rua, .rsa), tiny (10 x 10) or grid:N (7 points on a
grid of N x N x N). Each product is compared with SciPy's before it is timed. Times are microseconds for one
product: the median of 9 rounds, in each of which the libraries are timed one after the other. On a GPU the
time of a library in a round ends when the device has finished.

The compiled tool times other libraries, such as MKL and cuSPARSE: gossamer bench --help."""


class UsageError(Exception):
    """Wrong arguments or files."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def parse(command_line):
    parser = _Parser("gossamer bench", description=_DESCRIPTION, allow_abbrev=False,
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("matrices", nargs="+", metavar="MATRIX")
    add("--peer", action="append", metavar="P,P", help="scipy and sparse_dot_mkl on a CPU, cupy on a GPU, torch on "
        "both; all: those that are installed (default); none. May be repeated")
    add("--device", type=_device, default="cpu", metavar="DEVICE", help="cpu (default) or cuda")
    add("--value", action="append", metavar="f64,f32", help="f64 (default), f32 or both, joined by a comma")
    add("--seconds", type=_seconds, default=0.5, metavar="S", help="time of all rounds of one product (default: 0.5)")
    add("--solver", choices=["cg"], help="also time a step of SciPy's or CuPy's cg, by 100 of them, with their matrix "
        "and with gossamer.aslinearoperator(G)")
    add("--csv", metavar="FILE", help="file for the times")
    options, unknown = parser.parse_known_intermixed_args(command_line)
    for argument in unknown:
        raise UsageError(f"{argument.split('=')[0]} is no option with libraries of Python or .npz files, which have "
                         "--peer, --device, --value, --seconds, --solver and --csv")
    options.peer = _names(options.peer or ["all"])
    options.value = _names(options.value or ["f64"])
    return options


def _names(texts):
    """Names joined by commas, each once."""
    return list(dict.fromkeys(name for text in texts for name in text.split(",")))


def _device(text):
    if text in ("cpu", "cuda", "cuda:0"):
        return text.removesuffix(":0")
    hint = "CUDA_VISIBLE_DEVICES selects one of several GPUs"
    raise argparse.ArgumentTypeError(f'"{text}" is not cpu or cuda; {hint}')


def _seconds(text):
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 3600:
            return float(text)
    raise argparse.ArgumentTypeError(f'"{text}" is no number between 0 and 3600')


def check(options):
    """Raises UsageError if something is wrong that can be seen without reading a matrix or importing a peer."""
    for value in options.value:
        if value not in ("f64", "f32"):
            raise UsageError(f'--value "{value}" is not f64 or f32')
    _check_peers(options)
    if importlib.util.find_spec("scipy") is None:
        raise UsageError("SciPy is needed: pip install scipy")
    if options.device == "cuda" and cuda_device_count() == 0:
        raise UsageError("--device cuda: there is no usable GPU, or this build of Gossamer has no CUDA")
    for name in options.matrices:
        if not is_built_in(name) and not os.path.exists(name):
            raise UsageError(f"{name}: no such file; with libraries of Python a matrix is a file, tiny or grid:N")
    if options.csv:
        _check_csv(options)


def _check_peers(options):
    compiled = [name for name in options.peer if name not in PYTHON_PEERS and name.startswith(_COMPILED_PEERS)]
    others = [name for name in options.peer if name not in compiled]
    for name in others:
        if name not in PYTHON_PEERS and name not in ("all", "none"):
            raise UsageError(f'--peer "{name}" is not one of {", ".join(sorted(PYTHON_PEERS))}, all, none')
    if compiled and others:
        raise UsageError(
            f"--peer {','.join(options.peer)} mixes libraries of Python and of the compiled tool; run two commands, "
            f"with --peer {','.join(others)} and with --peer {','.join(compiled)}"
        )
    if compiled:
        raise UsageError(f"--peer {','.join(compiled)} is timed by the compiled tool, which reads Matrix Market files only; "
                         "scipy.io.mmwrite writes them as .mtx")


def _check_csv(options):
    path = os.path.realpath(options.csv)
    folder = os.path.dirname(path)
    is_device = os.path.abspath(options.csv).startswith(("/dev/", "/proc/"))  # or a link to where stdout goes
    if is_device or os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"--csv {options.csv}: no regular file")
    if any(path == os.path.realpath(name) for name in options.matrices):
        raise UsageError(f"--csv {options.csv}: this file is a matrix to time")
    if not os.path.isdir(folder):
        raise UsageError(f"--csv {options.csv}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--csv {options.csv}: the folder {folder} is not writable")


def libraries_of(options, note):
    """The classes to time. A peer that is missing is left out with a note, unless no other one is there."""
    found, absent = _present_peers(options)
    if not found:
        raise UsageError("; ".join(absent) or "--device cuda needs CuPy or PyTorch")
    for reason in absent:
        note(f"{reason}: it is left out")
    if options.solver and not any(peer.has_cg for peer in found):
        raise UsageError(f"--solver cg needs the peer {'scipy' if options.device == 'cpu' else 'cupy'}")
    return peers.gossamer_for(found, options.device) + ([] if options.peer == ["none"] else found)


def _present_peers(options):
    """Those that can be used, and the reasons why others cannot. With `none`, for their arrays."""
    takes_all = "all" in options.peer or options.peer == ["none"]
    found, absent = [], []
    for name, peer in peers.PEERS.items():
        is_named = name in options.peer
        if options.device not in peer.devices:
            if is_named:
                absent.append(f"{name} does not run on --device {options.device}")
        elif is_named or takes_all:
            reason = peer.why_absent(options.device)
            if reason is None:
                found.append(peer)
            elif is_named or not reason.endswith(peers.NOT_INSTALLED):
                absent.append(reason)
    return found, absent
