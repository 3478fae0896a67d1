# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/reproduction.md: each claim of a paper in bench/claims.json, judged by its record.

A claim names what is measured (`ours`), the paper's condition (`is`) and a weaker one (`partly`). A measure is a
function below with the decorator @measure. It gets the rows of the record and returns one number a matrix.
"""

import collections
import functools
import gzip
import json
import statistics

from . import RESULTS, Unknown, figure, markdown_table

CLAIMS = RESULTS.parent / "claims.json"
LEVEL = 0.97  # ratios from here on count as 1: two runs of one product differ by as much
VERDICTS = ("confirmed", "partly", "refuted", "not testable here", "not measured yet")
MEASURES = {}

Number = collections.namedtuple("Number", "name value real")  # real: of a file


def measure(function):
    MEASURES[function.__name__.replace("_", "-")] = function
    return function


# ---------------------------------------------------------------------------------------------- records


def found(name, results):
    """The name of a record, which may be compressed; None if it is absent."""
    return next((each for each in (name, f"{name}.gz") if (results / each).exists()), None)


@functools.lru_cache(maxsize=None)
def _document(name, results):
    present = found(name, results)
    if present is None:
        return None
    with (gzip.open if present.endswith(".gz") else open)(results / present, "rt", encoding="utf-8") as file:
        return json.load(file)


def rows_of(names, results=None):
    """The rows of the records together; None if one of them is absent. A matrix counts once."""
    seen, rows = set(), []
    for name in names:
        document = _document(name, results or RESULTS)
        if document is None:
            return None
        own = document["rows"]
        fresh = {key(row) for row in own} - seen
        rows += [row for row in own if key(row) in fresh]
        seen |= fresh
    return rows


def key(row):
    return row.get("matrix"), row.get("values")


def published(row):
    """The name in the papers' tables: of like(cant) and like(cant,values=few(100)) cant."""
    name = row["matrix"]
    return name[5:].rstrip(")").split(",")[0] if name.startswith("like(") else name.split(".mtx")[0]


def table_rows(rows, names):
    """Rows of a paper's matrices: of each the file, or else the stand-in without other arguments."""
    kept = []
    for name in names:
        files = [row for row in rows if row["source"] == "file" and published(row) == name]
        kept += files or [row for row in rows if row["matrix"] == f"like({name})" and row["values"] != "few(100)"]
    return kept


def selected(rows, ours, sets):
    """Rows of the matrices that a claim is about."""
    names = names_of(ours, sets)
    if names is not None:
        rows = table_rows(rows, names)
    low, high = ours.get("variation", (-1, float("inf")))
    return [row for row in rows
            if ("source" not in ours or row["source"] == ours["source"])
            and ("values" not in ours or row["values"] == ours["values"])
            and row["nnz"] >= ours.get("least_nnz", 0)
            and low < row["row_sd"] / max(row["row_mean"], 1e-300) <= high]


def names_of(ours, sets):
    """The matrices that a claim names; None for all of the record."""
    names = ours.get("matrices")
    return [name for name in (sets[names] if isinstance(names, str) else names) if name not in ours.get("except", [])] \
        if names is not None else None


def absent(rows, ours, sets):
    """Matrices that a claim names and its record does not have; a range of σ / μ leaves out those that it leaves out."""
    names = names_of(ours, sets)
    if names is None or "variation" in ours:
        return []
    return set(names) - {published(row) for row in rows if "matrix" in row}


def by_matrix(rows):
    """{matrix: {series: row}} in the record's order."""
    all_of = {}
    for row in rows:
        all_of.setdefault(key(row), {})[row["series"]] = row
    return all_of


def seconds(row):
    return row["seconds"]["median"] if row and row["status"] == "ok" and row["seconds"] else None


def options_of(text):
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


def number(row, value):
    return Number(published(row), value, row["source"] == "file")


# --------------------------------------------------------------------------------------------- measures

QUANTITIES = {
    "speed": lambda row: 1 / seconds(row) if seconds(row) else None,
    "time": seconds,
    "bandwidth": lambda row: row["paper_bandwidth_gbs"] if seconds(row) else None,
    "bytes": lambda row: row["bytes"] if row else None,
    "inspect": lambda row: row["inspect_seconds"] if seconds(row) else None,
}


@measure
def ratio(rows, ours, asked):
    """`of` over `over`, in speed where `quantity` says nothing else; of several `over` the greatest, of several
    `of` the least. `uneven` takes the place of `of` where σ > μ."""
    quantity = QUANTITIES[ours.get("quantity", "speed")]
    for series in by_matrix(rows).values():
        first = next(iter(series.values()))
        own = ours["uneven"] if "uneven" in ours and first["row_sd"] > first["row_mean"] else ours["of"]
        sides = [[series.get(label) for label in ([side] if isinstance(side, str) else side)] for side in (own, ours["over"])]
        if any(row is not None and row.get("portion_nnz") == 0 for side in sides for row in side):
            continue  # the matrix has no such part
        asked.append(published(first))
        of, over = ([quantity(row) for row in side if row and quantity(row)] for side in sides)
        if of and over:
            yield number(first, min(of) / max(over))


