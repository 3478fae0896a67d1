#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares our Matrix Market reader with SciPy's mmread, on files and on seeded mutations of them.

usage: differential.py READER [--mutations N] [--seed S] [--keep FOLDER] FILE_OR_FOLDER...

READER is the program of reader.cpp. Both readers agree where both refuse, or read the same entries. Any other outcome
must be a difference that docs/guides/reading-files.md lists, and each is checked here by means of its own. A text that only we
read, or read otherwise, is rewritten in SciPy's terms (`rewrite`) and read again. The reason that we give for refusing a
text is looked up in the text (`reasons`). What is left over is unexplained: it is printed, and the exit status is 1.
The exit status is 77 where SciPy is missing.
"""
import argparse
import collections
import io
import multiprocessing
import os
import random
import re
import resource
import struct
import subprocess
import sys

try:
    import numpy as np
    import scipy
    import scipy.io._fast_matrix_market as fast_matrix_market
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)

MEMORY = 3 << 30
PARTS = rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(inf(inity)?|nan(\([a-z0-9_]*\))?)"
NUMBER = re.compile(PARTS, re.IGNORECASE)


# The two readers. An outcome is ("read", shape, rows, columns, values) or ("refused", message).

def bound_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def theirs(text):
    try:
        a = scipy.io.mmread(io.BytesIO(text))
        if isinstance(a, np.ndarray):
            if a.size > 20_000_000:
                return "refused", "memory"
            if a.dtype.kind == "c":
                return "complex", a.shape
            rows, cols = np.indices(a.shape, dtype=np.int32)
            return "read", a.shape, rows.ravel(), cols.ravel(), a.ravel().astype(np.float64)
        if a.data.dtype.kind == "c":
            return "complex", a.shape
        return "read", a.shape, a.row, a.col, a.data.astype(np.float64)
    except MemoryError:
        return "refused", "memory"
    except Exception as problem:
        return "refused", f"{type(problem).__name__}: {problem}"


def serve(connection):
    bound_memory()
    fast_matrix_market.PARALLELISM = 1
    while True:
        connection.send(theirs(connection.recv()))


class Scipy:
    """In a process of its own, because some texts crash it."""

    def __init__(self):
        self.process = None

    def restart(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None

    def read(self, text):
        if self.process is None or not self.process.is_alive():
            self.here, there = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=serve, args=(there,), daemon=True)
            self.process.start()
            there.close()
        try:
            self.here.send(text)
            return self.here.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            self.process = None
            return "refused", "crash"


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=bound_memory)

    def take(self, size):
        data = self.process.stdout.read(size)
        if len(data) != size:
            raise SystemExit("our reader crashed")
        return data

    def read(self, text):
        self.process.stdin.write(struct.pack("<q", len(text)) + text)
        self.process.stdin.flush()
        if self.take(1) == b"\0":
            return "refused", self.take(struct.unpack("<q", self.take(8))[0]).decode("latin1")
        rows, cols, count = struct.unpack("<qqq", self.take(24))
        row, col = (np.frombuffer(self.take(4 * count), np.int32) for _ in range(2))
        return "read", (rows, cols), row, col, np.frombuffer(self.take(8 * count), np.float64)


def same(a, b, dense):
    """Equal entry for entry, the order within the file apart. A dense array of SciPy's has zeros where nothing is stored."""
    if a[1] != b[1]:
        return False
    def ordered(outcome):
        _, _, row, col, val = outcome
        if dense:
            kept = ~((val == 0))
            row, col, val = row[kept], col[kept], val[kept]
        val = np.where(np.isnan(val), np.nan, val) + 0.0
        order = np.lexsort((val, col, row))
        return row[order], col[order], val[order]
    return all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(ordered(a), ordered(b)))


# What we read and SciPy does not, or reads otherwise: the same text in SciPy's terms, and what had to change.

