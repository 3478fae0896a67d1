# SPDX-License-Identifier: BSD-3-Clause
"""scripts/figures on a small copy of the project: it writes what records have, and finds wrong figures."""

import gzip
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TOPIC = '''
from . import figure, plot, read_csv

@figure
def total():
    return str(sum(int(row["n"]) for row in read_csv("a.csv")))

@figure
def rows_of(name):
    return "| n |\\n|---|\\n" + "\\n".join(f"| {row['n']} |" for row in read_csv(name)) + "\\n\\n[record](bench/results/a.csv)"

@plot("docs/images/a.svg")
def draw():
    return "<svg>" + total() + "</svg>"
'''


class figures_of_pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.top = pathlib.Path(self.folder.name)
        for folder in ("scripts", "bench/figures", "bench/results", "docs/formats"):
            (self.top / folder).mkdir(parents=True)
        shutil.copy(TOP / "scripts/figures", self.top / "scripts/figures")
        shutil.copy(TOP / "bench/figures/__init__.py", self.top / "bench/figures/__init__.py")
        (self.top / "bench/figures/topic.py").write_text(TOPIC)
        (self.top / "bench/results/a.csv").write_text("n\n1\n2\n")
        (self.top / "README.md").write_text("In all <!-- figures: total --><!-- /figures --> rows.\n")
        self.page = self.top / "docs/formats/a.md"
        self.page.write_text("# a\n\n<!-- figures: rows-of a.csv --><!-- /figures -->\n")

    def run_figures(self, *arguments):
        done = subprocess.run([sys.executable, "-B", str(self.top / "scripts/figures"), *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_writes_figures_tables_and_plots(self):
        self.assertEqual(self.run_figures()[0], 0)
        self.assertIn("In all <!-- figures: total -->3<!-- /figures --> rows.", (self.top / "README.md").read_text())
        self.assertIn("| 1 |\n| 2 |\n\n[record](../../bench/results/a.csv)\n\n<!-- /figures -->", self.page.read_text())
        self.assertEqual((self.top / "docs/images/a.svg").read_text(), "<svg>3</svg>")
        self.assertEqual(self.run_figures("--check")[0], 0)

    def test_reads_compressed_records(self):
        (self.top / "bench/results/a.csv.gz").write_bytes(gzip.compress(b"n\n7\n8\n"))
        self.page.write_text("<!-- figures: rows-of a.csv.gz --><!-- /figures -->\n")
        self.assertEqual(self.run_figures()[0], 0)
        self.assertIn("| 7 |\n| 8 |", self.page.read_text())

    def test_finds_a_wrong_figure(self):
        self.run_figures()
        readme = self.top / "README.md"
        readme.write_text(readme.read_text().replace("-->3<", "-->4<"))
        status, output = self.run_figures("--check")
        self.assertEqual(status, 1)
        self.assertIn("README.md:1: figures: total: quotes\n4\nwhere the record has\n3", output)

    def test_finds_a_changed_record(self):
        self.run_figures()
        (self.top / "bench/results/a.csv").write_text("n\n1\n5\n")
        status, output = self.run_figures("--check")
        self.assertEqual(status, 1)
        for place in ("README.md:1", "docs/formats/a.md:3", "docs/images/a.svg"):
            self.assertIn(place, output)

    def test_names_unknown_figures_and_open_marks(self):
        self.page.write_text("<!-- figures: sum --><!-- /figures -->\n<!-- figures: total -->3\n")
        status, output = self.run_figures("--check")
        self.assertEqual(status, 1)
        self.assertIn("has no \"<!-- /figures -->\"", output)
        self.page.write_text("<!-- figures: sum --><!-- /figures -->\n")
        self.assertIn("there is no figure \"sum\" (known: rows-of, total)", self.run_figures("--check")[1])

    def test_finds_a_figure_that_is_typed_in(self):
        self.run_figures()
        self.page.write_text(self.page.read_text() + "It takes 12 µs, twice `13 µs`.\n\n    14 µs\n")
        status, output = self.run_figures("--check")
        self.assertEqual(status, 1)
        self.assertIn("docs/formats/a.md: typed in, not quoted from a record: 12 µs\n", output)
        self.page.write_text("In section 5.1 of CUDA 13.0: 12 times, 4.5 of x, `6 %`.\n")
        self.assertEqual(self.run_figures("--check")[0], 0)
        self.page.write_text("It takes 7 % less, 2.5 times the bytes, 0.81 of the time and is 3 times as fast.\n")
        self.assertIn("not quoted from a record: 0.81 of the time, 2.5 times, 3 times as fast, 7 %\n", self.run_figures("--check")[1])

    def test_names_a_missing_record(self):
        (self.top / "bench/results/a.csv").unlink()
        status, output = self.run_figures()
        self.assertEqual(status, 1)
        self.assertIn("FileNotFoundError", output)
        self.assertIn("<!-- figures: rows-of a.csv --><!-- /figures -->", self.page.read_text())


if __name__ == "__main__":
    unittest.main()
