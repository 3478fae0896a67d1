# SPDX-License-Identifier: BSD-3-Clause
"""bench/claims.json and how bench/figures judges it: the verdict rule on records whose truth is known."""

import contextlib
import gzip
import io
import json
import pathlib
import re
import runpy
import shutil
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))
import figures  # noqa: E402
from figures import claim_records, claim_verdicts, reproduction  # noqa: E402


def row(matrix, series, seconds, source="like", **more):
    """A row as `gossamer experiment --json` writes it."""
    ok = seconds is not None
    return {"matrix": matrix, "values": "distinct", "source": source, "stand_in": source == "like", "series": series, "rows": 10,
            "cols": 10, "nnz": 1000, "row_mean": 10.0, "row_sd": 5.0, "row_min": 1, "row_max": 30, "value": "f64", "options": "",
            "status": "ok" if ok else "unsupported", "seconds": {"median": seconds} if ok else None, "portion_nnz": 1000,
            "bytes": None, "gflops": None, "tried": None, "partition": None, **more}


def pair(matrix, ratio, source="like"):
    """`new` is so many times as fast as `old`."""
    return [row(matrix, "new", 1e-3, source), row(matrix, "old", 1e-3 * ratio, source)]


class Claims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def judge(self, rows, statistic="mean", **more):
        (self.folder / "r.json").write_text(json.dumps({"rows": rows}), encoding="utf-8")
        claim_records._document.cache_clear()
        claim = {"id": "x", "paper": "000", "where": "Table 1", "claim": "new is faster", "number": "2", "record": "r.json",
                 "ours": {"measure": "ratio", "of": "new", "over": "old"}, "statistic": statistic, "is": ">= 2"}
        if statistic == "mean":
            claim["partly"] = "direction"
        for name, value in more.items():
            claim.pop(name, None) if value is None else claim.update({{"is_": "is"}.get(name, name): value})
        return claim_verdicts.judged(claim, {"two": ["a", "b"]}, self.folder)

    def test_a_mean_has_to_reach_the_number_in_both_ways(self):
        self.assertEqual(self.judge(pair("like(a)", 2) + pair("like(b)", 2)).verdict, "confirmed")
        # arithmetic 2.125, geometric 1
        self.assertEqual(self.judge(pair("like(a)", 4) + pair("like(b)", 0.25)).verdict, "partly")
        self.assertEqual(self.judge(pair("like(a)", 0.9) + pair("like(b)", 0.9)).verdict, "refuted")
        self.assertEqual(self.judge(pair("like(a)", 1.5), partly=None).verdict, "refuted")

    def test_every_matrix_counts_within_three_percent(self):
        def verdict(*ratios):
            rows = [each for i, ratio in enumerate(ratios) for each in pair(f"like(m{i})", ratio)]
            return self.judge(rows, "every", is_=">= 1", partly=None).verdict
        self.assertEqual(verdict(1, 0.971), "confirmed")
        self.assertEqual(verdict(1, 0.969), "partly")
        self.assertEqual(verdict(1, 0.9, 0.9), "refuted")

    def test_exceptions_are_named(self):
        found = self.judge(pair("like(a)", 3) + pair("like(b)", 0.5), "every", is_=">= 1")
        self.assertEqual(found.ours, "holds on 1 of 2; not b 0.5")

    def test_at_most(self):
        found = self.judge(pair("like(a)", 1.02) + pair("like(b)", 3), "every", is_="<= 1", partly=None)
        self.assertEqual((found.verdict, found.ours), ("partly", "holds on 1 of 2; not b 3"))

    def test_shares_and_extremes(self):
        rows = pair("like(a)", 3) + pair("like(b)", 0.5) + pair("like(c)", 2)
        self.assertEqual(self.judge(rows, "share", is_=">= 0.6", partly=None)[:2], ("confirmed", "2 of 3 (67 %)"))
        self.assertEqual(self.judge(rows, "most", is_=">= 3")[:2], ("confirmed", "3 (a) on 3 of 3"))
        self.assertEqual(self.judge(rows, "least", is_=">= 3")[:2], ("refuted", "0.5 (b) on 3 of 3"))

    def test_a_missing_matrix_confirms_in_part_only(self):
        of_two = {"measure": "ratio", "of": "new", "over": "old", "matrices": "two"}
        self.assertEqual(self.judge(pair("like(a)", 3), ours=of_two).verdict, "partly")
        rows = pair("like(a)", 3) + [row("like(b)", "new", None), row("like(b)", "old", 1e-3)]
        self.assertEqual(self.judge(rows, ours=of_two)[:2], ("partly", "3 (geometric 3) on 1 of 2; no number on 1 (b)"))
        self.assertEqual(self.judge(pair("like(a)", 3) + pair("like(b)", 3), ours=of_two).verdict, "confirmed")

    def test_a_part_without_entries_is_not_missing(self):
        rows = pair("like(a)", 3) + [row("like(b)", "new", None, portion_nnz=0), row("like(b)", "old", None, portion_nnz=0)]
        self.assertEqual(self.judge(rows).verdict, "confirmed")

    def test_the_file_goes_before_its_stand_in(self):
        of_two = {"measure": "ratio", "of": "new", "over": "old", "matrices": ["a"]}
        found = self.judge(pair("like(a)", 0.5) + pair("a", 3, "file") + pair("like(a,rows=3)", 0.5), ours=of_two)
        self.assertEqual(found[:3], ("confirmed", "3 (geometric 3) on 1 of 1", "real matrix"))

    def test_evidence(self):
        self.assertEqual(self.judge(pair("a", 3, "file")).evidence, "real matrix")
        self.assertEqual(self.judge(pair("a", 3, "file") + pair("like(b)", 3)).evidence, "stand-in (1 of 2)")
        self.assertEqual(self.judge(pair("stencil", 3, "generated")).evidence, "stand-in (1 of 1)")

    def test_circular_evidence_confirms_nothing(self):
        found = self.judge(pair("like(a)", 3), circular=True)
        self.assertEqual((found.verdict, found.evidence), ("not testable here", "circular (1)"))

    def test_what_a_stand_in_invents_is_not_testable_on_it(self):
        def rows(matrix, source):
            return [row(matrix, "new", None, source, bytes=200), row(matrix, "old", None, source, bytes=100)]
        ours = {"measure": "ratio", "of": "new", "over": "old", "quantity": "bytes"}
        why = "columns are invented"
        found = self.judge(rows("like(a)", "like"), ours=ours, is_=">= 3", not_testable=why)
        self.assertEqual((found.verdict, found.ours), ("not testable here", f"2 (geometric 2) on 1 of 1; {why}"))
        self.assertEqual(self.judge(rows("a", "file"), ours=ours, is_=">= 3", partly=None, not_testable=why).verdict, "refuted")

    def test_a_time_that_a_stand_in_decides_is_not_testable_on_it(self):
        self.assertEqual(self.judge(pair("like(a)", 0.5), not_testable="values are invented").verdict, "not testable here")
        self.assertEqual(self.judge(pair("a", 0.5, "file"), not_testable="values are invented").verdict, "refuted")

    def test_what_is_unavailable_is_not_testable_on_any_matrix(self):
        found = self.judge(pair("a", 3, "file"), unavailable="needs another machine")
        self.assertEqual(found[:3], ("not testable here", "3 (geometric 3) on 1 of 1; needs another machine", "real matrix"))

    def test_the_condition_has_the_printed_number(self):
        def wrong(number, condition, statistic="mean", total=14, **more):
            return claim_verdicts.disagreement({"number": number, "is": condition, "statistic": statistic, **more}, total)
        for number, condition in (("1.64", ">= 1.64"), ("82 %", ">= 0.82"), ("> 1", ">= 1"), ("5 to 8", ">= 5 <= 8"),
                                  ("1.6 (18 over 11 GFLOP/s)", ">= 1.6"), ("1,168", ">= 1168")):
            self.assertIsNone(wrong(number, condition))
        for number, condition in (("1.64", ">= 1.54"), ("82 %", ">= 0.8"), ("5 to 8", ">= 5 <= 9"), ("many", ">= 1.5")):
            self.assertIn(condition.split()[-1].rstrip("0"), wrong(number, condition))
        self.assertIsNone(wrong("14 of 14", ">= 1", "every"))
        self.assertEqual(wrong("56 of 56", ">= 1", "every", 40), "prints 56 of 56, and is about 40")
        self.assertIsNone(wrong("all others", ">= 1", "every"))
        self.assertIsNotNone(wrong("all others", ">= 2", "every"))
        self.assertIsNone(wrong("about 1", "<= 1.25", tolerance="about 1 is at most 1.25"))
        self.assertIsNone(wrong("a few percent", "<= 1.05", tolerance="a few percent is at most 5 %"))
        self.assertIn("1.3", wrong("about 1", "<= 1.3", tolerance="about 1 is at most 1.25"))

    def test_an_absent_record_is_an_error(self):
        for record in ("absent.json", ["r.json", "absent.json"]):
            with self.subTest(record), self.assertRaisesRegex(figures.Unknown, "claim x: the record absent.json is absent"):
                self.judge(pair("like(a)", 3), record=record)

    def test_a_compressed_record_is_read(self):
        with gzip.open(self.folder / "z.json.gz", "wt", encoding="utf-8") as file:
            json.dump({"rows": pair("like(a)", 3)}, file)
        self.assertEqual(self.judge([], record="z.json").verdict, "confirmed")

    def test_without_a_record_it_is_not_testable(self):
        self.assertEqual(self.judge([], record=None, not_testable="no such machine")[:2], ("not testable here", "no such machine"))

    def test_mistakes_are_errors(self):
        ours = {"measure": "ratio", "of": "new", "over": "old"}
        for more, words in (({"ours": {"measure": "guess"}}, "no measure"), ({"statistic": "mode"}, "no statistic"),
                            ({"is_": "> 1"}, "condition"), ({"verdict": "confirmed"}, "no such member"),
                            ({"ours": {**ours, "of": "newer"}}, "no series newer"),
                            ({"ours": {**ours, "over": ["old", "older"]}}, "no series older"),
                            ({"ours": {**ours, "excpet": ["a"]}}, "no such member of `ours`: excpet"),
                            ({"ours": {**ours, "matrices": ["a"], "except": ["b"]}}, "`except` names no matrix"),
                            ({"ours": {**ours, "matrices": "three"}}, "no set"),
                            ({"ours": {**ours, "source": "file"}}, "no row"),
                            ({"partly": ">= 1"}, "`partly`"), ({"statistic": "every", "partly": "direction"}, "`partly`")):
            with self.subTest(words), self.assertRaisesRegex(figures.Unknown, words):
                self.judge(pair("like(a)", 3), **{"statistic": "mean", **more})

    def test_a_matrix_counts_once(self):
        rows = pair("like(a)", 3) + [dict(each, values="few(100)") for each in pair("like(a,values=few(100))", 1)]
        with self.assertRaisesRegex(figures.Unknown, "counts a matrix twice: a"):
            self.judge(rows)
        ours = {"measure": "ratio", "of": "new", "over": "old", "values": ["distinct", "file"]}
        self.assertEqual(self.judge(rows, ours=ours).ours, "3 (geometric 3) on 1 of 1")

    def test_a_rival_without_a_time_is_not_passed_over(self):
        rows = [row("like(a)", "new", 1), row("like(a)", "x", None), row("like(a)", "y", 3), *pair("like(b)", 2),
                row("like(b)", "x", 4e-3), row("like(b)", "y", 3e-3)]
        found = self.judge(rows, ours={"measure": "ratio", "of": "new", "over": ["x", "y"]})
        self.assertEqual(found[:2], ("partly", "3 (geometric 3) on 1 of 2; no number on 1 (a)"))

    def test_few_numbers_decide_nothing(self):
        names = list("abcdef")
        ours = {"measure": "ratio", "of": "new", "over": "old", "matrices": names}
        for statistic in ("mean", "every", "share", "most"):
            found = self.judge(pair("like(a)", 3), statistic, ours=ours, is_=">= 0.1")
            self.assertEqual(found.verdict, "not testable here", statistic)
            self.assertIn("1 of 6", found.ours)

    def test_half_is_of_the_matrices_asked(self):
        ours = {"measure": "ratio", "of": "new", "over": "old", "matrices": list("abcd")}
        rows = pair("like(a)", 3) + pair("like(b)", 0.5)
        self.assertEqual(self.judge(rows, "every", ours=ours, is_=">= 1")[:2],
                         ("refuted", "holds on 1 of 4; not b 0.5; no number on 2 (c, d)"))
        self.assertEqual(self.judge(rows + pair("like(c)", 1), "every", ours=ours, is_=">= 1").verdict, "partly")
        self.assertEqual(self.judge(rows, "share", ours=ours, is_=">= 0.5")[:2],
                         ("refuted", "1 of 4 (25 %); no number on 2 (c, d)"))

    def test_half_of_the_excess(self):
        def verdict(ratio):
            return self.judge(pair("like(a)", ratio) + pair("like(b)", 0.5), "most", is_=">= 4", partly="half").verdict
        self.assertEqual([verdict(ratio) for ratio in (4, 2.6, 2.4)], ["confirmed", "partly", "refuted"])
        with self.assertRaisesRegex(figures.Unknown, "direction"):
            self.judge(pair("like(a)", 2) + pair("like(b)", 2), "most", partly="direction")
        self.assertEqual(self.judge(pair("like(a)", 1.1), "most", partly="direction").verdict, "partly")

    def test_twice_the_number_or_the_loss(self):
        def verdict(ratio, limit):
            return self.judge(pair("like(a)", ratio), is_=limit, partly="twice").verdict
        self.assertEqual([verdict(ratio, "<= 0.01") for ratio in (0.0099, 0.019, 0.021)], ["confirmed", "partly", "refuted"])
        self.assertEqual([verdict(ratio, ">= 0.96") for ratio in (0.97, 0.93, 0.91)], ["confirmed", "partly", "refuted"])

    def test_a_range_has_two_ends(self):
        def verdict(ratio):
            return self.judge(pair("like(a)", ratio), is_=">= 5 <= 8").verdict
        self.assertEqual([verdict(ratio) for ratio in (0.9, 4, 5.1, 7.9, 9)], ["refuted", "partly", "confirmed", "confirmed", "partly"])

    def test_several_sides_are_the_slowest_over_the_fastest(self):
        rows = [row("like(a)", "x", 1e-3), row("like(a)", "y", 2e-3), row("like(a)", "old", 6e-3)]
        ours = {"measure": "ratio", "of": ["x", "y"], "over": "old"}
        self.assertEqual(self.judge(rows, ours=ours).ours, "3 (geometric 3) on 1 of 1")
        ours = {"measure": "ratio", "of": "old", "over": ["x", "y"], "quantity": "time"}
        self.assertEqual(self.judge(rows, ours=ours, is_=">= 3").verdict, "confirmed")

    def test_another_series_where_rows_are_uneven(self):
        rows = pair("like(a)", 3) + [row("like(b)", name, time, row_sd=50.0) for name, time in (("new", 1), ("old", 1), ("other", 0.5))]
        ours = {"measure": "ratio", "of": "new", "over": "old", "uneven": "other"}
        self.assertEqual(self.judge(rows, ours=ours).ours, "2.5 (geometric 2.45) on 2 of 2")

    def test_share_of_a_search(self):
        tried = [{"options": "block_rows=32,block_width=8,threads_per_row=1", "median": 4e-3},
                 {"options": "block_rows=32,block_width=4,threads_per_row=1", "median": 3e-3},
                 {"options": "block_rows=32,block_width=8,threads_per_row=2", "median": 2e-3}]
        rows = [row("like(a)", "BRC, tuned", 2e-3, tried=tried), row("like(a)", "BRC", 2e-3)]
        own = {"measure": "search-share", "setting": {"block_rows": "32", "threads_per_row": "1"}, "widths": {"a": 8}, "tried": 3}
        self.assertEqual(self.judge(rows, ours=own, is_=">= 0.5").ours, "0.5 (geometric 0.5) on 1 of 1")
        own["among"] = {"threads_per_row": "1"}
        self.assertEqual(self.judge(rows, ours=own).ours, "0.75 (geometric 0.75) on 1 of 1")
        self.assertEqual(self.judge(rows, ours={"measure": "search-share"}).ours, "1 (geometric 1) on 1 of 1")

    def test_numbers_as_printed(self):
        rows = [row("like(a)", "HYB-k", None, options="width=7,tail=coo"), row("like(b)", "HYB-k", None, options="width=8")]
        ours = {"measure": "option-as-printed", "of": "HYB-k", "option": "width", "printed": {"a": 7, "b": 7}}
        self.assertEqual(self.judge(rows, "every", ours=ours, is_=">= 1").ours, "holds on 1 of 2; not b")

    def ours_of(self, rows, statistic="most", **ours):
        """The text of "ours" for a condition that does not matter."""
        return self.judge(rows, statistic, ours=ours, is_=">= 1", partly=None).ours

    def test_a_range_of_variation(self):
        rows = pair("like(a)", 3) + [dict(each, row_sd=20.0) for each in pair("like(b)", 5)]
        own = {"measure": "ratio", "of": "new", "over": "old"}
        self.assertEqual(self.ours_of(rows, **own, variation=[0, 0.7]), "3 on 1 of 1")
        self.assertEqual(self.ours_of(rows, **own, variation=[0.7, 9]), "5 on 1 of 1")
        # b is outside the range, c is missing
        self.assertEqual(self.ours_of(rows, **own, variation=[0, 0.7], matrices=list("abc")), "3 (a) on 1 of 2; no number on 1 (c)")

    def test_rows_that_a_claim_selects(self):
        rows = pair("a", 3, "file") + [dict(each, nnz=20000) for each in pair("like(b)", 2)]
        own = {"measure": "ratio", "of": "new", "over": "old"}
        self.assertEqual(self.ours_of(rows, **own), "3 (a) on 2 of 2")
        self.assertEqual(self.ours_of(rows, **own, matrices="two", **{"except": ["a"]}), "2 on 1 of 1")
        self.assertEqual(self.ours_of(rows, **own, least_nnz=10000), "2 on 1 of 1")
        self.assertEqual(self.ours_of(rows, **own, source="file"), "3 on 1 of 1")

    def test_bytes_over_csr(self):
        # CSR of 10 rows and 1000 nonzeros: 4 * 11 + 1000 * 12 bytes
        rows = [row("like(a)", "X", None, status="forecast", bytes=6022), row("like(b)", "X", None)]
        self.assertEqual(self.ours_of(rows, measure="bytes-over-csr", of="X"), "0.5 (a) on 1 of 2; no number on 1 (b)")
        self.assertEqual(self.ours_of(rows[:1], measure="bytes-over-csr", of="X", inverse=True), "2 on 1 of 1")
        rows[0].update(value="f32", bytes=16088)  # 44 + 8000
        self.assertEqual(self.ours_of(rows[:1], measure="bytes-over-csr", of="X"), "2 on 1 of 1")

    def test_bytes_an_entry(self):
        rows = [row("like(a)", "X", None, status="forecast", bytes=6000), row("like(b)", "X", None)]
        self.assertEqual(self.ours_of(rows, measure="bytes-an-entry", of="X"), "6 (a) on 1 of 2; no number on 1 (b)")

    def test_times_with_the_partitioning(self):
        rows = [row("like(a)", "x", 1.0, partition={"seconds": {"median": 2.0}}), row("like(a)", "y", 1.0), row("like(b)", "x", None),
                row("like(b)", "y", 1.0)]
        own = {"measure": "ratio", "of": "x", "over": "y"}
        self.assertEqual(self.ours_of(rows, **own, quantity="partitioned-time"), "3 (a) on 1 of 2; no number on 1 (b)")
        self.assertEqual(self.ours_of(rows, **own, quantity="time"), "1 (a) on 1 of 2; no number on 1 (b)")

    def test_tails_of_hyb(self):
        rows = [row("like(a)", "COO_COO", 1e-3, portion_nnz=100), row("like(a)", "ELL_ELL", 3e-3, portion_nnz=900),
                row("like(b)", "COO_COO", 1e-3, portion_nnz=600), row("like(b)", "ELL_ELL", 3e-3, portion_nnz=400)]
        # a quarter of the time, a tenth of the nonzeros; b's share is above one half
        self.assertEqual(self.ours_of(rows, measure="tail-time"), "2.5 on 1 of 1")
        self.assertEqual(self.ours_of(rows, "every", measure="tail-share-as-printed", printed={"a": 10, "b": 60.001}),
                         "holds on 1 of 2; not b")

    def test_widths(self):
        def curve(matrix, longest):  # μ + σ is 15
            times = {"5": 2, "10": 4, "20": 0.5, "40": 0.1, "unbounded": 0.8}
            return [row(matrix, "Equation (3)", 1, options="block_width=15", row_max=longest)] + [
                row(matrix, label, time, row_max=longest) for label, time in times.items()]
        rows = curve("like(a)", 30)  # speeds 1/2, 1/4, 1 up to 15, then 2 and (of 30) 1.25
        self.assertEqual(self.ours_of(rows, measure="widths-rise"), "0.5 on 1 of 1")
        self.assertEqual(self.ours_of(rows + curve("like(b)", 15), measure="widths-beyond"), "0.5 on 1 of 1")
        rows += [row("like(c)", "Equation (3)", None)]
        self.assertEqual(self.ours_of(rows, measure="widths-rise"), "0.5 (a) on 1 of 2; no number on 1 (c)")
        self.assertEqual(self.ours_of(rows, measure="widths-beyond"), "0.5 (a) on 1 of 2; no number on 1 (c)")

    def test_sparser_is_faster(self):
        rows = [row(f"like({name})", "X", 1, row_mean=mean, gflops=speed) for name, mean, speed in
                (("c", 8.0, 40), ("a", 2.0, 30), ("b", 4.0, 20))]
        self.assertEqual(self.ours_of(rows, "every", measure="sparser-is-faster", of="X"), "holds on 1 of 2; not b 0.5")
        rows[0]["gflops"] = None
        self.assertEqual(self.ours_of(rows, measure="sparser-is-faster", of="X"), "1.5 (a) on 1 of 2; no number on 1 (b)")

    def test_wins(self):
        rows = [row(matrix, label, time, "file") for matrix, times in (("a", (2, 1, 3)), ("b", (2, 1, 1)), ("c", (2, 1, None)))
                for label, time in zip(("core", "X", "Y"), times)]
        found = self.judge(rows, "every", ours={"measure": "wins", "over": "core", "order": [["X", "Y"], ["Y", "X"]]}, is_=">= 1")
        self.assertEqual(found[1:3], ("holds on 1 of 2; not Y 1, X 3 0.333", "real matrix"))

    def test_partition(self):
        def sets(difference, density):
            return {"relative_difference": difference, "mean_density": density, "powers": [1] * 8}
        rows = [row("like(a)", "one", None, partition=sets(0.16, 0.1)), row("like(a)", "two", None, partition=sets(0.08, 0.4)),
                row("like(b)", "one", None, partition=sets(0.16, 0.1)), row("like(b)", "two", None)]
        for more, text in (({"quantity": "difference"}, "8"), ({"quantity": "difference", "over": "one"}, "0.5"),
                           ({"quantity": "density"}, "40"), ({"quantity": "density", "over": "one"}, "4")):
            self.assertEqual(self.ours_of(rows, measure="partition", of="two", **more), f"{text} (a) on 1 of 2; no number on 1 (b)")

    def test_power_by_density(self):
        rows = [each for name, mean, core in (("a", 1.0, 10), ("b", 3.0, 60), ("c", 10.0, 90)) for each in
                (row(name, "X", 1, "generated", row_mean=mean, row_max=10),
                 row(name, "CSR, one CPU core", core, "generated", row_mean=mean, row_max=10))]
        own = {"measure": "power-by-density", "of": "X", "from": 0.3}
        self.assertEqual(self.ours_of(rows, **own), "1.5 (100 %) on 2 of 2")
        self.assertEqual(self.ours_of(rows, "least", **own, printed=75), "0.8 (30 %) on 2 of 2")

    def test_petsc(self):
        rows = [{"preconditioner": "ilu", "series": series, "status": "ok", "total": time} for series, time in (("x", 2), ("y", 4))]
        own = {"measure": "petsc", "preconditioner": "ilu", "column": "total", "of": "x"}
        self.assertEqual(self.ours_of(rows, **own), "2 on 1 of 1")
        self.assertEqual(self.ours_of(rows, **own, over="y"), "0.5 on 1 of 1")
        own = {"measure": "petsc", "preconditioner": "ilu", "spread": ["x", "y"], "column": "total"}
        self.assertEqual(self.ours_of(rows, **own), "2 on 1 of 1")
        rows[0].update(inspect=0.5, update=0.25)
        self.assertEqual(self.ours_of(rows, measure="petsc", preconditioner="ilu", column="conversion", of="x"), "0.75 on 1 of 1")
        with self.assertRaisesRegex(figures.Unknown, "no series z"):
            self.ours_of(rows, **dict(own, spread=["x", "z"]))

    def test_a_ratio_of_bandwidths(self):
        rows = [row("like(a)", "x", 1, paper_bandwidth_gbs=30), row("like(a)", "y", 1, paper_bandwidth_gbs=20)]
        self.assertEqual(self.ours_of(rows, measure="ratio", of="x", over="y", quantity="bandwidth"), "1.5 on 1 of 1")

    def test_variants_are_counted_apart(self):
        claims = [{"id": name, "paper": "000", "where": "x", "claim": "y", "number": "1", "not_testable": "why", **more}
                  for name, more in (("a", {}), ("b", {"variant": True}))]
        with mock.patch.object(reproduction, "read_claims", lambda: (claims, {})):
            self.assertIn("| all | 0 | 0 | 0 | 1 | 1 | 1 |", reproduction.paper_claims_count())
            self.assertIn("variant of x: y", reproduction.paper_claims("000"))