def rewrite(text):
    changes = set()

    def change(name, before, after):
        if before != after:
            changes.add(name)
        return after

    text = change("UTF-8 byte order mark", text, text.removeprefix(b"\xef\xbb\xbf"))
    lines = text.split(b"\n")
    words = []
    for word in lines[0].split():
        if words and word.startswith(b"%"):
            break
        words.append(word)
    words = [w.lower() for w in words[:5]]
    if len(words) == 4:
        words.append(change("symmetry left out", b"", b"general"))
    if len(words) < 5 or words[0] not in (b"%%matrixmarket", b"%matrixmarket"):
        return text, changes
    if lines[0].split()[0] not in (b"%%MatrixMarket", b"%MatrixMarket"):
        changes.add("banner in another case")
    pattern = words[3] == b"pattern"
    whole = words[3] in (b"integer", b"unsigned-integer")
    kept = []
    for line in lines[1:]:
        tokens = re.split(rb"[ \t\r]+", line.strip(b" \t\r"))
        if not kept:
            tokens = change("form feed in the header", tokens, line.split() or [b""])
        comment = next((k for k, t in enumerate(tokens) if t.startswith(b"%")), None)
        if comment is not None:
            if kept or comment > 0:
                changes.add("comment behind the sizes")
            elif line.lstrip(b" \t").startswith(b"\r"):
                changes.add("carriage return before a comment")
            tokens = tokens[:comment]
        if not tokens or tokens == [b""]:
            continue
        tokens = [change("plus sign", t, t[1:]) if re.fullmatch(rb"\+[^-+].*", t) else t for t in tokens]
        if kept and not pattern and tokens:
            value = tokens[-1]
            fortran = re.fullmatch(rb"([-+]?[\d.]+)[dD]([-+]?\d+)", value)
            if fortran:
                value = change("Fortran exponent", value, b"e".join(fortran.groups()))
            if whole and re.fullmatch(rb"[-+]?\d+(\.0*)?", value):
                if not -2**63 <= int(value.split(b".")[0]) < 2**63:
                    changes.add("integer beyond 64 bits")
                if words[3] == b"unsigned-integer" and value.startswith(b"-"):
                    changes.add("unsigned integer with a minus sign")
            tokens[-1] = value
        kept.append(b" ".join(tokens))
    if words[3:] == [b"unsigned-integer", b"skew-symmetric"]:
        changes.add("unsigned integer with a minus sign")
    if changes & {"integer beyond 64 bits", "unsigned integer with a minus sign"}:
        words[3] = b"real"
    if not text.endswith(b"\n"):
        changes.add("no newline at the end")
    if words[1:3] == [b"matrix", b"array"] and kept and kept[0].startswith(b"0 "):
        changes.add("array without rows")
        words[2] = b"coordinate"
        kept[0] += b" 0"
    words[0] = b"%%MatrixMarket"
    return b"\n".join([b" ".join(words)] + kept) + b"\n", changes


# What SciPy reads and we refuse: our reason, and a look into the text whether it is true.

def number_starts(word):
    found = re.match(PARTS[:PARTS.index(b"|[-+]?(inf")] + rb"|-?(inf|nan)", word, re.IGNORECASE)
    return found is not None and not NUMBER.fullmatch(word)


class Text:
    def __init__(self, text, message):
        place = re.match(r"\w+ f:(\d+):(\d+): ", message)
        self.lines = text.split(b"\n")
        self.line, self.column = int(place[1]), int(place[2])
        row = self.lines[self.line - 1] if self.line <= len(self.lines) else b""
        self.words = re.split(rb"[ \t\r]+", row.strip(b" \t\r"))
        self.rest = re.split(rb"[ \t\r]", row[self.column - 1:])[0]
        self.banner = [w.lower() for w in self.lines[0].split()[:5]] + 5 * [b""]

    def entry(self, line):
        return [int(w) for w in self.lines[line - 1].split()[:2]]

    def wanted(self):
        return (0 if self.banner[2] == b"array" else 2) + (self.banner[3] != b"pattern")


def both_triangles(t, m):
    return t.entry(t.line) == t.entry(int(re.search(r"line (\d+) has", m)[1]))[::-1]


def nonzero_on_diagonal(t, _):
    row, col = t.entry(t.line)
    return row == col and not re.fullmatch(rb"[-+]?[0.]+([eEdD].*)?", t.rest)


def value_starts_as_number(t, _):
    return number_starts(t.rest) or (b"integer" in t.banner[3] and re.match(rb"-?\d", t.rest))


def words_left(t, _):
    return len(t.words) > t.wanted() and not t.rest.startswith(b"%")


def array(*symmetries):
    return lambda t, m: t.banner[2] == b"array" and t.banner[4] in symmetries


reasons = [
    ("complex values", "complex matrices are not supported", lambda t, m: t.banner[3] == b"complex"),
    ("dimension beyond 2^31 - 1", "more than 2\\^31 - 1", lambda t, m: int(t.rest) >= 2**31),
    ("entry given in both triangles", "given in both triangles", both_triangles),
    ("skew-symmetric with a diagonal", "the diagonal of a skew-symmetric matrix must be zero", nonzero_on_diagonal),
    ("skew-symmetric pattern", "a pattern cannot be skew", lambda t, m: t.banner[3:5] == [b"pattern", b"skew-symmetric"]),
    ("symmetric and not square", "must be square", lambda t, m: t.words[0] != t.words[1]),
    ("words behind the entry", "unexpected .* after the (entry|value)", words_left),
    ("word that only starts as a number", "the value is not (a number|an integer)", value_starts_as_number),
    ("index that only starts as a number", "index is not an integer", lambda t, m: re.match(rb"\d+[^\d]", t.rest)),
    ("value out of range", "the value is out of range",
     lambda t, m: abs(float(re.sub(rb"[dD]", b"e", t.rest))) == float("inf")),
    ("symmetric array with values missing", "fewer entries than promised",
     array(b"symmetric", b"skew-symmetric", b"hermitian")),
    ("array without rows but with values", "more entries than promised: 0$", array(b"general", b"")),
    ("skew-symmetric array with a value too many", "more entries than promised", array(b"skew-symmetric")),
]


