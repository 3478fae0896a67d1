# SPDX-License-Identifier: BSD-3-Clause
"""bench/table.py: what it makes of a small document, and that the kept tables are made of the kept documents."""

import contextlib
import gzip
import io
import json
import pathlib
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "bench"), str(pathlib.Path(__file__).resolve().parent)]
import synthetic  # noqa: E402
import table  # noqa: E402


def against(peer, ratio, half=0.01):
    return {"peer": peer, "ratio": ratio, "low": ratio - half, "high": ratio + half}


def small():
    row = synthetic.row
    return synthetic.document([
        row("a", 1e-5, vs_best_peer=against("mkl", 2.0)),
        row("a", 2e-5, options="kernel=balanced", default=False, vs_best_peer=against("mkl", 1.0)),
        row("a", 2e-5, format="mkl", peer=True, default=False, options="hint", bytes=None, bytes_per_nonzero=None, stream_fraction=None),
        row("a", 3e-5, format="eigen", peer=True, default=False, options=""),
        row("b", 1e-4, vs_best_peer=against("mkl", 0.5), exceeds_llc=False),
        row("b", 5e-5, format="mkl", peer=True, default=False, options="hint"),
        row("c", 4e-6, vs_best_peer=against("mkl", 0.965), **{"class": "graph"}),
        row("c", 3.86e-6, format="mkl", peer=True, default=False, options="hint"),
        row("d", 1e-5, format="ellpack", status="unsupported", reason="too wide", seconds=None),
    ], peers={"mkl": "2025.1", "eigen": "3.4"})


def experiment(name="bccoo/fig4"):
    def row(matrix, series, threads, median, values="distinct", **more):
        return {"matrix": matrix, "source": "like", "values": values, "nnz": 1000, "series": series, "format": "pattern_csr", "threads": threads, "status": "ok",
                "reason": "", "seconds": {"median": median}, **more}

    document = synthetic.document([], threads=16)
    del document["results"], document["absent"]
    return {**document, "experiment": name, "source": "paper 001, Figure 4", "shows": "speed", "value": "f64", "device": "cpu",
            "rows": [row("a", "BCCOO, one core", 1, 4e-5), row("a", "MKL CSR, one core", 1, 2e-5), row("a", "CSR, one core", 1, 1e-5),
                     row("b", "BCCOO, one core", 1, 1e-5, "few(100)"), row("b", "CSR, one core", 1, 4e-5, "few(100)"),
                     row("b", "MKL CSR, one core", 1, None, "few(100)", status="failed", reason="no memory", seconds=None),
                     row("a", "BCCOO", 16, 2e-6), row("a", "MKL CSR", 16, 1e-6),
                     row("c", "BCCOO", None, None, status="absent", reason="no file", seconds=None)],
            "refused": [{"matrix": "d", "values": "distinct", "reason": "too large"}]}