class Files(unittest.TestCase):
    """The project's own claims and page."""

    def test_every_claim_is_judged_by_the_fixed_list(self):
        claims, sets = reproduction.read_claims()
        for claim in claims:
            with self.subTest(claim["id"]):
                self.assertIn(claim_verdicts.judged(claim, sets).verdict, claim_verdicts.VERDICTS)
                for name in ("id", "paper", "where", "claim", "number"):
                    self.assertTrue(claim[name])

    def test_every_condition_has_its_printed_number(self):
        claims, sets = reproduction.read_claims()
        for claim in claims:
            if "record" in claim:
                with self.subTest(claim["id"]):
                    self.assertIsNone(claim_verdicts.disagreement(claim, claim_verdicts.judged(claim, sets).total))

    def test_papers_002_and_003_have_claims(self):
        claims, _ = reproduction.read_claims()
        self.assertEqual({claim["paper"] for claim in claims}, {"000", "001", "002", "003", "004"})

    def copy(self):
        """What scripts/figures reads."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name)
        for name in ("scripts/figures", "bench/figures/__init__.py", "bench/figures/claim_records.py", "bench/figures/claim_measures.py",
                     "bench/figures/claim_verdicts.py", "bench/figures/reproduction.py", "bench/claims.json", "docs/reproduction.md"):
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, top / name)
        (top / "README.md").write_text("", encoding="utf-8")
        # Records stay where they are, except for one that may be changed.
        claims, _ = reproduction.read_claims()
        names = {name for claim in claims if "record" in claim
                 for name in ([claim["record"]] if isinstance(claim["record"], str) else claim["record"])}
        for name in names:
            present = claim_records.found(name, reproduction.RESULTS)
            if present:
                (top / "bench/results" / present).parent.mkdir(parents=True, exist_ok=True)
                (top / "bench/results" / present).symlink_to(reproduction.RESULTS / present)
        return top

    def check(self, top):
        """What --check says of a copy: empty where all is right. It runs in a fresh set of modules."""
        own = {name: module for name, module in sys.modules.items() if name != "figures" and not name.startswith("figures.")}
        script = str(top / "scripts/figures")
        with mock.patch.dict(sys.modules, own, clear=True), mock.patch.object(sys, "path", list(sys.path)), \
                mock.patch.object(sys, "argv", [script, "--check"]), contextlib.redirect_stdout(io.StringIO()):
            try:
                runpy.run_path(script, run_name="__main__")
            except SystemExit as problem:
                return str(problem)
        return ""

    def test_the_page_is_what_the_records_say(self):
        self.assertEqual(self.check(self.copy()), "")

    def test_a_wrong_figure_in_the_page_is_found(self):
        top = self.copy()
        page = top / "docs/reproduction.md"
        text = page.read_text(encoding="utf-8")
        table = text.index("<!-- figures: paper-claims 000 -->")
        number = re.search(r"\| (\d+\.\d+) \(geometric", text[table:])
        wrong = text[:table + number.start(1)] + f"{float(number[1]) + 1:.3g}" + text[table + number.end(1):]
        page.write_text(wrong, encoding="utf-8")
        self.assertIn("figures: paper-claims 000: quotes", self.check(top))
        page.write_text(re.sub(r"\*\*refuted\*\*", "**confirmed**", text, count=1), encoding="utf-8")
        self.assertIn("figures: paper-claims 000: quotes", self.check(top))

    def test_a_wrong_number_in_a_record_is_found(self):
        top = self.copy()
        present = claim_records.found("h200/experiments/brc_table3_beta1.json", top / "bench/results")
        document = claim_records._document("h200/experiments/brc_table3_beta1.json", top / "bench/results")
        (top / "bench/results" / present).unlink()
        record = top / "bench/results/h200/experiments/brc_table3_beta1.json"
        for each in document["rows"]:
            if each["series"] == "BRC" and each["matrix"] == "like(cant)":
                each["seconds"]["median"] *= 2
        record.write_text(json.dumps(document), encoding="utf-8")
        self.assertIn("figures: paper-claims 000: quotes", self.check(top))

    def test_a_lost_record_is_found(self):
        top = self.copy()
        results = top / "bench/results"
        (results / claim_records.found("h200/experiments/csr_m_fig12.json", results)).unlink()
        self.assertIn("claim 002-csr-o: the record h200/experiments/csr_m_fig12.json is absent", self.check(top))


if __name__ == "__main__":
    unittest.main()
