# SPDX-License-Identifier: BSD-3-Clause
"""bench/wide.py on a small document."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent


def result(name, seconds=None, **more):
    return {"matrix": "m", "values": "file", "class": "fem", "rows": 2, "cols": 3, "nnz": 4, "value": "f64", "cache": "hot", "op": "forward",
            "columns": 1, "format": name, "peer": False, "default": True, "status": "ok", "bytes_per_nonzero": 12.5,
            "seconds": {"median": seconds}} | more


class wide_records(unittest.TestCase):
    def rows(self, *documents):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for number, results in enumerate(documents):
                names.append(f"{folder}/{number}.json")
                machine = {"copy_gbs": 1234.4}
                pathlib.Path(names[-1]).write_text(json.dumps({"schema": 2, "commit": "abc", "machine": machine, "results": results}))
            subprocess.run([sys.executable, "-B", str(TOP / "bench/wide.py"), *names, "-o", f"{folder}/w.csv"], check=True)
            with open(f"{folder}/w.csv", newline="") as file:
                return list(csv.DictReader(file))

    def test_a_row_has_all_formats_and_peers_of_a_case(self):
        best = {"peer": "mkl", "ratio": 2, "low": 1.5, "high": 2.5}
        (row,) = self.rows([result("csr", 2e-6), result("auto", 1e-6, vs_best_peer=best), result("mkl", 2e-6, peer=True, default=False)])
        self.assertEqual((row["csr_us"], row["auto_us"], row["mkl_us"], row["csr_bytes"]), ("2", "1", "2", "12.500"))
        self.assertEqual((row["best_peer"], row["ratio"], row["ratio_low"], row["ratio_high"]), ("mkl", "2.0000", "1.5000", "2.5000"))
        self.assertEqual((row["copy_gbs"], row["class"]), ("1234", "fem"))
        self.assertNotIn("mkl_bytes", row)

    def test_a_failure_is_not_a_refusal(self):
        (row,) = self.rows([result("dia", status="unsupported"), result("brc", status="failed")])
        self.assertEqual((row["dia_us"], row["brc_us"]), ("refused", "failed"))

    def test_other_settings_and_products_are_left_out(self):
        (row,) = self.rows([result("csr", 1e-6), result("csr", 9e-6, default=False), result("csr", 9e-6, columns=4),
                            result("csr", 9e-6, op="transposed")])
        self.assertEqual(row["csr_us"], "1")

    def test_the_first_document_counts(self):
        (row,) = self.rows([result("csr", 1e-6)], [result("csr", 5e-6), result("coo", 3e-6)])
        self.assertEqual((row["csr_us"], row["coo_us"]), ("1", "3"))


if __name__ == "__main__":
    unittest.main()
