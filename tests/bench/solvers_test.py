# SPDX-License-Identifier: BSD-3-Clause
"""bench/solvers.py on small systems; without SciPy only the list of matrices is looked at."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "bench"))
import solvers  # noqa: E402

try:
    import numpy
    import scipy.sparse
except ImportError:
    scipy = None

HEADER = "%%MatrixMarket matrix coordinate real general\n"


class solver_times(unittest.TestCase):
    def test_matrices_are_those_of_the_experiment(self):
        self.assertEqual(len(solvers.experiment_matrices()), 10)
        self.assertEqual(solvers.experiment_matrices("eigsh")[5], "fem(nx=28,dof=3)")
        self.assertEqual(solvers.experiment_matrices("lsqr")[3:], ["like(rail4284)", "bipartite(rows=100k,cols=300k)"])

    @unittest.skipIf(scipy is None, "no SciPy here")
    def test_system_is_a_weighted_laplacian(self):
        a = scipy.sparse.csr_array(numpy.array([[5.0, -2, 0, 0], [0, 0, 0, 0], [0, 6, 1, 0], [0, 0, 0, 0]]))
        made, changed = solvers.definite_system(a)
        self.assertTrue(changed)
        expected = [[1.001, -1, 0, 0], [-1, 1.001 * 4, -3, 0], [0, -3, 1.001 * 3, 0], [0, 0, 0, 1]]
        numpy.testing.assert_array_equal(made.toarray(), expected)
        same, changed = solvers.definite_system(made)
        self.assertFalse(changed)
        numpy.testing.assert_array_equal(same.toarray(), expected)
        with self.assertRaisesRegex(ValueError, "4 x 3 is not square"):
            solvers.definite_system(a[:, :3])

    @unittest.skipIf(scipy is None, "no SciPy here")
    def test_a_row_has_the_times_of_a_library(self):
        for method in ("cg", "minres", "lsqr", "eigsh"):
            with self.subTest(method):
                self.check_row(method)

    def check_row(self, method):
        with tempfile.TemporaryDirectory() as folder:
            size = 300
            entries = [f"{i} {j} {1 + (i * j) % 7}" for i in range(1, size + 1) for j in (i - 1, i, i + 1) if 1 <= j <= size]
            matrix = pathlib.Path(f"{folder}/a.mtx")
            matrix.write_text(HEADER + f"{size} {size} {len(entries)}\n" + "\n".join(entries) + "\n")
            command = [sys.executable, "-B", str(TOP / "bench/solvers.py"), str(matrix), "-o", f"{folder}/s.csv",
                       "--rounds", "3", "--method", method, "--libraries", "scipy,cupy,nothing"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            self.assertIn("cupy is left out: it runs on GPUs alone", done.stderr)
            self.assertIn("nothing is left out: no such library", done.stderr)
            with open(f"{folder}/s.csv", newline="") as file:
                (row,) = csv.DictReader(file)
        self.assertEqual((row["method"], row["library"], row["rows"], row["value"]), (method, "scipy", "300", "f64"))
        self.assertEqual(row["made_definite"], str(int(method != "lsqr")))
        self.assertEqual(row["version"], scipy.__version__)
        self.assertGreater(float(row["solution_ms"]), 0)
        self.assertEqual(row["iterations"] == "", method == "eigsh")
        if method == "cg":
            self.assertLessEqual(float(row["us_low"]), float(row["us_high"]))
            self.assertLess(float(row["true_relative_residual"]), 2e-8)
        if method == "eigsh":
            self.assertLess(float(row["true_relative_residual"]), 2e-6)


if __name__ == "__main__":
    unittest.main()
