# SPDX-License-Identifier: BSD-3-Clause
"""bench/counters/counters.py: the table that it makes of what a profiler and the program that it runs say."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
script = root / "bench" / "counters" / "counters.py"
sys.path.insert(0, str(script.parent))
import counters  # noqa: E402

# Says that the first product has two kernels and the third one, and that the second was refused; every
# counter is the kernel's number.
PROFILER = r'''#!{python}
import csv, sys
words = sys.argv[1:]
if "{fail}": sys.exit("==ERROR== no permission to read the counters")
names = words[words.index("--metrics") + 1].split(",")
lines = sys.stdin.read().splitlines()
assert lines == ["f32 like(cant) csr kernel=warp", "f64 b.mtx ellpack", "f64 b.mtx cusparse_coo"], lines
with open(words[words.index("--log-file") + 1], "w", newline="") as log:
    log.write("==PROF== Connected to process 1\n")
    out = csv.writer(log, quoting=csv.QUOTE_ALL)
    out.writerow(["ID", "Kernel Name", "Grid Size", *names])
    out.writerow(["", "", "", *("unit" for _ in names)])
    def kernel(n, name, grid): out.writerow([n, name, f"({{grid}}, 1, 1)", *(f"{{n * 1000:,}}" for _ in names)])
    kernel(0, "mark()", 1)
    kernel(1, "void formats::<unnamed>::first<4, float>(formats::pointers<T2, T3>, gossamer::product<T2>)", 77)
    kernel(2, "void exec::(anonymous namespace)::second<float>(exec::view)", 1)
    kernel(3, "mark()", 3)
    kernel(4, "void cusparse::third<256, double, (bool)0>(int, T2)", 9)
print("1 ok 10 11 12 130")
print("2 refused ellpack: too wide, by far")
if not "{quiet}": print("3 ok 20 21 22 230")
'''


class Counters(unittest.TestCase):
    def run_script(self, fail="", quiet=""):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        at = pathlib.Path(self.folder.name)
        profiler = at / "ncu"
        profiler.write_text(PROFILER.format(python=sys.executable, fail=fail, quiet=quiet), encoding="utf-8")
        profiler.chmod(0o755)
        products = at / "products.txt"
        products.write_text("f32 like(cant) csr kernel=warp\n\nf64 b.mtx ellpack\nf64 b.mtx cusparse_coo\n", encoding="utf-8")
        self.table = at / "table.csv"
        return subprocess.run([sys.executable, "-B", script, "program", products, "-o", self.table], capture_output=True, text=True, check=False,
                              env=os.environ | {"PATH": f"{at}:{os.environ['PATH']}"})

    def test_table(self):
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["product"], row["options"], row["kernel"]) for row in rows],
                         [("csr", "kernel=warp", "first"), ("csr", "kernel=warp", "second"),
                          ("ellpack", "", "refused: ellpack: too wide, by far"), ("cusparse_coo", "", "third")])
        self.assertEqual([rows[0][name] for name in counters.PRODUCT if name not in ("product", "options")],
                         ["1", "f32", "like(cant)", "10", "11", "12", "130"])
        self.assertEqual([row["line"] for row in rows], ["1", "1", "2", "3"])
        self.assertEqual([row["warp_instructions"] for row in rows], ["1000", "2000", "", "4000"])
        self.assertEqual([row["us"] for row in rows], ["1", "2", "", "4"])  # of nanoseconds
        # Of two counters
        self.assertEqual([row["l2_sectors_added_to"] for row in rows], ["2000", "4000", "", "8000"])

    def test_program_that_ends_early(self):
        done = self.run_script(quiet="yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn('of product 3, "f64 b.mtx cusparse_coo", the program said nothing', done.stderr)
        self.assertFalse(self.table.exists())

    def test_profiler_that_fails(self):
        done = self.run_script(fail="yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("counters: ncu ended with status 1", done.stderr)
        self.assertFalse(self.table.exists())

    def test_kept_table(self):
        with open(root / "bench" / "results" / "h200" / "counters.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), [*counters.PRODUCT, "kernel", *counters.COLUMNS])
        counted = {int(row["line"]): tuple(row[name] for name in counters.PRODUCT[1:5]) for row in rows}
        products = (script.parent / "papers.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(set(products)), len(products))
        self.assertEqual(counted, {n: tuple((line.split() + [""])[:4]) for n, line in enumerate(products, 1)})


if __name__ == "__main__":
    unittest.main()