@measure
def bytes_over_csr(rows, ours, asked):
    """Bytes of a forecast over those of CSR with 4-byte indices; with `inverse` the other way round."""
    for row in rows:
        if row["series"] != ours["of"]:
            continue
        asked.append(published(row))
        if row["status"] == "forecast" and row["bytes"]:
            value = 4 if row["value"] == "f32" else 8
            share = row["bytes"] / (4 * (row["rows"] + 1) + row["nnz"] * (value + 4))
            yield number(row, 1 / share if ours.get("inverse") else share)


@measure
def option_as_printed(rows, ours, asked):
    """1 where a series' option is the printed number, else 0."""
    for row in rows:
        if row["series"] != ours["of"] or published(row) not in ours["printed"]:
            continue
        asked.append(published(row))
        text = options_of(row["options"]).get(ours["option"])
        if text is not None:
            yield number(row, float(int(text) == ours["printed"][published(row)]))


@measure
def tail_share_as_printed(rows, ours, asked):
    """1 where the share of the nonzeros in HYB's COO part is the printed percentage, to three digits."""
    for row in rows:
        if row["series"] != "COO_COO" or published(row) not in ours["printed"]:
            continue
        asked.append(published(row))
        share = 100 * row["portion_nnz"] / row["nnz"]
        yield number(row, float(abs(share - ours["printed"][published(row)]) < 0.0006))


@measure
def tail_time(rows, ours, asked):
    """The COO part's share of the time over its share of the nonzeros, where that is below one half."""
    for series in by_matrix(rows).values():
        coo, ell = series.get("COO_COO"), series.get("ELL_ELL")
        share = coo["portion_nnz"] / coo["nnz"]
        if not 0 < share < 0.5:
            continue
        asked.append(published(coo))
        if seconds(coo) and seconds(ell):
            yield number(coo, seconds(coo) / (seconds(coo) + seconds(ell)) / share)


@measure
def search_share(rows, ours, asked):
    """The best time of a search over the time of one setting: the model's, or with `setting` that one. The
    search is over all settings tried, or with `among` over those that have these options."""
    for series in by_matrix(rows).values():
        tuned, model = series.get("BRC, tuned"), series.get("BRC")
        if not tuned:
            continue
        asked.append(published(tuned))
        tried = [(options_of(one["options"]), one["median"]) for one in tuned["tried"] or [] if one["median"]]
        if len(tried) < ours.get("tried", 1):
            continue
        best = [time for options, time in tried if ours.get("among", {}).items() <= options.items()]
        if "setting" in ours:
            wanted = dict(ours["setting"], block_width=str(ours["widths"][published(tuned)]))
            own = [time for options, time in tried if wanted.items() <= options.items()]
        else:
            own = [seconds(model)]
        if best and own and own[0]:
            yield number(tuned, min(best) / own[0])


@measure
def widths_rise(rows, ours, asked):
    """Figure 6: the least speed of a width over that of a narrower one, up to μ + σ."""
    for curve in _curves(rows, asked):
        fastest, least = 0, 1.0
        for width, speed in curve.speeds:
            if width <= curve.usual:
                least = min(least, speed / fastest if fastest else 1.0)
                fastest = max(fastest, speed)
        yield number(curve.row, least)


@measure
def widths_beyond(rows, ours, asked):
    """Figure 6: the speed of the widest width up to μ + σ over that of the fastest wider one."""
    for curve in _curves(rows, []):
        behind = [speed for width, speed in curve.speeds if width > curve.usual]
        before = [speed for width, speed in curve.speeds if width <= curve.usual]
        if behind and before:
            asked.append(published(curve.row))
            yield number(curve.row, before[-1] / max(behind))


Curve = collections.namedtuple("Curve", "row usual speeds")


def _curves(rows, asked):
    for series in by_matrix(rows).values():
        base = series.get("Equation (3)")
        if base:
            asked.append(published(base))
        if not seconds(base):
            continue
        speeds = {int(options_of(base["options"])["block_width"]): 1 / seconds(base)}
        for label, row in series.items():
            if label.isdigit() and int(label) < base["row_max"] and seconds(row):
                speeds.setdefault(int(label), 1 / seconds(row))
            elif label == "unbounded" and seconds(row):
                speeds.setdefault(int(base["row_max"]), 1 / seconds(row))
        yield Curve(base, round(base["row_mean"] + base["row_sd"]), sorted(speeds.items()))