def classify(text, ours, scipy_reader):
    """Returns whether they agree, and how: the class of the difference, or None where there is no explanation."""
    a, b = ours.read(text), scipy_reader.read(text)
    dense = re.match(rb"\S+\s+\S+\s+array", text.lstrip(), re.IGNORECASE) is not None
    if a[0] == "read" and b[0] == "read" and same(a, b, dense):
        return True, "both read the same"
    if a[0] == "refused" and b[0] == "refused":
        if a[1].startswith("foreign"):
            return False, None
        return True, "both refuse" if b[1] != "crash" else "we refuse, SciPy crashes"
    if "memory" in (a[1], b[1]) or (a[0] == "refused" and a[1].startswith("out_of_memory")):
        return False, "memory of one reader"
    if a[0] == "read":
        again, changes = rewrite(text)
        b = scipy_reader.read(again)
        if changes and b[0] == "read" and same(a, b, dense):
            return False, "read by us: " + ", ".join(sorted(changes))
        return False, None
    looked_at = Text(text, a[1])
    for name, pattern, true in reasons:
        if re.search(pattern, a[1]):
            return False, f"refused by us: {name}" if true(looked_at, a[1]) else None
    return False, None


# Mutations: each takes the text and a source of random numbers.

WORDS = (rb"+1 -1 0 -0 1e400 1e-400 1.5D3 1.5d+03 1.5+3 nan NaN inf -Infinity 0x1F 1_0 1, 1e 2.0 2.5 .5 5. . 00 007 "
         rb"9223372036854775808 99999999999999999999 2147483648 % %x 1% ' i 1.#INF nan(1)").split()
LINES = [b"", b"%", b"% a comment", b" \t", b"\f", b"1 1 1", b"1 1", b"0", b"  1   1   1  ", b"1 1 1 %", b"\r"]
BANNER = (b"%%MatrixMarket %MatrixMarket %%matrixmarket %%%MatrixMarket matrix vector coordinate array real double float "
          b"integer unsigned-integer complex pattern general symmetric skew-symmetric hermitian Symmetric skew % "
          b"extra").split()
SPACES = [b"", b" ", b"  ", b"\t", b"\r", b"\v", b"\f", b"\xa0", b"\n"]


def at_line(text, random, edit, first=0):
    lines = text.split(b"\n")
    k = random.randrange(min(first, len(lines) - 1), len(lines))
    edit(lines, k)
    return b"\n".join(lines)


def edit_words(text, random, edit, line=None):
    lines = text.split(b"\n")
    k = random.randrange(len(lines)) if line is None else line(lines)
    words = lines[k].split(b" ")
    edit(words, random.randrange(len(words)))
    lines[k] = b" ".join(words)
    return b"\n".join(lines)


def size_line(lines):
    return next((k for k, l in enumerate(lines) if k and l.strip() and not l.strip().startswith(b"%")), 0)


def flip(t, r):
    k = r.randrange(len(t) + 1)
    return t[:k] + bytes([r.choice((r.randrange(256), r.choice(b"0123456789 .-+eE%\n\r\t\0")))]) + t[k + 1:]


def insert(t, r):
    k = r.randrange(len(t) + 1)
    return t[:k] + r.choice(WORDS + SPACES + [bytes([r.randrange(256)])]) + t[k:]


def delete(t, r):
    k = r.randrange(len(t) + 1)
    return t[:k] + t[k + r.choice((1, 1, 1, 2, 8)):]


def space(t, r):
    places = [m.start() for m in re.finditer(rb"\s", t[:4000])] or [0]
    k = r.choice(places)
    return t[:k] + r.choice(SPACES) + (t[k:] if r.random() < 0.5 else t[k + 1:])


def set_word(choices):
    def edit(words, k, r):
        words[k] = r.choice(choices)
    return edit


def count(t, r):
    def edit(words, k):
        if re.fullmatch(rb"\d+", words[k]):
            words[k] = b"%d" % max(0, r.choice((int(words[k]) + 1, int(words[k]) - 1, 0, 1, int(words[k]) * 2)))
    return edit_words(t, r, edit, size_line)


