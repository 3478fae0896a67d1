# SPDX-License-Identifier: BSD-3-Clause
"""bench/roofline.py: where products stand under the roof."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "bench"), str(pathlib.Path(__file__).resolve().parent)]
import record  # noqa: E402
import roofline  # noqa: E402
import synthetic  # noqa: E402


class Roofline(unittest.TestCase):
    def test_a_point(self):
        # 1000 nonzeros of f64 in 10 rows and columns: 2000 operations, 12000 bytes stored, 160 of x and y;
        # CSR 12044 and these.
        point = roofline.point(synthetic.row("a", 1e-6), 28.0)
        self.assertAlmostEqual(point["intensity"], 2000 / 12160)
        self.assertAlmostEqual(point["roof"], 28 * 2000 / 12160)
        self.assertAlmostEqual(point["reached"], 2.0)
        self.assertAlmostEqual(point["csr_roof"], 28 * 2000 / 12204)
        self.assertAlmostEqual(roofline.point(synthetic.row("a", 1e-6, value="f32"), 28.0)["csr_roof"], 28 * 2000 / 8124)

    def test_several_columns_read_the_matrix_once(self):
        point = roofline.point(synthetic.row("a", 1e-6, columns=4), 28.0)
        self.assertAlmostEqual(point["intensity"], 8000 / (12000 + 640))
        self.assertAlmostEqual(point["reached"], 8.0)
        self.assertAlmostEqual(point["csr_roof"], 28 * 8000 / (12044 + 640))
        rows = [synthetic.row("a", 1e-6, columns=columns) for columns in (1, 4, 16)] + [synthetic.row("b", 1e-6)]
        lines = roofline.table(synthetic.document(rows), "pattern_csr")[2:]
        self.assertEqual([line.split(" |")[:2] for line in lines],
                         [["| f64, hot, fem", " 2"], ["| f64, hot, 4 columns, fem", " 1"], ["| f64, hot, 16 columns, fem", " 1"]])

    def test_a_class_is_a_geometric_mean(self):
        rows = [synthetic.row("a", 1e-6), synthetic.row("b", 4e-6), synthetic.row("c", 1e-6, **{"class": "graph"}), synthetic.row("h", 2e-6, cache="solver"),
                synthetic.row("d", 1e-9, default=False), synthetic.row("e", 1e-9, peer=True),
                synthetic.row("f", 1e-9, status="failed", seconds=None), synthetic.row("g", 1e-9, format="jds")]
        lines = roofline.table(synthetic.document(rows, stream_gbs=100.0), "pattern_csr")
        self.assertEqual(len(lines), 5)
        self.assertEqual(lines[2], "| f64, hot, fem | 2 | 0.164 | 16 | 1 | 0.06 | 16 |")
        self.assertEqual(lines[3], "| f64, hot, graph | 1 | 0.164 | 16 | 2 | 0.12 | 16 |")
        self.assertEqual(lines[4], "| f64, solver, fem | 1 | 0.164 | 16 | 1 | 0.06 | 16 |")

    def test_a_device_has_its_own_roof(self):
        rows = [synthetic.row("a", 1e-6, format="csr", device="cuda:0")]
        self.assertIn("| 329 | 2 | 0.01 |", roofline.table(synthetic.document(rows, copy_gbs=2000.0), "csr")[2])

    def test_what_was_not_measured_is_said(self):
        with self.assertRaisesRegex(record.BadInput, "no product of brc with default options"):
            roofline.table(synthetic.plain(1), "brc")

    def test_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "some.json"
            file.write_text(json.dumps(synthetic.plain(3)), encoding="utf-8")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(roofline.main([str(file), "--format", "pattern_csr"]), 0)
            self.assertIn("| f64, hot, fem | 3 |", said.getvalue())
            complaint = io.StringIO()
            with contextlib.redirect_stderr(complaint):
                self.assertEqual(roofline.main([str(file)]), 2)
            self.assertEqual(complaint.getvalue(), "roofline.py: no product of packed with default options was measured\n")


if __name__ == "__main__":
    unittest.main()
