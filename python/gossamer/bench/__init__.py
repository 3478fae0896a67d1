# SPDX-License-Identifier: BSD-3-Clause
"""`gossamer bench` with libraries of Python: times G @ x, G.T @ x and G @ X next to theirs."""

import os
import signal
import sys
import warnings

from ..errors import Error
from . import arguments, matrices, output, peers, rounds

_FAILED_RUNS = {"out_of_memory", "device_error", "overlap", "cancelled", "busy"}  # others: wrong arguments


def main(command_line):
    """Runs the command. Returns its exit status: 2 for wrong arguments or files, 1 if something else fails."""
    progress = output.Progress()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for example that torch's CSR is in beta
            return _run(arguments.parse(command_line), progress)
    except KeyboardInterrupt:
        progress.clear()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    except BrokenPipeError:  # `gossamer bench ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except arguments.UsageError as error:
        status, reason = 2, str(error)
    except Error as error:
        status, reason = 1 if error.code in _FAILED_RUNS else 2, str(error)
    except MemoryError:
        status, reason = 1, "out of memory"
    except Exception as error:
        status, reason = 1, f"{type(error).__name__}: {error}"
    progress.note(" ".join(reason.split()))
    return status


def _run(options, progress):
    arguments.check(options)
    libraries = arguments.libraries_of(options, progress.note)
    if len(options.matrices) > 1:
        for name in options.matrices:  # errors come before anything is timed
            matrices.read(name, options.solver)
    operations = [*peers.PRODUCTS, *([peers.CG] if options.solver else [])]
    timed = sum(library.does(operation) for library in libraries for operation in operations)
    progress.total = timed * options.seconds * len(options.matrices) * len(options.value)
    table = output.Table(options, libraries, progress.print)
    for name in options.matrices:
        A = matrices.read(name, options.solver)
        for value in options.value:
            case = peers.Case(A.astype("float64" if value == "f64" else "float32", copy=False), options.device)
            made = [library(case) for library in libraries]
            for operation in operations:
                progress.label = f"{table.title(name)} {value} {operation}"
                times = rounds.measure(case, operation, made, options.seconds, progress)
                table.add(name, value, A.nnz, operation, times)
    if options.csv:
        output.write_csv(options.csv, table.rows)
    return 1 if table.gossamer_failed else 0
