# SPDX-License-Identifier: BSD-3-Clause
"""The records in bench/results: their size, who quotes them, how they are made again, and their commits on pages.

A record is a JSON document, a CSV file or a text file, with or without .gz. A document's table .md belongs to it.
"""

import fnmatch
import gzip
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 8_000_000
ENDING = re.compile(r"\.(?:json|csv|txt|md)(?:\.gz)?$")
LINK = re.compile(r"\]\((?:\.\./)*bench/results/([^()#\s]+)\)")
TARGET = re.compile(r"\]\([^()\s]*\)")
COMMIT = re.compile(r"(?<![\w.])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}(?![\w.]*\w)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.?!])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z*`\[])")


def shortened(name):
    return ENDING.sub("", name)


def files(top):
    """Names of all files in bench/results, from there."""
    results = top / "bench/results"
    return sorted(file.relative_to(results).as_posix() for file in results.rglob("*") if file.is_file())


def size(top):
    return sum((top / "bench/results" / name).stat().st_size for name in files(top))


def uncompressed_documents(top):
    """Documents of experiments may still be plain JSON."""
    return [name for name in files(top) if name.endswith(".json") and "/experiments/" not in name]


def texts(top):
    """Name and text of what may quote a record: pages, scripts and sources."""
    for folder in ("docs", "bench", "scripts", "src"):
        for place, folders, names in os.walk(top / folder):
            folders[:] = sorted(each for each in folders if each not in ("results", "build", "__pycache__"))
            for name in sorted(names):
                file = pathlib.Path(place) / name
                if file.suffix in (".md", ".py", ".json", ".cpp", ".hpp", ".txt", "") and file != top / "bench/README.md":
                    yield file.relative_to(top).as_posix(), file.read_text(encoding="utf-8", errors="ignore")
    for name in ("README.md", "CHANGELOG.md"):
        if (top / name).is_file():
            yield name, (top / name).read_text(encoding="utf-8")


def unquoted(top):
    """Records that nothing names with their folder. Those of experiments may be named without it."""
    everything = "\n".join(text for _, text in texts(top))
    wrong = []
    for record in sorted({shortened(name) for name in files(top)}):
        folder, experiments, name = record.rpartition("/experiments/")
        # A picture in docs/figures is made of the document of its name, and is a quotation too.
        ending = r"(?![\w-])" if experiments else r"\.(?:json|csv|txt|md)\b"
        if not re.search(rf"(?<![\w-]){re.escape(name)}{ending}", everything):
            wrong.append(record)
    return wrong


def patterns(top):
    """The patterns in the first column of the table of commands in bench/README.md."""
    text = (top / "bench/README.md").read_text(encoding="utf-8")
    rows = text.partition("| records |")[2].splitlines()[2:]
    found = []
    for row in rows:
        if not row.startswith("|"):
            break
        found += re.findall(r"`([^`]+)`", row.split("|")[1])
    return found


def uncovered(top):
    """Files without a row in bench/README.md, and rows without a file."""
    asked, names = patterns(top), [name for name in files(top) if not name.endswith(".md")]
    wrong = [name for name in names if not any(fnmatch.fnmatchcase(name, pattern) for pattern in asked)]
    return wrong + [f"{pattern}: no such record" for pattern in asked if not fnmatch.filter(names, pattern)]


def commits(top):
    """Each document's commit, by its name without endings. A build with changes is named COMMIT-dirty."""
    found = {}
    for name in files(top):
        if name.endswith((".json", ".json.gz")):
            with (gzip.open if name.endswith(".gz") else open)(top / "bench/results" / name, "rt", encoding="utf-8") as file:
                found[shortened(name)] = json.load(file)["commit"].partition("-")[0]
    return found


def same(one, other):
    """Of two abbreviations of any length."""
    return one.startswith(other) or other.startswith(one)


def statements(text):
    """Sentences and cells of tables, each with the number of its first line."""
    text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    block, start = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.startswith("|"):
            yield from ((number, cell) for cell in line.split("|"))
        elif not line.strip() or re.match(r"\s*[-*] ", line):
            if block:
                yield from ((start, sentence) for sentence in SENTENCE_END.split("\n".join(block)))
            block, start = ([line], number) if line.strip() else ([], number + 1)
        else:
            start = number if not block else start
            block.append(line)


def other_commits(top):
    """Statements that link a document and name commits, but not the document's."""
    own, wrong = commits(top), []
    pages = [top / "README.md", *sorted((top / "docs").rglob("*.md"))]
    for page in pages:
        for line, statement in statements(page.read_text(encoding="utf-8")):
            named = COMMIT.findall(TARGET.sub("]", statement))
            for link in LINK.findall(statement):
                commit = own.get(shortened(link))
                # COMMIT does not find a commit without a letter, such as 7667391.
                if named and commit and not re.search(rf"\b{commit[:7]}", statement) and not any(same(commit, each) for each in named):
                    wrong.append(f"{page.relative_to(top)}:{line}: {link} is of {commit}, not of {', '.join(named)}")
    return wrong