def swap_words(words, k):
    words[k], words[0] = words[0], words[k]


def move_line(lines, k, r):
    j = r.randrange(len(lines))
    lines[k], lines[j] = lines[j], lines[k]


MUTATIONS = [
    flip, flip, insert, insert, delete, space, space, count, count,
    lambda t, r: edit_words(t, r, lambda w, k: set_word(WORDS)(w, k, r)),
    lambda t, r: edit_words(t, r, lambda w, k: set_word(WORDS)(w, k, r)),
    lambda t, r: edit_words(t, r, lambda w, k: w.insert(k, r.choice(WORDS))),
    lambda t, r: edit_words(t, r, swap_words),
    lambda t, r: edit_words(t, r, lambda w, k: w.pop(k)),
    lambda t, r: edit_words(t, r, lambda w, k: set_word(BANNER)(w, k, r), lambda lines: 0),
    lambda t, r: edit_words(t, r, lambda w, k: w.insert(k, r.choice(BANNER)), lambda lines: 0),
    lambda t, r: t[:60].swapcase() + t[60:],
    lambda t, r: at_line(t, r, lambda l, k: move_line(l, k, r)),
    lambda t, r: at_line(t, r, lambda l, k: move_line(l, k, r), 2),
    lambda t, r: at_line(t, r, lambda l, k: l.insert(k, l[k])),
    lambda t, r: at_line(t, r, lambda l, k: l.pop(k)),
    lambda t, r: at_line(t, r, lambda l, k: l.insert(k, r.choice(LINES))),
    lambda t, r: at_line(t, r, lambda l, k: l.insert(k, r.choice(LINES)), 2),
    lambda t, r: t[:r.randrange(len(t) + 1)],
    lambda t, r: t.replace(b"\n", r.choice((b"\r\n", b"\n\n", b" \n", b"\n ", b"\r"))),
    lambda t, r: t.rstrip(b"\n"),
]


def shorten(text, most=40):
    """The first entries of a large file, with counts that fit, so that a mutation meets what it changes."""
    lines = text.split(b"\n")
    k = size_line(lines)
    words = lines[k].split()
    if len(text) < 4000 or len(words) != 3:
        return text if len(text) < 20000 else text[:4000]
    body = [l for l in lines[k + 1:k + 1 + most] if l.strip()]
    return b"\n".join(lines[:k] + [b" ".join(words[:2] + [b"%d" % len(body)])] + body) + b"\n"


def files_in(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from files_in(sorted(os.path.join(path, name) for name in os.listdir(path)))
        elif path.endswith((".mtx", ".mm")):
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reader")
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for texts without an explanation")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    if tuple(int(n) for n in scipy.__version__.split(".")[:2]) < (1, 12):
        print(f"skipped: SciPy {scipy.__version__} has another reader")
        return 77
    ours, scipy_reader = Ours(options.reader), Scipy()
    unexplained = 0

    def check(text, where, outcomes):
        nonlocal unexplained
        agree, outcome = classify(text, ours, scipy_reader)
        if outcome is None:  # some texts have SciPy write where it must not, which later ones suffer from
            scipy_reader.restart()
            agree, outcome = classify(text, ours, scipy_reader)
        outcomes[("" if agree else "differ: ") + (outcome or "unexplained")] += 1
        if outcome is None:
            unexplained += 1
            if options.keep:
                with open(os.path.join(options.keep, f"{unexplained}.mtx"), "wb") as file:
                    file.write(text)
            if unexplained <= 40:
                print(f"unexplained: {where}: ours {ours.read(text)[:2]}, SciPy {scipy_reader.read(text)[:2]}", flush=True)

    def report(title, outcomes):
        print(f"{title}: {sum(outcomes.values())}")
        for outcome, times in sorted(outcomes.items(), key=lambda item: (item[0].startswith("differ"), -item[1])):
            print(f"{times:8} {outcome}")

    seeds = []
    outcomes = collections.Counter()
    for path in files_in(options.paths):
        with open(path, "rb") as file:
            text = file.read()
        check(text, path, outcomes)
        seeds.append((path, shorten(text)))
    report("files", outcomes)
    outcomes = collections.Counter()
    for k in range(options.mutations):
        source = random.Random(f"{options.seed} {k}")
        path, text = seeds[k % len(seeds)]
        for _ in range(source.choice((1, 1, 1, 1, 2, 3))):
            text = source.choice(MUTATIONS)(text, source)
        check(text, f"{path}, mutation {k}", outcomes)
    report(f"mutations of seed {options.seed}", outcomes)
    print(f"SciPy {scipy.__version__}; {unexplained} unexplained")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
