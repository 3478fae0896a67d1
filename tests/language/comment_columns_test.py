#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports comments that go on beyond column 110 in C++, CUDA, CMake, Python and shell sources. Usage: ... SOURCE_TREE"""
import io
import re
import sys
import tokenize

import sources

LIMIT = 110
# A line with one word that is too long, such as an address, cannot be broken.
UNBREAKABLE = re.compile(r"^\s*(//[/!]?<?|#)?\s*(- )?\S+$")


def comment_of(line, cpp):
    """Where a comment begins in the line, or -1. Quotes are looked at one line at a time: a raw string may be taken for a comment."""
    marker = "//" if cpp else "#"
    quote = None
    at = 0
    while at < len(line):
        if quote:
            if line[at] == "\\":
                at += 1
            elif line[at] == quote:
                quote = None
        elif line[at] == '"' or (line[at] == "'" and not (cpp and at > 0 and line[at - 1].isalnum())):
            quote = line[at]
        elif line.startswith(marker, at) and (cpp or at == 0 or line[at - 1].isspace()):
            return at
        at += 1
    return -1


def python_comments(text):
    """The column in which the comment of a line begins, by line number."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0]: token.start[1] for token in tokens if token.type == tokenize.COMMENT}


def too_long(text, cpp, python=False):
    comments = python_comments(text) if python else {}
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= LIMIT or line.startswith("#!"):
            continue
        begin = comments.get(number, -1) if python else comment_of(line, cpp)
        if begin < 0 or UNBREAKABLE.match(line[begin:]):
            continue
        if not cpp and begin > 0 and begin >= LIMIT:
            continue  # code that is too long itself
        yield number, len(line)


def check_itself():
    word = "word " * 30
    text = f'// {word}\nf("// {word}");\nx = 1\'000; // {word}\n// http://{"x" * 120}\n'
    found = [number for number, _ in too_long(text, True)]
    if found != [1, 3] or list(too_long(f"'# {word}'\n", False)):
        raise SystemExit(f"the check is wrong: {found}")
    text = f"x = \"\"\"it's 'one\n# {word}\"\"\"\ny = 1  # {word}\n"
    found = [number for number, _ in too_long(text, False, python=True)]
    if found != [3]:
        raise SystemExit(f"the check of Python is wrong: {found}")


def main():
    check_itself()
    root = sys.argv[1]
    wrong = 0
    for name in sources.files(root):
        cpp = sources.CPP.search(name) is not None
        if not cpp and not (sources.CMAKE.search(name) or sources.PYTHON.search(name) or sources.SHELL.search(name)):
            continue
        text = sources.read(root, name)
        python = sources.PYTHON.search(name) is not None or text.startswith("#!/usr/bin/env python3\n")
        for number, length in too_long(text, cpp, python):
            wrong += 1
            if wrong <= 20:
                print(f"{name}:{number}: a comment ends in column {length}, not {LIMIT} or before")
    if wrong > 20:
        print(f"and {wrong - 20} more")
    print(f"{wrong} comments are too long")
    sys.exit(1 if wrong else 0)


main()