@measure
def sparser_is_faster(rows, ours, asked):
    """A series' speed on each matrix over that on the next denser one."""
    own = sorted((row for row in rows if row["series"] == ours["of"] and row["gflops"]), key=lambda row: row["row_mean"])
    for sparse, dense in zip(own, own[1:]):
        asked.append(published(sparse))
        yield number(sparse, sparse["gflops"] / dense["gflops"])


@measure
def wins(rows, ours, asked):
    """For each pair of `order`: on how many matrices the first is faster than `over`, relative to the second."""
    counts = {}
    for series in by_matrix(rows).values():
        base = seconds(series.get(ours["over"]))
        for label in {name for pair in ours["order"] for name in pair}:
            time = seconds(series.get(label))
            counts[label] = counts.get(label, 0) + bool(base and time and time < base)
    real = all(row["source"] == "file" for row in rows)
    for a, b in ours["order"]:
        asked.append(f"{a}, {b}")
        yield Number(f"{a} {counts[a]}, {b} {counts[b]}", counts[a] / max(counts[b], 1), real)


def _sets(row, quantity):
    sets = row and row.get("partition")
    if not sets:
        return None
    if quantity == "difference":  # in percent, the mean over the sets
        return 100 * sets["relative_difference"] / len(sets["powers"])
    return 100 * sets["mean_density"]


@measure
def partition(rows, ours, asked):
    """Difference or density of the sets, in percent; with `over` relative to another series."""
    for series in by_matrix(rows).values():
        row = series.get(ours["of"])
        asked.append(published(row))
        own = _sets(row, ours["quantity"])
        if own is None:
            continue
        if "over" not in ours:
            yield number(row, own)
        else:
            other = _sets(series.get(ours["over"]), ours["quantity"])
            if other is not None:
                yield number(row, own / other if other else float("inf"))


@measure
def power_by_density(rows, ours, asked):
    """A device's speed over one core's, of each block from `from` on, relative to the least of these or to `printed`."""
    powers = []
    for series in by_matrix(rows).values():
        row, core = series.get(ours["of"]), series.get("CSR, one CPU core")
        if not row or row["row_mean"] / row["row_max"] < ours["from"] - 0.005:
            continue
        asked.append(row["matrix"])
        if seconds(row) and seconds(core):
            powers.append((row, seconds(core) / seconds(row)))
    least = ours.get("printed") or min((power for _, power in powers), default=1)
    for row, power in powers:
        yield Number(f"{100 * row['row_mean'] / row['row_max']:.0f} %", power / least, False)


@measure
def petsc(rows, ours, asked):
    """Table 5: a column of one run over the same of another, or alone."""
    runs = {(row["preconditioner"], row["series"]): row for row in rows}
    asked.append("ex19")
    sides = [runs.get((ours["preconditioner"], ours[side])) for side in ("of", "over") if side in ours]
    if all(row and row["status"] == "ok" for row in sides):
        values = [row[ours["column"]] for row in sides] + [1]
        yield Number("ex19", values[0] / values[1], True)


# -------------------------------------------------------------------------------------------- verdicts


def condition(text):
    """">= 1.2" as a function."""
    sign, limit = text.split()
    limit = float(limit)
    if sign not in (">=", "<="):
        raise Unknown(f"a condition is \">= N\" or \"<= N\", not \"{text}\"")
    return (lambda value: value >= limit) if sign == ">=" else (lambda value: value <= limit)


Judged = collections.namedtuple("Judged", "verdict ours evidence")


def judged(claim, sets, results=None):
    """The rule at the top of docs/reproduction.md."""
    unknown = set(claim) - {"id", "paper", "where", "claim", "number", "record", "ours", "statistic", "is", "partly",
                            "circular", "not_testable"}
    if unknown:
        raise Unknown(f"claim {claim['id']}: no such member: {', '.join(sorted(unknown))}")
    if "record" not in claim:
        return Judged("not testable here", claim["not_testable"], "–")
    names = [claim["record"]] if isinstance(claim["record"], str) else claim["record"]
    rows = rows_of(names, results)
    if rows is None:
        return Judged("not measured yet", "", "–")
    ours = claim["ours"]
    if ours["measure"] not in MEASURES:
        raise Unknown(f"claim {claim['id']}: there is no measure \"{ours['measure']}\"")
    if ours["measure"] != "petsc":
        rows = selected(rows, ours, sets)
    asked = []
    numbers = list(MEASURES[ours["measure"]](rows, ours, asked))
    if not numbers:
        raise Unknown(f"claim {claim['id']}: its record has no row that it selects")
    missing = max(0, len(asked) - len(numbers)) + len(absent(rows, ours, sets))
    verdict, text = verdict_of(claim, numbers, missing)
    stand_ins = sum(not one.real for one in numbers)
    evidence = "real matrix" if stand_ins == 0 else f"stand-in ({stand_ins} of {len(numbers)})"
    if claim.get("circular"):
        verdict, evidence = "not testable here", f"circular ({len(numbers)})"
    elif "not_testable" in claim and stand_ins:
        verdict, text = "not testable here", f"{text}; {claim['not_testable']}"
    return Judged(verdict, text, evidence)


