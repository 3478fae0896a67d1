# SPDX-License-Identifier: BSD-3-Clause
"""bench/compare.py: verdicts on documents whose truth is known, and on the program itself where it is given.

GOSSAMER_CLI is the program, GOSSAMER_SLOW_PRODUCT a library whose products take a told time.
"""

import contextlib
import copy
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "bench"), str(pathlib.Path(__file__).resolve().parent)]
import compare  # noqa: E402
import synthetic  # noqa: E402


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    def run_on(self, old, new, *more):
        """Exit status, lines of stdout, stderr."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = compare.main([self.file("old.json", old), self.file("new.json", new), *more])
        return status, out.getvalue().splitlines(), err.getvalue()

    def verdicts(self, old, new, *more):
        _, lines, _ = self.run_on(old, new, *more)
        words = ("SAME", "FASTER", "SLOWER", "UNCLEAR", "FAILED")
        rows = [line.split()[0].rstrip("*") for line in lines[1:-1] if line.startswith(words)]
        return rows, lines[-1]


class Synthetic(Files):
    def test_the_same_times_are_same(self):
        old = synthetic.plain()
        rows, last = self.verdicts(old, synthetic.scaled(old, 1.0, jitter=0.01))
        self.assertEqual(rows, ["SAME"] * 20)
        self.assertRegex(last, r"^SAME: 20 SAME; .*noise 3\.0 %$")

    def test_ten_percent_slower_is_slower(self):
        old = synthetic.plain()
        rows, last = self.verdicts(old, synthetic.scaled(old, 1.1, jitter=0.01))
        self.assertEqual(rows, ["SLOWER"] * 20)
        self.assertRegex(last, r"^SLOWER: 20 SLOWER; new / old time 1\.(09|10|11)")

    def test_ten_percent_faster_is_faster(self):
        old = synthetic.plain()
        rows, last = self.verdicts(old, synthetic.scaled(old, 1 / 1.1, jitter=0.01))
        self.assertEqual(rows, ["FASTER"] * 20)
        self.assertTrue(last.startswith("FASTER"))

    def test_numbers_of_columns_are_rows_of_their_own(self):
        old = synthetic.document([synthetic.row("a", 1e-5)] + [synthetic.row("a", 4e-5, columns=columns) for columns in (4, 8)])
        new = synthetic.scaled(old, 1.2, only=lambda row: row.get("columns") == 4)
        _, lines, _ = self.run_on(old, new)
        self.assertTrue(lines[-1].startswith("SLOWER: 2 SAME, 1 SLOWER"), lines[-1])
        self.assertIn(" a 4 columns f64 hot cpu pattern_csr", next(line for line in lines if line.startswith("SLOWER ")))

    def test_one_slower_row_makes_the_total_slower(self):
        old = synthetic.plain()
        rows, last = self.verdicts(old, synthetic.scaled(old, 1.1, only=lambda r: r["matrix"] == "m7"))
        self.assertEqual(rows, ["SLOWER"] + ["SAME"] * 19)
        self.assertTrue(last.startswith("SLOWER: 19 SAME, 1 SLOWER"))

    def test_half_of_the_rows_slower_is_no_noise(self):
        old = synthetic.plain()
        rows, _ = self.verdicts(old, synthetic.scaled(old, 1.2, only=lambda r: int(r["matrix"][1:]) % 2 == 0))
        self.assertEqual(rows, ["SLOWER"] * 10 + ["SAME"] * 10)

    def test_noisy_files_cannot_tell(self):
        old = synthetic.plain(spread=0.15)
        for factor in (1.0, 1.1):
            rows, last = self.verdicts(old, synthetic.scaled(old, factor))
            self.assertEqual(rows, ["UNCLEAR"] * 20)
            self.assertTrue(last.startswith("BLIND: 20 UNCLEAR"))
            self.assertTrue(last.endswith("noise 45.0 %"))
            self.assertTrue(self.run_on(old, old)[1][0].endswith("noise 45.0 %: the spread of single samples"))
        rows, _ = self.verdicts(old, synthetic.scaled(old, 3.0))
        self.assertEqual(rows, ["SLOWER"] * 20)

    def test_one_noisy_row_among_quiet_ones_is_unclear(self):
        old = synthetic.plain()
        noisy = old["results"][3]["seconds"]
        noisy["low"], noisy["high"] = 0.8 * noisy["median"], 1.2 * noisy["median"]
        rows, _ = self.verdicts(old, old)
        self.assertEqual(sorted(rows), ["SAME"] * 19 + ["UNCLEAR"])

    def test_a_median_that_rose_alone_was_disturbed(self):
        old = synthetic.plain()
        new = synthetic.scaled(old, 1.3)
        for before, after in zip(old["results"], new["results"]):
            after["seconds"]["min"] = before["seconds"]["min"]
        self.assertEqual(self.verdicts(old, new)[0], ["UNCLEAR"] * 20)

    def test_preempted_samples_say_nothing(self):
        old = synthetic.plain()
        new = synthetic.scaled(old, 2.0)
        for each in new["results"]:
            each["seconds"]["preempted"] = 7
        self.assertEqual(self.verdicts(old, new)[0], ["UNCLEAR"] * 20)
        self.assertIn("UNCLEAR*", self.run_on(old, new)[1][1])

    def test_another_run_of_the_old_source_raises_the_noise(self):
        old = synthetic.plain()
        again = self.file("again.json", synthetic.scaled(old, 1.08, seed=2))
        new = synthetic.scaled(old, 1.06)
        self.assertEqual(self.verdicts(old, new)[0], ["SLOWER"] * 20)
        rows, last = self.verdicts(old, new, "--same", again)
        self.assertEqual(rows, ["SAME"] * 20)
        self.assertTrue(last.endswith("noise 8.3 %"), last)  # the interval of the ratio too

    def test_peers_that_moved_raise_the_noise(self):
        ours = synthetic.plain(8)
        peers = synthetic.document([synthetic.row(f"m{i}", 2e-5 * (i + 1), format="", options="", peer="mkl") for i in range(8)])
        old = synthetic.document(ours["results"] + peers["results"])
        new = synthetic.scaled(old, 0.7, only=lambda r: not r["peer"])
        self.assertEqual(self.verdicts(old, new)[0].count("FASTER"), 8)
        moved = synthetic.scaled(new, 1.6, only=lambda r: r["peer"])
        rows, last = self.verdicts(old, moved)
        self.assertNotIn("FASTER", rows)
        self.assertTrue(last.endswith("noise 60.5 %"), last)
        self.assertNotIn("SLOWER", self.verdicts(moved, old)[0])
        # Of other versions their movement says nothing, and of few of them little.
        moved["machine"]["peers"] = {"mkl": "another"}
        self.assertEqual(self.verdicts(old, moved)[0].count("FASTER"), 8)
        few = synthetic.document(ours["results"] + peers["results"][:4])
        self.assertTrue(self.verdicts(few, synthetic.scaled(few, 1.6, only=lambda r: r["peer"]))[1].endswith("noise 3.0 %"))

    def test_one_peer_of_many_that_moved_is_noise(self):
        ours = synthetic.plain(40)
        peers = synthetic.document([synthetic.row(f"m{i}", 2e-5 * (i + 1), format="", options="", peer="mkl") for i in range(40)])
        old = synthetic.document(ours["results"] + peers["results"])
        new = synthetic.scaled(old, 1.06, only=lambda r: r["peer"] and r["matrix"] == "m7")
        rows, last = self.verdicts(old, new)
        self.assertEqual(rows, ["SAME"] * 80)
        self.assertTrue(last.endswith("noise 6.3 %"), last)

    def test_the_row_that_made_the_noise_is_named(self):
        ours = synthetic.plain(8)
        peers = synthetic.document([synthetic.row(f"p{i}", 2e-5, format="mkl_csr", options="", peer=True) for i in range(8)])
        old = synthetic.document(ours["results"] + peers["results"])
        self.assertTrue(self.run_on(old, old)[1][0].endswith("noise 3.0 %: the floor"))
        new = synthetic.scaled(old, 0.8, only=lambda r: r["matrix"] == "p5")
        first = self.run_on(old, new)[1][0]
        self.assertTrue(first.endswith("noise 25.4 %: p5 f64 hot cpu mkl_csr, which moved by -20.0 % though its code is the same"), first)
        again = self.file("again.json", synthetic.scaled(old, 1.5, only=lambda r: r["matrix"] == "m2"))
        first = self.run_on(old, new, "--same", again)[1][0]
        self.assertIn(": m2 f64 hot cpu pattern_csr kernel=thread, which moved by +50.0 % between two runs of the old source", first)

    def test_a_comparison_that_one_row_made_blind_has_a_status(self):
        ours = synthetic.plain(8)
        peers = synthetic.document([synthetic.row(f"p{i}", 2e-5, format="mkl_csr", options="", peer=True) for i in range(8)])
        old = synthetic.document(ours["results"] + peers["results"])
        noisy = synthetic.scaled(old, 1.6, only=lambda r: r["matrix"] == "p5")
        status, lines, _ = self.run_on(old, noisy)
        self.assertEqual(status, 3)
        self.assertTrue(lines[-1].startswith("BLIND: 15 SAME, 1 UNCLEAR"), lines[-1])
        # Ours is a third slower or faster, which cannot be seen; what can be seen is said, and that the rest
        # cannot.
        for factor, word, status, failing in ((1.3, "BLIND", 3, 3), (0.7, "BLIND", 3, 3), (2.0, "SLOWER", 3, 1), (0.5, "BLIND", 3, 3)):
            new = synthetic.scaled(noisy, factor, only=lambda r: not r["peer"])
            with self.subTest(factor=factor):
                self.assertEqual(self.run_on(old, new)[0], status)
                self.assertEqual(self.run_on(old, new, "--fail-on-slower")[0], failing)
                self.assertTrue(self.run_on(old, new)[1][-1].startswith(word + ": "))
        # Just below the limit, and where somebody wants to know of no less.
        quiet = synthetic.scaled(old, 1.095, only=lambda r: r["matrix"] == "p5")
        self.assertEqual(self.run_on(old, quiet)[0], 0)
        self.assertEqual(self.run_on(old, old, "--floor", "0.2")[0], 0)
        self.assertEqual(self.run_on(old, noisy, "--floor", "0.2")[0], 3)
        self.assertEqual(self.run_on(old, noisy, "--floor", "0.7")[0], 0)

    def test_disturbed_rows_are_no_measure_of_the_noise(self):
        old = synthetic.plain()
        again = synthetic.scaled(old, 50.0, only=lambda r: int(r["matrix"][1:]) < 10)
        for each in again["results"][:10]:
            each["seconds"].update(preempted=20, spread=3.0)
        rows, last = self.verdicts(old, old, "--same", self.file("again.json", again))
        self.assertEqual(rows, ["SAME"] * 20)
        self.assertTrue(last.endswith("noise 3.0 %"))
        self.assertTrue(self.verdicts(old, again)[1].endswith("noise 3.0 %"))

    def test_floor(self):
        old = synthetic.plain()
        self.assertEqual(self.verdicts(old, synthetic.scaled(old, 1.02), "--floor", "0.01")[0], ["SLOWER"] * 20)

    def test_status_only_where_it_is_asked_for(self):
        old = synthetic.plain()
        slower = synthetic.scaled(old, 1.5)
        self.assertEqual(self.run_on(old, slower)[0], 0)
        self.assertEqual(self.run_on(old, slower, "--fail-on-slower")[0], 1)
        self.assertEqual(self.run_on(old, old, "--fail-on-slower")[0], 0)
        self.assertEqual(self.run_on(slower, old, "--fail-on-slower")[0], 0)

    def test_what_is_not_measured_any_more_has_failed(self):
        old = synthetic.plain(3)
        new = copy.deepcopy(old)
        new["results"][1].update(status="failed", reason="wrong in row 3", seconds=None)
        status, lines, _ = self.run_on(old, new, "--fail-on-slower")
        self.assertEqual(status, 1)
        self.assertTrue(any(line.startswith("FAILED") and "wrong in row 3" in line for line in lines))
        self.assertTrue(lines[-1].startswith("FAILED: 2 SAME, 1 FAILED"))

    def test_rows_are_joined_by_what_was_measured(self):
        old = synthetic.document([synthetic.row("m", 1e-5), synthetic.row("m", 2e-5, cache="cold"),
                                  synthetic.row("m", 15e-6, cache="solver", vector_seconds=4e-6),
                                  synthetic.row("m", 3e-5, value="f32"), synthetic.row("m", 4e-5, options="kernel=balanced"),
                                  synthetic.row("m", 5e-5, values="few(3)"), synthetic.row("n", 1e-5),
                                  synthetic.row("m", 6e-5, format="librsb", peer=True, options="gain 1.01")])
        new = copy.deepcopy(old)
        new["results"].reverse()
        new["results"][1]["matrix"] = "o"
        new["results"][0]["options"] = "gain 1.02"
        rows, _ = self.verdicts(old, new)
        self.assertEqual(rows, ["SAME"] * 7)
        text = self.run_on(old, new)[1]
        self.assertTrue(any("1 rows are only in the old document, 1 only in the new one" in line for line in text))
        self.assertTrue(any("the peers" in line for line in text))

    def test_csr_of_schema_1_on_a_cpu_is_paired_with_pattern_csr(self):
        gpu = {"device": "cuda:0", "options": "kernel=warp"}
        old = synthetic.document([synthetic.row("m", 1e-5, format="csr"), synthetic.row("m", 2e-5, format="csr", **gpu)])
        old["schema"] = 1
        new = synthetic.document([synthetic.row("m", 1e-5, format="pattern_csr"), synthetic.row("m", 4e-5, format="csr"),
                                  synthetic.row("m", 2e-5, format="csr", **gpu)])
        _, lines, _ = self.run_on(old, new)
        pairs = [line for line in lines if " us -> " in line]
        self.assertEqual([line.split("us  ")[-1] for line in pairs], ["m f64 hot cpu pattern_csr kernel=thread", "m f64 hot cuda:0 csr kernel=warp"])
        self.assertTrue(all(line.startswith("SAME") for line in pairs), lines)
        self.assertIn("note: 0 rows are only in the old document, 1 only in the new one", lines)

    def test_brief_leaves_out_what_is_same(self):
        old = synthetic.plain()
        rows, _ = self.verdicts(old, synthetic.scaled(old, 1.2, only=lambda r: r["matrix"] == "m1"), "--brief")
        self.assertEqual(rows, ["SLOWER"])

    def test_another_machine_is_said(self):
        old = synthetic.plain()
        new = copy.deepcopy(old)
        new["machine"]["threads"] = 16
        self.assertIn("note: machine: threads was 2, is 16", self.run_on(old, new)[1])

    def test_bad_input_is_one_line_and_status_2(self):
        good = synthetic.plain(2)
        for bad, word in (("{", "not JSON"), ("[]", "schema 1 or 2"), ({"schema": 3, "results": []}, "schema 1 or 2"),
                          (synthetic.document([]), "no measured row in common")):
            status, out, err = self.run_on(good, bad)
            self.assertEqual(status, 2)
            self.assertEqual(out, [])
            self.assertEqual(len(err.splitlines()), 1)
            self.assertIn(word, err)
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(compare.main([str(self.folder / "none.json"), str(self.folder / "none.json")]), 2)
        self.assertIn("none.json: No such file", err.getvalue())


@unittest.skipUnless(os.environ.get("GOSSAMER_SLOW_PRODUCT"), "needs the shared library without sanitizers")
class Program(Files):
    def bench(self, name, **environment):
        file = str(self.folder / name)
        environment["LD_PRELOAD"] = os.environ["GOSSAMER_SLOW_PRODUCT"]
        subprocess.run([os.environ["GOSSAMER_CLI"], "bench", "stencil(nx=100,ny=100)", "uniform(rows=20k,per_row=8)", "--format",
                        "csr,coo", "--peer", "none", "--value", "f32,f64", "--threads", "1", "--seconds", "0.05", "--llc-bytes", "1000000",
                        "--json", file],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))

    def test_a_slowed_kernel_is_found(self):
        fast, slow, again = self.bench("fast.json"), self.bench("slow.json", GOSSAMER_TEST_SLOWED="1"), self.bench("again.json")
        # Other tests run beside this one and may disturb samples; what that means has tests of its own.
        for document in (fast, slow, again):
            for each in document["results"]:
                each["seconds"]["preempted"] = 0
        _, lines, _ = self.run_on(fast, slow, "--same", self.file("again.json", again))
        found = {tuple(line.split("us  ")[-1].split()[:-1]): line.split()[0] for line in lines if " us -> " in line}
        self.assertEqual(len(found), 8)
        for (_, value, *_), word in found.items():
            with self.subTest(value=value, lines=lines):
                if value == "f64":
                    self.assertEqual(word, "SLOWER")
                else:
                    self.assertNotEqual(word, "SLOWER")
        self.assertTrue(lines[-1].startswith("SLOWER: "), lines[-1])


if __name__ == "__main__":
    unittest.main()