class records(unittest.TestCase):
    def test_are_small(self):
        self.assertLessEqual(size(TOP), MOST_BYTES)

    def test_documents_are_compressed(self):
        self.assertEqual(uncompressed_documents(TOP), [])

    def test_compressed_files_have_no_name_and_time(self):
        for name in files(TOP):
            if name.endswith(".gz") and "/experiments/" not in name:
                head = (TOP / "bench/results" / name).read_bytes()[:8]
                self.assertEqual(head[3:], bytes(5), f"{name}: compress it with gzip -9 -n")

    def test_are_quoted(self):
        self.assertEqual(unquoted(TOP), [])

    def test_have_a_row_in_the_table_of_commands(self):
        self.assertEqual(uncovered(TOP), [])

    def test_pages_name_their_commits(self):
        self.assertEqual(other_commits(TOP), [])


class statements_of_pages(unittest.TestCase):
    def test_are_sentences_and_cells(self):
        text = "One of 1.5 ms\nand more. Two (e.g. this).\n\n- three\n- four\n\n| a | b |\n```\nfive\n```\nSix"
        self.assertEqual([(line, part.strip()) for line, part in statements(text) if part.strip()],
                         [(1, "One of 1.5 ms\nand more."), (1, "Two (e.g. this)."), (4, "- three"), (5, "- four"), (7, "a"), (7, "b"), (11, "Six")])

    def test_commits_have_letters_and_digits(self):
        self.assertEqual(COMMIT.findall("0089a9f, `d261e67`: 1234567 effaced d261e6 abcdef0.csv (7b691b6)."), ["0089a9f", "d261e67", "7b691b6"])


class seeded_errors(unittest.TestCase):
    """A small copy without errors, into which each test puts one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name in ("bench/README.md", "bench/results/h200/packed.json.gz", "bench/results/h200/packed.md", "bench/results/h200/choice.csv"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, self.top / name)
        self.readme = self.top / "bench/README.md"
        self.readme.write_text("| records | made again by |\n|---|---|\n| `h200/packed.*`, `h200/ch*.csv` | a command |\n", encoding="utf-8")
        (self.top / "docs").mkdir()
        (self.top / "README.md").write_text("Figures.\n", encoding="utf-8")
        self.page = self.top / "docs/page.md"
        self.page.write_text("At 0089a9f 1.8 times as\nfast ([record](../bench/results/h200/packed.md)).\n\n[Choice](../bench/results/h200/choice.csv).\n",
                             encoding="utf-8")

    def change(self, old, new):
        text = self.page.read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new), encoding="utf-8")

    def test_none_before(self):
        self.assertEqual((uncompressed_documents(self.top), unquoted(self.top), uncovered(self.top), other_commits(self.top)), ([], [], [], []))

    def test_a_wrong_commit(self):
        self.change("0089a9f", "7b691b6")
        self.assertEqual(other_commits(self.top), ["docs/page.md:1: h200/packed.md is of 0089a9f, not of 7b691b6"])

    def test_a_wrong_commit_in_a_cell(self):
        self.page.write_text("| 1.8 | [record](../bench/results/h200/packed.md), d261e67 |\n", encoding="utf-8")
        self.assertEqual(len(other_commits(self.top)), 1)

    def test_a_record_that_nothing_quotes(self):
        self.change("[Choice](../bench/results/h200/choice.csv)", "None")
        self.assertEqual(unquoted(self.top), ["h200/choice"])

    def test_a_record_without_a_command(self):
        shutil.copy(self.top / "bench/results/h200/choice.csv", self.top / "bench/results/h200/other.csv")
        self.assertEqual(uncovered(self.top), ["h200/other.csv"])

    def test_a_command_without_a_record(self):
        (self.top / "bench/results/h200/choice.csv").unlink()
        self.assertEqual(uncovered(self.top), ["h200/ch*.csv: no such record"])

    def test_a_document_that_is_not_compressed(self):
        (self.top / "bench/results/h200/other.json").write_text("{}", encoding="utf-8")
        self.assertEqual(uncompressed_documents(self.top), ["h200/other.json"])

    def test_too_large(self):
        before = size(self.top)
        (self.top / "bench/results/h200/large.csv").write_bytes(bytes(MOST_BYTES))
        self.assertEqual(size(self.top), before + MOST_BYTES)


if __name__ == "__main__":
    unittest.main()
