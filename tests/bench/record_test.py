# SPDX-License-Identifier: BSD-3-Clause
"""bench/record.py: the schemas of documents, and what rows of schema 1 are called now."""

import gzip
import json
import pathlib
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "bench"), str(pathlib.Path(__file__).resolve().parent)]
import record  # noqa: E402
import synthetic  # noqa: E402


def read(document, **more):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "some.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        return record.read(file, **more)


def read_row(row, schema):
    document = read({**synthetic.document([row]), "schema": schema})
    return document["results"][0]


def part(where, form, rows=5):
    return {"where": where, "threads": 2 if where == "cpu" else None, "format": form, "rows": rows}


class Schemas(unittest.TestCase):
    def test_schemas_1_and_2_are_read_and_no_others(self):
        for schema in (1, 2):
            document = read({**synthetic.plain(2), "schema": schema})
            self.assertEqual((document["schema"], len(document["results"])), (2, 2))
        for schema in (0, 3, "1", None):
            with self.assertRaisesRegex(record.BadInput, r"some\.json: not a document of gossamer bench \(schema 1 or 2\)"):
                read({**synthetic.plain(2), "schema": schema})

    def test_a_gzip_file_has_to_be_whole(self):
        whole = gzip.compress(json.dumps(synthetic.plain(2)).encode())
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "some.json.gz"
            file.write_bytes(whole)
            self.assertEqual(len(record.read(file)["results"]), 2)
            for broken in (whole[:-9], whole[:30] + bytes(20) + whole[50:], b"{}"):
                file.write_bytes(broken)
                with self.assertRaisesRegex(record.BadInput, r"some\.json\.gz: not a whole gzip file"):
                    record.read(file)

    def test_csr_is_pattern_csr_in_schema_1_on_a_cpu(self):
        for schema, device, name in ((1, "cpu", "pattern_csr"), (2, "cpu", "csr"), (1, "cuda:0", "csr"), (2, "cuda:0", "csr")):
            self.assertEqual(read_row(synthetic.row("m", 1e-5, format="csr", device=device), schema)["format"], name)
        for name in ("csr_fragment", "row_grouped_csr", "coo"):
            self.assertEqual(read_row(synthetic.row("m", 1e-5, format=name), 1)["format"], name)
        peer = synthetic.row("m", 1e-5, format="csr", peer=True)
        self.assertEqual(read_row(peer, 1), peer)

    def test_options_of_schema_1_have_the_names_of_schema_2(self):
        for form, device, old, new in (
                ("auto", "cpu", "format=csr,kernel=thread", "format=pattern_csr,kernel=thread"),
                ("auto", "cuda:0", "format=csr,kernel=warp", "format=csr,kernel=warp"),
                ("auto", "cpu", "format=csr_fragment,fragment=8", "format=csr_fragment,fragment=8"),
                ("packed", "cuda:0", "short_rows=auto,warps_on_diagonals=more,column_repeats=auto",
                 "short_rows=auto,warps_on_diagonals=scaled,elided_deltas=auto"),
                ("auto", "cuda:0", "format=packed,warps_on_diagonals=more,column_repeats=auto",
                 "format=packed,warps_on_diagonals=scaled,elided_deltas=auto"),
                ("packed", "cuda:0", "warps_on_diagonals=as_said", "warps_on_diagonals=fixed")):
            row = synthetic.row("m", 1e-5, format=form, device=device, options=old)
            self.assertEqual(read_row(row, 1)["options"], new)
            self.assertEqual(read_row(row, 2)["options"], old)

    def test_parts_on_a_cpu_are_renamed(self):
        def old(*parts):
            formats = ",".join(each["format"] for each in parts)
            return read_row(synthetic.row("m", 1e-5, format="csr", device="hybrid", options=f"rows=5,5,formats={formats}", parts=list(parts)), 1)

        mixed = old(part("cuda:0", "csr"), part("cpu", "csr"))
        self.assertEqual((mixed["format"], mixed["options"]), ("csr", "rows=5,5,formats=csr,pattern_csr"))
        self.assertEqual([each["format"] for each in mixed["parts"]], ["csr", "pattern_csr"])
        cores = old(part("cpu", "csr"), part("cpu", "none", 0))
        self.assertEqual((cores["format"], cores["options"]), ("pattern_csr", "rows=5,5,formats=pattern_csr,none"))
        gpus = old(part("cuda:0", "csr"), part("cuda:1", "csr"))
        self.assertEqual((gpus["format"], gpus["options"]), ("csr", "rows=5,5,formats=csr,csr"))

    def test_rows_of_experiments_are_renamed(self):
        def row(series, form, device="cpu"):
            return {"series": series, "format": form, "device": device, "options": "", "peer": False, "parts": None}

        document = {"schema": 1, "experiment": "arg_csr/conversion",
                    "rows": [row("CSR", "csr"), row("csr, one core", "csr"), row("csr_fragment", "csr_fragment"), row("csr", "csr", "cuda:0"),
                             {"preconditioner": "ilu", "series": "aij"}]}
        rows = read(document, experiments=True)["rows"]
        self.assertEqual([(each["series"], each.get("format")) for each in rows],
                         [("CSR", "pattern_csr"), ("pattern_csr, one core", "pattern_csr"), ("csr_fragment", "csr_fragment"), ("csr", "csr"), ("aij", None)])
        with self.assertRaisesRegex(record.BadInput, "not a document of gossamer bench or experiment"):
            read({**document, "schema": 3}, experiments=True)

    def test_rows_without_operation_and_columns_are_of_one_product(self):
        old = synthetic.row("m", 1e-5)
        self.assertEqual(record.key_of(old), record.key_of({**old, "op": "forward", "columns": 1}))
        self.assertNotEqual(record.key_of(old), record.key_of({**old, "columns": 4}))
        self.assertNotEqual(record.key_of({**old, "columns": 2}), record.key_of({**old, "columns": 4}))
        self.assertEqual(record.product(old), [])
        self.assertEqual(record.product({**old, "op": "transposed", "columns": 4}), ["transposed", "4 columns"])

    def test_reference_formats_are_those_of_the_kind_of_device(self):
        for device, name in (("cpu", "pattern_csr"), ("cuda:0", "csr"), ("hybrid", "csr")):
            self.assertEqual(record.reference_format({"device": device}), name)
        self.assertEqual(record.reference_format({"device": "hybrid", "parts": [part("cpu", "auto"), part("cpu", "auto")]}), "pattern_csr")
        self.assertEqual(record.reference_format({"device": "hybrid", "parts": [part("cuda:0", "auto"), part("cpu", "auto")]}), "csr")


if __name__ == "__main__":
    unittest.main()
