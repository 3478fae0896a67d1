# SPDX-License-Identifier: BSD-3-Clause
"""What the command prints and writes."""

import contextlib
import csv
import os
import sys
import time

_ERASE_LINE = "\r\033[K"


class Progress:
    """A line on stderr, drawn over itself and erased at the end. Only on a terminal."""

    def __init__(self):
        self.is_visible = sys.stderr.isatty()
        self.begin = time.monotonic()
        self.next = self.begin + 0.3  # a short run shows no line
        self.is_drawn = False
        self.label = ""
        self.total = self.done = 0.0  # seconds of timing

    def advance(self, seconds):
        self.done += seconds
        now = time.monotonic()
        if not self.is_visible or now < self.next:
            return
        self.next, self.is_drawn = now + 0.1, True
        part = min(self.done / self.total, 1) if self.total > 0 else 1
        left = f"{_duration((now - self.begin) * (1 / part - 1))} left" if part > 0 else ""
        bar = "#" * int(20 * part)
        print(f"{_ERASE_LINE}{self.label:.50}  [{bar:20}]  {left}", end="", file=sys.stderr, flush=True)

    def clear(self):
        if self.is_drawn:
            print(_ERASE_LINE, end="", file=sys.stderr, flush=True)
        self.is_drawn = False

    def print(self, line):
        """To stdout."""
        self.clear()
        print(line, flush=True)

    def note(self, text):
        """A line to stderr."""
        self.clear()
        print(f"gossamer bench: {text}", file=sys.stderr, flush=True)


def _duration(seconds):
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Table:
    """Prints rows as they are measured, and keeps those of the CSV file."""

    def __init__(self, options, libraries, print_line):
        self.device, self.print_line = options.device, print_line
        self.width = max(len("matrix"), *(len(self.title(name)) for name in options.matrices))
        self.library_width = max(len(library.name) for library in libraries)
        self.is_begun = self.gossamer_failed = False
        self.rows = []

    @staticmethod
    def title(name):
        return os.path.basename(name)

    def add(self, name, value, nnz, operation, times):
        """The times of one operation: (library, seconds or None) of each."""
        if not self.is_begun:
            self._print_row("matrix", "value", "product", "library", "us", "time/gossamer")
        self.is_begun = True
        seconds_of = {library.name: seconds for library, seconds in times}
        for library, seconds in times:
            cells = (self.title(name), value, operation, library.name)
            if seconds is None:
                self.gossamer_failed = self.gossamer_failed or library.is_gossamer
                self._print_row(*cells, "failed", "")
                continue
            us = 1e6 * seconds
            baseline = None if library.is_gossamer else seconds_of.get(library.baseline)
            self._print_row(*cells, f"{us:.2f}", f"{seconds / baseline:.2f}" if baseline else "")
            self.rows.append((self.title(name), nnz, self.device, value, operation, library.name, f"{us:.3f}"))

    def _print_row(self, matrix, value, operation, library, us, ratio):
        row = f"{matrix:{self.width}}  {value:5}  {operation:8}  {library:{self.library_width}}  {us:>12}  {ratio:>13}"
        self.print_line(row.rstrip())


def write_csv(path, rows):
    """The file appears complete or not at all."""
    path = os.path.realpath(path)
    unfinished = f"{path}.{os.getpid()}.unfinished"
    try:
        with open(unfinished, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["matrix", "nnz", "device", "value", "operation", "library", "us"])
            writer.writerows(rows)
        os.replace(unfinished, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)
