# SPDX-License-Identifier: BSD-3-Clause
"""bench/petsc/table5.py: what it reads from PETSc's logs, and what it says of a run that failed."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "bench" / "petsc"))
import table5  # noqa: E402

PRINTED = """  0 SNES Function norm 3.9e-03
    Linear solve converged due to CONVERGED_RTOL iterations 657
      Gossamer: format brc on cuda:0, block_rows=32; 62 bytes; inspections 1, value updates 0
    Linear solve converged due to CONVERGED_RTOL iterations 770
Number of SNES iterations = 2
"""
EVENTS = """Stage Name,Event Name,Rank,Count,Time,Num Messages
Main Stage,summary,0,1,9.,0.
Main Stage,MatMult,0,3000,6.,0.
Main Stage,PCApply,0,1500,5.,0.
Main Stage,SNESSolve,0,1,8.,0.
Main Stage,GossamerInspect,0,1,0.25,0.
"""
LOG = "SNESSolve  1 1.0 8.0e+00 1.0 6.3e+08 99 100 0 0 100  4700 81000    12 1.20e+01   34 5.60e+01 88\n"


class Table5(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("machine.txt", "cpu: a cpu\nthreads: 16\ngpu: a gpu\ngrid: 256\ndegree: 20\n")
        self.run_of("ilu-brc-host", PRINTED)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_of(self, name, printed, events=EVENTS, log=LOG):
        for ending, text in (("txt", printed), ("csv", events), ("log", log), ("seconds", "10.5\n")):
            self.write(f"{name}.{ending}", text)

    def test_what_a_run_took(self):
        record = table5.record_of(self.folder, "abc1234")
        self.assertEqual((record["grid"], record["unknowns"], record["machine"]["gpu"]), (256, 262144, "a gpu"))
        row, = record["rows"]
        self.assertEqual((row["preconditioner"], row["series"], row["iterations"]), ("ilu", "brc-host", [657, 770]))
        self.assertEqual(row["plan"], "format brc on cuda:0, block_rows=32")
        # Half of the products are within the preconditioner.
        self.assertEqual((row["spmv"], row["all_products"], row["pc"], row["inspect"], row["total"]), (3, 6, 5, 0.25, 10.5))
        self.assertEqual(row["copies"], {"to_gpu": 12, "mb_to_gpu": 12, "to_host": 34, "mb_to_host": 56})

    def test_a_failed_run_has_its_reason_and_no_times(self):
        self.run_of("ilu-aij", "[0]PETSC ERROR: Out of memory\n")
        self.run_of("polynomial-aij", PRINTED.replace("Number", ""))
        record = table5.record_of(self.folder, "")
        reasons = {row["preconditioner"]: row.get("reason") for row in record["rows"] if row["series"] == "aij"}
        self.assertEqual(reasons, {"ilu": "Out of memory", "polynomial": "stopped before its end"})
        self.assertIn("| ilu | aij | – | – | – | – | – | – | Out of memory |", table5.table_of(record).replace("|  |", "| – |"))

    def test_the_table_of_the_record_is_that_of_the_folder(self):
        from_folder, from_record = io.StringIO(), io.StringIO()
        file = self.folder / "record.json"
        with contextlib.redirect_stdout(from_folder):
            self.assertEqual(table5.main([str(self.folder), "--commit", "abc1234", "--json", str(file)]), 0)
        with contextlib.redirect_stdout(from_record):
            self.assertEqual(table5.main([str(file)]), 0)
        self.assertEqual(from_folder.getvalue(), from_record.getvalue())
        self.assertIn("| 657, 770 | 0.250 | – | 3.000 | 5.000 | 10.500 |", from_record.getvalue())

    def test_bad_input(self):
        (self.folder / "other.json").write_text(json.dumps({"schema": 1}), encoding="utf-8")
        for path, message in ((self.folder / "none", "No such file"), (self.folder / "other.json", "not a record of brc/table5")):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(table5.main([str(path)]), 2)
            self.assertIn(message, errors.getvalue())
        self.write("ilu-brc-host.csv", "head\nMain Stage,MatMult,0,many,6.,0.\n")
        with self.assertRaisesRegex(table5.BadInput, "ilu-brc-host.csv:2: "):
            table5.record_of(self.folder, "")

    def test_kept_tables_are_of_kept_records(self):
        for path in (root / "bench" / "results").glob("*/experiments/brc_table5*.json"):
            record = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(path.with_suffix(".md").read_text(encoding="utf-8"), table5.table_of(record), path)


if __name__ == "__main__":
    unittest.main()