class Table(unittest.TestCase):
    def test_parts_together_and_alone(self):
        gpu = {"where": "cuda:0", "threads": None}
        cores = {"where": "cpu", "threads": 8}

        def parts(on_gpu, on_cores):
            return [{**gpu, "format": "csr" if on_gpu else "none", "rows": on_gpu},
                    {**cores, "format": "pattern_csr" if on_cores else "none", "rows": on_cores}]

        rows = [synthetic.row("a", 1e-5, format="csr", device="hybrid", parts=parts(3, 5)),
                synthetic.row("a", 2e-5, format="csr", device="hybrid", options="x", default=False, parts=parts(8, 0)),
                synthetic.row("a", 3e-5, format="csr", device="hybrid", options="y", default=False, parts=parts(0, 8))]
        lines = table.render(synthetic.document(rows), "small").splitlines()
        self.assertIn("| matrix | class | csr together | csr cuda:0 alone | pattern_csr cpu:8 alone |", lines)
        self.assertIn("Formats of the parts: csr on cuda:0, pattern_csr on cpu.", lines)
        for row in rows:
            row["format"] = "auto"
        lines = table.render(synthetic.document(rows), "small").splitlines()
        self.assertIn("| matrix | class | auto together | auto cuda:0 alone | auto cpu:8 alone |", lines)
        self.assertFalse([line for line in lines if line.startswith("Formats of the parts")])

    def test_figures(self):
        text = table.render(small(), "small")
        lines = text.splitlines()
        self.assertEqual(lines[0], "# small")
        self.assertIn("measured at commit abc1234", text)
        self.assertIn("Peers: eigen 3.4; mkl 2025.1.", text)
        self.assertIn("## cpu, f64, hot", lines)
        # sqrt(2 * 0.5) = 1 for fem, 0.965 for graph; sqrt(0.965) and the cube root of 0.965.
        self.assertIn("class means **0.982**; of all 3 matrices 0.988; worst 0.500 (b), best 2.000 (a). "
                      "By class: fem 1.000 (2), graph 0.965 (1).", text)
        # c is under 0.97, but its interval is not.
        self.assertIn("Lost (whole interval under 0.97): b (0.500).", text)
        self.assertIn("| a | fem, distinct | 1.00k | 10.0 | 20.0 | mkl | 2.000 [1.990, 2.010] | 12.0 | 80 % | 3.00 |", lines)
        self.assertIn("| b | fem, distinct | 1.00k | 100 | 50.0 | mkl | **0.500 [0.490, 0.510]** | 12.0 | 80 % · | 3.00 |", lines)
        self.assertIn("| matrix | class | pattern_csr | pattern_csr kernel=balanced | mkl | eigen |", lines)
        self.assertIn("| a | fem | **10.0** | 20.0 | 20.0 | 30.0 |", lines)
        self.assertIn("| b | fem | 100 | – | **50.0** | – |", lines)
        self.assertIn("- d, cpu, f64, hot, ellpack kernel=thread: unsupported: too wide", lines)

    def test_inspection_is_counted_in_products_of_the_reference_format(self):
        document = small()
        document["results"][1]["seconds"]["median"] = 5e-6
        document["results"].append(synthetic.row("a", 1e-6, format="csr"))
        text = table.render(document, "small")
        self.assertIn("counted in products of the fastest pattern_csr.", text)
        self.assertIn("| 80 % | 6.00 |", text)
        for row in document["results"]:
            row["device"] = "cuda:0"
        text = table.render(document, "small")
        self.assertIn("counted in products of the fastest csr.", text)
        self.assertIn("| 80 % | 30.0 |", text)

    def test_csr_of_schema_1_on_a_cpu_is_called_pattern_csr(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "old.json"
            rows = [synthetic.row("a", 1e-5, format="csr"), synthetic.row("a", 2e-5, format="mkl", peer=True, default=False)]
            file.write_text(json.dumps({**synthetic.document(rows), "schema": 1}), encoding="utf-8")
            lines = table.table_of(file).splitlines()
        self.assertIn("### pattern_csr", lines)
        self.assertIn("| matrix | class | pattern_csr | mkl |", lines)

    def test_each_peer_and_each_family_of_peers(self):
        row = synthetic.row
        ratio = lambda r: {"ratio": r, "low": r - 0.001, "high": r + 0.001}  # noqa: E731
        ours = {"lib_csr_a": ratio(2.0), "lib_csr_b": ratio(1.0), "eigen": ratio(4.0)}
        other = {"lib_csr_a": ratio(0.5), "lib_csr_b": ratio(0.8)}
        text = table.render(synthetic.document([
            row("a", 1e-5, vs_best_peer=against("lib_csr_b", 1.0), vs_peers=ours),
            row("a", 2e-5, format="lib_csr_a", peer=True, default=False), row("a", 1e-5, format="lib_csr_b", peer=True, default=False),
            row("a", 4e-5, format="eigen", peer=True, default=False),
            row("b", 1e-5, vs_best_peer=against("lib_csr_a", 0.5), vs_peers=other),
            row("b", 5e-6, format="lib_csr_a", peer=True, default=False), row("b", 8e-6, format="lib_csr_b", peer=True, default=False),
        ]), "peers").splitlines()
        self.assertIn("| lib_csr_* | 2 | 0.707 | 0.500 b | 1.000 a | 1 |", text)
        self.assertIn("| lib_csr_a | 2 | 1.000 | 0.500 b | 2.000 a | 1 |", text)
        self.assertIn("| lib_csr_b | 2 | 0.894 | 0.800 b | 1.000 a | 1 |", text)
        self.assertIn("| eigen | 1 | 4.000 | 4.000 a | 4.000 a | 0 |", text)

    def test_each_number_of_columns_has_a_section(self):
        rows = [synthetic.row("a", 1e-5 * columns, columns=columns, vs_best_peer=against("mkl", 1.5 * columns)) for columns in (1, 4)]
        rows += [synthetic.row("a", 3e-5, columns=columns, format="mkl", peer=True, default=False) for columns in (1, 4)]
        rows.append(synthetic.row("b", 1e-5, columns=4, op="transposed", status="failed", reason="no memory", seconds=None))
        lines = table.render(synthetic.document(rows), "columns").splitlines()
        self.assertEqual([line for line in lines if line.startswith("## ")],
                         ["## cpu, f64, hot", "## cpu, f64, hot, 4 columns",
                          "## cpu, f64, hot, transposed, 4 columns"])
        means = [line for line in lines if line.startswith("Geometric mean")]
        self.assertEqual([mean.split("**")[1] for mean in means], ["1.500", "6.000"])
        self.assertIn("- b, cpu, f64, hot, transposed, 4 columns, pattern_csr kernel=thread: failed: no memory", lines)

    def test_each_cache_state_has_a_section(self):
        rows = [synthetic.row("a", 1e-5, cache=state) for state in ("hot", "solver", "cold")]
        rows.append(synthetic.row("b", 1e-5, cache="solver", status="failed", reason="not resolved", seconds=None))
        lines = table.render(synthetic.document(rows), "states").splitlines()
        self.assertEqual([line for line in lines if line.startswith("## ")], ["## cpu, f64, hot", "## cpu, f64, solver", "## cpu, f64, cold"])
        self.assertIn("- b, cpu, f64, solver, pattern_csr kernel=thread: failed: not resolved", lines)

    def test_without_peers_and_absent_matrices(self):
        document = synthetic.plain(2)
        document["absent"].append({"matrix": "cnr-2000", "class": "graph", "reason": "no file"})
        text = table.render(document, "plain")
        self.assertNotIn("class means", text)
        self.assertIn("- cnr-2000: not measured: no file", text)

    def test_check_finds_a_table_of_another_document(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "small.json"
            file.write_text(json.dumps(small()), encoding="utf-8")
            self.assertEqual(table.check(folder), [str(file)])
            self.assertEqual(table.main([str(file), "-o", str(file.with_suffix(".md"))]), 0)
            self.assertEqual(table.check(folder), [])
            self.assertEqual(table.main(["--check", folder]), 0)
            file.write_text(json.dumps(small()).replace("abc1234", "abc1235"), encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual(table.main(["--check", folder]), 1)
            self.assertIn("small.json", err.getvalue())

    def test_documents_may_be_gzip_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "small.json.gz"
            file.write_bytes(gzip.compress(json.dumps(small()).encode()))
            self.assertEqual(table.check(folder), [str(file)])
            made = pathlib.Path(folder) / "small.md"
            self.assertEqual(table.main([str(file), "-o", str(made)]), 0)
            self.assertEqual(table.check(folder), [])
            self.assertIn("# small\n", made.read_text(encoding="utf-8"))
            self.assertIn("from `small.json.gz`", made.read_text(encoding="utf-8"))

    def test_series_of_an_experiment(self):
        lines = table.render_experiment(experiment(), "fig4").splitlines()
        self.assertEqual(lines[0], "# fig4")
        self.assertTrue(lines[4].endswith("The series CSR has the format pattern_csr."))
        self.assertIn("`gossamer experiment bccoo/fig4` (paper 001, Figure 4: speed), f64, measured at commit abc1234.", lines[2])
        self.assertEqual([line for line in lines if line.startswith("## ")], ["## 1 thread", "## 16 threads"])
        self.assertIn("| series | values | CSR / series | MKL CSR / series |", lines)
        self.assertIn("| BCCOO | all | 1.000 (0.25 to 4.00, 1 of 2 at least 1) | 0.500 (0.50 to 0.50, 0 of 1 at least 1) |", lines)
        self.assertIn("| BCCOO | few(100) | 4.000 (4.00 to 4.00, 1 of 1 at least 1) | – |", lines)
        self.assertIn("| CSR | distinct | – | 2.000 (2.00 to 2.00, 1 of 1 at least 1) |", lines)
        self.assertIn("| matrix | values | nonzeros | BCCOO µs | CSR / it | MKL CSR / it | MKL CSR µs | CSR / it | CSR µs | MKL CSR / it |", lines)
        self.assertIn("| a | distinct | 1.00k | 40.0 | 0.25 | 0.50 | 20.0 | 0.50 | 10.0 | 2.00 |", lines)
        self.assertIn("| b | few(100) | 1.00k | 10.0 | 4.00 | – | – | – | 40.0 | – |", lines)
        # Of one kind of values there is no mean beside that of all, and a single reference has none to be
        # compared with.
        self.assertEqual(lines[lines.index("## 16 threads") + 2:],
                         ["| series | values | MKL CSR / series |", "| --- | --- | ---: |",
                          "| BCCOO | all | 0.500 (0.50 to 0.50, 0 of 1 at least 1) |", "",
                          "| matrix | values | nonzeros | BCCOO µs | MKL CSR / it | MKL CSR µs |", "| --- | --- | ---: | ---: | ---: | ---: |",
                          "| a | distinct | 1.00k | 2.00 | 0.50 | 1.00 |", "",
                          "- b, MKL CSR, one core: failed: no memory", "- c, BCCOO: absent: no file", "- d: not measured: too large"])

    def test_experiments_of_which_there_is_a_table_are_checked_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "experiments" / "fig.json"
            file.parent.mkdir()
            file.write_text(json.dumps(experiment()), encoding="utf-8")
            self.assertEqual(table.check(folder), [str(file)])
            self.assertEqual(table.main([str(file), "-o", str(file.with_suffix(".md"))]), 0)
            self.assertEqual(table.check(folder), [])
            file.with_suffix(".md").unlink()
            file.write_text(json.dumps(experiment("brc/search")), encoding="utf-8")
            self.assertEqual(table.check(folder), [])
            with contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual(table.main([str(file)]), 2)
            self.assertIn("there is no table of this experiment, only of bccoo/fig4", err.getvalue())

    def test_bad_input(self):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(table.main(["/nonexistent.json"]), 2)
        self.assertIn("/nonexistent.json", err.getvalue())

    def test_kept_tables_are_made_of_the_kept_documents(self):
        self.assertEqual(table.check(root / "bench" / "results"), [])

    def test_lost_means_the_same_as_in_the_program(self):
        header = (root / "tools/gossamer/bench/summary.hpp").read_text(encoding="utf-8")
        self.assertIn(f"lost_below = {table.LOST_BELOW};", header)


if __name__ == "__main__":
    unittest.main()
