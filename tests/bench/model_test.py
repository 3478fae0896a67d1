# SPDX-License-Identifier: BSD-3-Clause
"""bench/model.py: what it makes of results, and a run with the program."""

import contextlib
import io
import os
import pathlib
import sys
import unittest
from unittest import mock

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "bench"), str(pathlib.Path(__file__).resolve().parent)]
import model  # noqa: E402
import synthetic  # noqa: E402

row = synthetic.row


class Model(unittest.TestCase):
    def test_loss(self):
        results = [row("a", 4e-5), row("a", 2e-5, format="packed"), row("a", 6e-5, format="jds"),
                   row("a", 1e-9, format="ellpack", status="unsupported", seconds=None)]
        self.assertEqual([model.loss(results, name) for name in ("packed", "jds", "pattern_csr")],
                         [("packed", 1.0, 2.0), ("packed", 6e-5 / 2e-5, 2.0), ("packed", 2.0, 2.0)])
        self.assertIsNone(model.loss(results, "ellpack"))
        self.assertIsNone(model.loss(results[1:], "jds"))

    def test_the_reference_format_is_that_of_the_device(self):
        times = {"csr": 4e-5, "pattern_csr": 6e-5, "packed": 2e-5}
        for device, ratio in (("cpu", 3.0), ("cuda:0", 2.0)):
            results = [row("a", time, format=name, device=device) for name, time in times.items()]
            self.assertEqual(model.loss(results, "packed"), ("packed", 1.0, ratio))

    def test_members_of_a_set_are_named_as_arguments(self):
        results = [row("like(cant)", 1e-5), row("like(cant)", 1e-5, format="jds"), row("nw14", 1e-5, source="file", values="file"),
                   row("nw14", 1e-5, source="file", values="distinct")]
        self.assertEqual([(name, len(theirs)) for name, theirs in model.members("@headline", results)],
                         [("like(cant)", 2), ("nw14", 1), ("file(nw14,values=distinct)", 1)])
        self.assertEqual([name for name, _ in model.members("somewhere/nw14.mtx", results[2:3])], ["somewhere/nw14.mtx"])

    def test_a_run(self):
        if "GOSSAMER_CLI" not in os.environ:
            self.skipTest("GOSSAMER_CLI is not set")
        said = io.StringIO()
        command = ["model.py", os.environ["GOSSAMER_CLI"], "arrow(n=60,width=1)", "--seconds", "0.001", "--threads", "1"]
        with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(said):
            model.main()
        lines = [line.split("|")[1:-1] for line in said.getvalue().splitlines()]
        self.assertEqual(lines[0][-1].strip(), "pattern_csr / best")
        self.assertEqual([line[0].strip() for line in lines],
                         ["matrix", "---", "arrow(n=60,width=1)", "geometric mean of 1"])
        each, mean = ([float(cell) for cell in line[-2:]] for line in lines[2:])
        for ratio, same in zip(each, mean):
            self.assertGreaterEqual(ratio, 1)
            self.assertAlmostEqual(ratio, same, delta=0.006)


if __name__ == "__main__":
    unittest.main()