def verdict_of(claim, numbers, missing):
    values = [one.value for one in numbers]
    of = f"{len(values)} of {len(values) + missing}" if missing else f"{len(values)}"
    full, part = condition(claim["is"]), condition(claim["partly"]) if "partly" in claim else lambda value: False
    statistic = claim["statistic"]
    if statistic == "mean":
        # Means are arithmetic in the papers. One large ratio moves them, so the geometric mean has to agree.
        means = [statistics.fmean(values)] + [statistics.geometric_mean(values)] * (min(values) > 0)
        text = f"{means[0]:.3g}" + f" (geometric {means[-1]:.3g})" * (len(means) > 1) + f", {of} matrices"
        reached, half = all(map(full, means)), all(map(part, means))
    elif statistic == "every":
        # `is` is of one matrix; within LEVEL it is reached. Half of the matrices are "partly".
        slack = LEVEL if claim["is"].startswith(">=") else 1 / LEVEL
        holding = [one for one in numbers if full(one.value / slack)]
        others = sorted((one for one in numbers if one not in holding), key=lambda one: one.value)
        if claim["is"].startswith("<="):
            others.reverse()
        text = f"on {len(holding)} of {len(numbers) + missing}"
        if others and missing + len(numbers) > 1:
            flags = set(values) <= {0.0, 1.0}  # as printed or not: no ratio to show
            named = [one.name if flags else f"{one.name} {one.value:.3g}" for one in others[:3]]
            text += "; not " + ", ".join(named) + " …" * (len(others) > 3)
        if len(numbers) == 1:
            text = f"{values[0]:.3g}"
        reached, half = len(holding) == len(numbers), 2 * len(holding) >= len(numbers)
    elif statistic == "share":
        share = sum(value > 1 for value in values) / len(values)
        text = f"{sum(value > 1 for value in values)} of {len(values)} ({100 * share:.0f} %)"
        reached, half = full(share), part(share)
    elif statistic in ("least", "most"):
        extreme = (min if statistic == "least" else max)(numbers, key=lambda one: one.value)
        text = f"{extreme.value:.3g} ({extreme.name}), {of} matrices" if len(values) > 1 else f"{extreme.value:.3g}"
        reached, half = full(extreme.value), part(extreme.value)
    else:
        raise Unknown(f"claim {claim['id']}: there is no statistic \"{statistic}\"")
    if reached and missing:
        return "partly", text
    return ("confirmed" if reached else "partly" if half else "refuted"), text


def read_claims(path=None):
    document = json.loads((path or CLAIMS).read_text(encoding="utf-8"))
    names = [claim["id"] for claim in document["claims"]]
    if len(set(names)) != len(names):
        raise Unknown("two claims have one id")
    return document["claims"], document["sets"]


def record_links(claim):
    if "record" not in claim:
        return "–"
    names = [claim["record"]] if isinstance(claim["record"], str) else claim["record"]
    present = [found(name, RESULTS) for name in names]
    if None in present:
        return ", ".join(f"`{name.rsplit('/', 1)[1]}`" for name in names)
    short = [name.rsplit("/", 1)[1].split(".")[0] for name in names]
    return ", ".join(f"[{text}](bench/results/{name})" for text, name in zip(short, present))


@figure
def paper_claims(paper):
    """The claims of one paper with their verdicts."""
    all_claims, sets = read_claims()
    rows = []
    for claim in all_claims:
        if claim["paper"] != paper:
            continue
        result = judged(claim, sets)
        rows.append([f"{claim['where']}: {claim['claim']}", claim["number"], result.ours,
                     f"**{result.verdict}**", result.evidence, record_links(claim)])
    table = markdown_table(["claim", "the paper's number", "ours", "verdict", "evidence", "record"], rows)
    return table.replace("| ---: | ---: | ---: | ---: | ---: |", "| --- | --- | --- | --- | --- |")


@figure
def paper_claims_count():
    """How many claims of each paper have which verdict."""
    all_claims, sets = read_claims()
    counts = {}
    for claim in all_claims:
        counts.setdefault(claim["paper"], collections.Counter())[judged(claim, sets).verdict] += 1
    rows = [[paper, *(count[verdict] for verdict in VERDICTS), sum(count.values())] for paper, count in sorted(counts.items())]
    rows.append(["all", *(sum(count[verdict] for count in counts.values()) for verdict in VERDICTS), len(all_claims)])
    return markdown_table(["paper", *VERDICTS, "claims"], rows)
