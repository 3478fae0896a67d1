# SPDX-License-Identifier: BSD-3-Clause
"""What the pages quote from records: one function a figure or table (see scripts/figures).

A file of this folder is a topic. Its functions have the decorator @figure, get strings, and return Markdown.
Records are named from bench/results, and links to them from the top folder: [record](bench/results/h200/…).
"""

import csv
import gzip
import importlib
import json
import pathlib
import pkgutil

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
REGISTRY = {}
PLOTS = {}


class Unknown(Exception):
    """A figure, a format or a column that does not exist."""


def figure(function):
    """Makes `function` callable from a page by its name, with - for _."""
    REGISTRY[function.__name__.replace("_", "-")] = function
    return function


def plot(path):
    """Makes scripts/figures write what the function returns, an SVG picture, to `path`, from the top folder."""
    def add(function):
        PLOTS[path] = function
        return function
    return add


def open_record(name):
    """A record of bench/results as text; a name that ends in .gz is of a gzip file."""
    return (gzip.open if name.endswith(".gz") else open)(RESULTS / name, "rt", newline="", encoding="utf-8")


def read_csv(name):
    """The rows of a record, as dictionaries of strings."""
    with open_record(name) as file:
        return list(csv.DictReader(file))


def read_json(name):
    with open_record(name) as file:
        return json.load(file)


def markdown_table(head, rows):
    """Columns of numbers, or of numbers and a word, are aligned to the right."""
    rows = list(rows)
    columns = [[str(row[i]) for row in rows if row[i] != ""] for i in range(len(head))]
    lines = [head, ["---:" if i and all(cell[:1].isdigit() for cell in columns[i]) else "---" for i in range(len(head))], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
