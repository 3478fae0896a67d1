# SPDX-License-Identifier: BSD-3-Clause
"""Commits that pages and records name: each one is in the history of this repository."""

import bisect
import gzip
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
HASH = re.compile(r"(?<![\w/.#-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])(?!0b[01]+\b)[0-9a-f]{7,12}(?![\w-])")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
OTHERS = {
    "docs/notes/reported-faults.md": {  # of PETSc
        "292e5970be68", "976452c91c9a", "a3156c1c25e8", "e50466ce0048", "02d673b98a02", "fb3c7e2dd4f", "cf8ba2650161"},
    "bench/README.md": {"44901fc"},  # says that it is absent
}


def git(*arguments, top=TOP):
    """What a command of Git prints; None without Git or a repository."""
    try:
        found = subprocess.run(["git", "-C", str(top), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def history():
    """All commits in order of their names, or why there is no answer."""
    if pathlib.Path(git("rev-parse", "--show-toplevel") or "/").resolve() != TOP:
        return None, "this folder is no clone of the repository"
    if git("rev-parse", "--is-shallow-repository") != "false":
        return None, "the clone is shallow"
    return sorted(git("rev-list", "HEAD").split()), None


def known(commit, commits):
    place = bisect.bisect_left(commits, commit)
    return place < len(commits) and commits[place].startswith(commit)


def hashes(text):
    """Line numbers and words of 7 to 12 hexadecimal digits with a digit and a letter, outside code blocks."""
    text = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [(text.count("\n", 0, match.start()) + 1, match[0]) for match in HASH.finditer(text)]


def pages(top):
    return [top / "README.md", top / "bench/README.md", *sorted((top / "docs").rglob("*.md"))]


def unknown_in_pages(top, commits):
    wrong = []
    for page in pages(top):
        name = page.relative_to(top).as_posix()
        wrong += [f"{name}:{line}: {word} is no commit" for line, word in hashes(page.read_text(encoding="utf-8"))
                  if word not in OTHERS.get(name, ()) and not known(word, commits)]
    return wrong


def unknown_in_records(top, commits):
    """Documents of an absent commit or of a build with changes, unless bench/README.md names both in one line."""
    lines = (top / "bench/README.md").read_text(encoding="utf-8").splitlines()
    wrong = []
    for file in sorted((top / "bench/results").rglob("*.json*")):
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as opened:
            commit = json.load(opened)["commit"]
        own = known(commit, commits) or any(f"`{commit}`" in line and file.name.split(".")[0] in line for line in lines)
        if not own:
            wrong.append(f"{file.relative_to(top).as_posix()}: {commit} is no commit, and bench/README.md does not say so")
    return wrong


class Commits(unittest.TestCase):
    def setUp(self):
        self.commits, why = history()
        if why:
            print(f"commits: {why}")
            self.skipTest(why)

    def test_of_pages_are_in_the_history(self):
        self.assertEqual(unknown_in_pages(TOP, self.commits), [])

    def test_of_records_are_in_the_history(self):
        self.assertEqual(unknown_in_records(TOP, self.commits), [])


class Words(unittest.TestCase):
    def test_hashes_have_a_digit_and_a_letter(self):
        text = "At 2853ba4a, `d261e67`:\n1234567 effaced abc1 0x1234abcd a/2853ba4b 2853ba4c.csv (7b691b6) 0b101001.\n```\n2853ba4d\n```\n"
        self.assertEqual(hashes(text), [(1, "2853ba4a"), (1, "d261e67"), (2, "2853ba4c"), (2, "7b691b6")])

    def test_an_abbreviation_is_known(self):
        commits = sorted(["2853ba4a" + "0" * 32, "d261e67f" + "0" * 32])
        self.assertTrue(known("2853ba4", commits) and known("d261e67f", commits))
        self.assertFalse(known("2853ba5", commits) or known("fffffff1", commits) or known("d261e67e", commits))

    def test_wrong_ones_are_reported(self):
        commits = ["2853ba4a" + "0" * 32]
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "docs").mkdir()
            (top / "bench/results").mkdir(parents=True)
            (top / "README.md").write_text("Measured at 2853ba4.\n", encoding="utf-8")
            (top / "docs/page.md").write_text("One.\nAt 2853ba5.\n", encoding="utf-8")
            (top / "bench/README.md").write_text("`changed.json`: `2853ba4-dirty`\n", encoding="utf-8")
            for name, commit in (("good", "2853ba4"), ("wrong", "2853ba5"), ("changed", "2853ba4-dirty"), ("other", "2853ba4-dirty")):
                (top / f"bench/results/{name}.json").write_text(json.dumps({"commit": commit}), encoding="utf-8")
            self.assertEqual(unknown_in_pages(top, commits), ["docs/page.md:2: 2853ba5 is no commit"])
            self.assertEqual([line.split(":")[0] for line in unknown_in_records(top, commits)],
                             ["bench/results/other.json", "bench/results/wrong.json"])


if __name__ == "__main__":
    unittest.main()
