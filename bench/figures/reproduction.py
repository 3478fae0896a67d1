# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/reproduction.md: each claim of a paper in bench/claims.json, judged by its record.

A claim names what is measured (`ours`, a function of claim_measures.py), the paper's condition (`is`) and a weaker
one (`partly`). claim_verdicts.py judges.
"""

import collections
import json

from . import RESULTS, Unknown, figure, markdown_table
from .claim_records import found, listed
from .claim_verdicts import VERDICTS, judged

CLAIMS = RESULTS.parent / "claims.json"


def read_claims(path=None):
    document = json.loads((path or CLAIMS).read_text(encoding="utf-8"))
    names = [claim["id"] for claim in document["claims"]]
    if len(set(names)) != len(names):
        raise Unknown("two claims have one id")
    return document["claims"], document["sets"]


def record_links(claim):
    if "record" not in claim:
        return "–"
    names = listed(claim["record"])
    return ", ".join(f"[{name.rsplit('/', 1)[1].split('.')[0]}](bench/results/{found(name, RESULTS)})" for name in names)


@figure
def paper_claims(paper):
    """The claims of one paper with their verdicts."""
    all_claims, sets = read_claims()
    rows = []
    for claim in all_claims:
        if claim["paper"] != paper:
            continue
        result = judged(claim, sets)
        kind = "variant of " * claim.get("variant", False)
        rows.append([f"{kind}{claim['where']}: {claim['claim']}", claim["number"], result.ours,
                     f"**{result.verdict}**", result.evidence, record_links(claim)])
    table = markdown_table(["claim", "the paper's number", "ours", "verdict", "evidence", "record"], rows)
    return table.replace("| ---: | ---: | ---: | ---: | ---: |", "| --- | --- | --- | --- | --- |")


@figure
def paper_claims_count():
    """How many claims of each paper have which verdict. Variants, which no paper claims, are a column of their own."""
    all_claims, sets = read_claims()
    counts = {}
    for claim in all_claims:
        kind = "variants" if claim.get("variant") else judged(claim, sets).verdict
        counts.setdefault(claim["paper"], collections.Counter())[kind] += 1
    counts = dict(sorted(counts.items()))
    counts["all"] = sum(counts.values(), collections.Counter())
    rows = [[paper, *(count[verdict] for verdict in VERDICTS), sum(count[verdict] for verdict in VERDICTS), count["variants"]]
            for paper, count in counts.items()]
    return markdown_table(["paper", *VERDICTS, "claims", "variants"], rows)
