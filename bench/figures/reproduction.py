# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/reproduction.md: each claim of a paper in bench/claims.json, judged by its record.

A claim names what is measured (`ours`), the paper's condition (`is`) and a weaker one (`partly`). A measure is a
function below with the decorator @measure, which names its arguments in `ours`. It gets the rows of the record and
returns one number a matrix. It adds to `asked` every matrix that the claim is about, with or without a number.
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


MEMBERS = {"id", "paper", "where", "claim", "number", "record", "ours", "statistic", "is", "partly", "circular",
           "not_testable", "pending", "variant"}
# Arguments of all measures except petsc.
SELECTION = {"matrices", "except", "variation", "source", "values", "least_nnz"}


def measure(*arguments):
    def enter(function):
        MEASURES[function.__name__.replace("_", "-")] = function, set(arguments)
        return function
    return enter


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
    """The rows of the records together. A matrix counts once."""
    seen, rows = set(), []
    for name in names:
        own = _document(name, results or RESULTS)["rows"]
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
            and ("values" not in ours or row["values"] in listed(ours["values"]))
            and row["nnz"] >= ours.get("least_nnz", 0)
            and low < row["row_sd"] / max(row["row_mean"], 1e-300) <= high]


def listed(one_or_more):
    return [one_or_more] if isinstance(one_or_more, str) else one_or_more


def names_of(ours, sets):
    """The matrices that a claim names; None for all of the record."""
    if "matrices" not in ours:
        if "except" in ours:
            raise Unknown("`except` needs `matrices`")
        return None
    if isinstance(ours["matrices"], str) and ours["matrices"] not in sets:
        raise Unknown(f"there is no set of matrices \"{ours['matrices']}\"")
    names = sets[ours["matrices"]] if isinstance(ours["matrices"], str) else ours["matrices"]
    strange = set(ours.get("except", [])) - set(names)
    if strange:
        raise Unknown(f"`except` names no matrix of the claim: {', '.join(sorted(strange))}")
    return [name for name in names if name not in ours.get("except", [])]


def absent(rows, ours, sets):
    """Matrices that a claim names and its record does not have. A bound on σ / μ or the nonzeros may leave out others."""
    unbounded = {name: value for name, value in ours.items() if name not in ("variation", "least_nnz")}
    present = {published(row) for row in selected(rows, unbounded, sets)}
    return [name for name in names_of(ours, sets) or [] if name not in present]


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


@measure("of", "over", "uneven", "quantity")
def ratio(rows, ours, asked):
    """`of` over `over`, in speed where `quantity` says nothing else; of several `over` the greatest, of several
    `of` the least. Every one of them needs a number. `uneven` takes the place of `of` where σ > μ."""
    quantity = QUANTITIES[ours.get("quantity", "speed")]
    for series in by_matrix(rows).values():
        first = next(iter(series.values()))
        own = ours["uneven"] if "uneven" in ours and first["row_sd"] > first["row_mean"] else ours["of"]
        sides = [[series.get(label) for label in listed(side)] for side in (own, ours["over"])]
        if any(row is not None and row.get("portion_nnz") == 0 for side in sides for row in side):
            continue  # the matrix has no such part
        asked.append(published(first))
        of, over = ([row and quantity(row) for row in side] for side in sides)
        if all(of + over):
            yield number(first, min(of) / max(over))


@measure("of", "inverse")
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


@measure("of", "option", "printed")
def option_as_printed(rows, ours, asked):
    """1 where a series' option is the printed number, else 0."""
    for row in rows:
        if row["series"] != ours["of"] or published(row) not in ours["printed"]:
            continue
        asked.append(published(row))
        text = options_of(row["options"]).get(ours["option"])
        if text is not None:
            yield number(row, float(int(text) == ours["printed"][published(row)]))


@measure("printed")
def tail_share_as_printed(rows, ours, asked):
    """1 where the share of the nonzeros in HYB's COO part is the printed percentage, to three digits."""
    for row in rows:
        if row["series"] != "COO_COO" or published(row) not in ours["printed"]:
            continue
        asked.append(published(row))
        share = 100 * row["portion_nnz"] / row["nnz"]
        yield number(row, float(abs(share - ours["printed"][published(row)]) < 0.0006))


@measure()
def tail_time(rows, ours, asked):
    """The COO part's share of the time over its share of the nonzeros, where that is below one half."""
    for series in by_matrix(rows).values():
        coo, ell = series.get("COO_COO"), series.get("ELL_ELL")
        if coo is None:
            asked.append(published(next(iter(series.values()))))
            continue
        share = coo["portion_nnz"] / coo["nnz"]
        if not 0 < share < 0.5:
            continue
        asked.append(published(coo))
        if seconds(coo) and seconds(ell):
            yield number(coo, seconds(coo) / (seconds(coo) + seconds(ell)) / share)


@measure("setting", "widths", "among", "tried")
def search_share(rows, ours, asked):
    """The best time of a search over the time of one setting: the model's, or with `setting` that one. The
    search is over all settings tried, or with `among` over those that have these options."""
    for series in by_matrix(rows).values():
        tuned, model = series.get("BRC, tuned"), series.get("BRC")
        asked.append(published(next(iter(series.values()))))
        if not tuned:
            continue
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


@measure()
def widths_rise(rows, ours, asked):
    """Figure 6: the least speed of a width over that of a narrower one, up to μ + σ."""
    for curve in _curves(rows, asked):
        fastest, least = 0, 1.0
        for width, speed in curve.speeds:
            if width <= curve.usual:
                least = min(least, speed / fastest if fastest else 1.0)
                fastest = max(fastest, speed)
        yield number(curve.row, least)


@measure()
def widths_beyond(rows, ours, asked):
    """Figure 6: the speed of the widest width up to μ + σ over that of the fastest wider one."""
    curves = []
    for curve in _curves(rows, curves):
        if curve.row["row_max"] <= curve.usual:
            curves.remove(published(curve.row))  # no row is longer
            continue
        behind = [speed for width, speed in curve.speeds if width > curve.usual]
        before = [speed for width, speed in curve.speeds if width <= curve.usual]
        if behind and before:
            yield number(curve.row, before[-1] / max(behind))
    asked.extend(curves)


Curve = collections.namedtuple("Curve", "row usual speeds")


def _curves(rows, asked):
    for series in by_matrix(rows).values():
        base = series.get("Equation (3)")
        asked.append(published(next(iter(series.values()))))
        if not seconds(base):
            continue
        speeds = {int(options_of(base["options"])["block_width"]): 1 / seconds(base)}
        for label, row in series.items():
            if label.isdigit() and int(label) < base["row_max"] and seconds(row):
                speeds.setdefault(int(label), 1 / seconds(row))
            elif label == "unbounded" and seconds(row):
                speeds.setdefault(int(base["row_max"]), 1 / seconds(row))
        yield Curve(base, round(base["row_mean"] + base["row_sd"]), sorted(speeds.items()))


@measure("of")
def sparser_is_faster(rows, ours, asked):
    """A series' speed on each matrix over that on the next denser one."""
    own = sorted((row for row in rows if row["series"] == ours["of"]), key=lambda row: row["row_mean"])
    for sparse, dense in zip(own, own[1:]):
        asked.append(published(sparse))
        if sparse["gflops"] and dense["gflops"]:
            yield number(sparse, sparse["gflops"] / dense["gflops"])


@measure("over", "order")
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
        asked.append(f"{a} {counts[a]}, {b} {counts[b]}")
        yield Number(asked[-1], counts[a] / max(counts[b], 1), real)


def _sets(row, quantity):
    sets = row and row.get("partition")
    if not sets:
        return None
    if quantity == "difference":  # in percent, the mean over the sets
        return 100 * sets["relative_difference"] / len(sets["powers"])
    return 100 * sets["mean_density"]


@measure("of", "over", "quantity")
def partition(rows, ours, asked):
    """Difference or density of the sets, in percent; with `over` relative to another series."""
    for series in by_matrix(rows).values():
        row = series.get(ours["of"])
        asked.append(published(next(iter(series.values()))))
        own = _sets(row, ours["quantity"])
        if own is None:
            continue
        if "over" not in ours:
            yield number(row, own)
        else:
            other = _sets(series.get(ours["over"]), ours["quantity"])
            if other is not None:
                yield number(row, own / other if other else float("inf"))


@measure("of", "from", "printed")
def power_by_density(rows, ours, asked):
    """A device's speed over one core's, of each block from `from` on, relative to the least of these or to `printed`."""
    powers = []
    for series in by_matrix(rows).values():
        row, core = series.get(ours["of"]), series.get("CSR, one CPU core")
        if not row or row["row_mean"] / row["row_max"] < ours["from"] - 0.005:
            continue
        asked.append(f"{100 * row['row_mean'] / row['row_max']:.0f} %")
        if seconds(row) and seconds(core):
            powers.append((row, seconds(core) / seconds(row)))
    least = ours.get("printed") or min((power for _, power in powers), default=1)
    for row, power in powers:
        yield Number(f"{100 * row['row_mean'] / row['row_max']:.0f} %", power / least, False)


@measure("of", "over", "preconditioner", "column")
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
    """">= 1.2", or ">= 5 <= 8" of a range, as a list of signs and limits."""
    words = text.split()
    bounds = [(sign, float(limit)) for sign, limit in zip(words[::2], words[1::2])]
    if len(words) % 2 or not bounds or any(sign not in (">=", "<=") for sign, _ in bounds):
        raise Unknown(f"a condition is \">= N\", \"<= N\" or \">= N <= M\", not \"{text}\"")
    return bounds


def holds(bounds, value, slack=1.0):
    return all(value >= limit * slack if sign == ">=" else value <= limit / slack for sign, limit in bounds)


WEAKER = {"mean": ("direction", "twice"), "every": (), "share": ("majority",), "least": ("direction", "twice"),
          "most": ("direction", "half")}  # what `partly` may be for a statistic


def weaker(claim, count):
    """The condition of "partly", from the paper's own by a fixed rule; None if the claim has none."""
    kind = claim.get("partly")
    if claim["statistic"] not in WEAKER:
        raise Unknown(f"there is no statistic \"{claim['statistic']}\"")
    if kind is None:
        return None
    if kind not in WEAKER[claim["statistic"]]:
        allowed = " or ".join(WEAKER[claim["statistic"]]) or "absent"
        raise Unknown(f"`partly` of \"{claim['statistic']}\" is {allowed}, not \"{kind}\"")
    sign, limit = condition(claim["is"])[0]
    if kind == "direction":
        if claim["statistic"] in ("least", "most") and count > 1:
            raise Unknown("of the greatest or least of many, the direction is no claim: use \"half\" or \"twice\"")
        return [(sign, 1.0)]
    if kind == "half":
        return [(sign, 1 + (limit - 1) / 2)]
    if kind == "twice":
        return [(sign, 1 - 2 * (1 - limit) if sign == ">=" else 2 * limit)]
    return [(sign, 0.5)]  # majority


Judged = collections.namedtuple("Judged", "verdict ours evidence")


def judged(claim, sets, results=None):
    """The rule at the top of docs/reproduction.md. An error names the claim."""
    try:
        return _judged(claim, sets, results or RESULTS)
    except Unknown as problem:
        raise Unknown(f"claim {claim['id']}: {problem}") from None


def _judged(claim, sets, results):
    unknown = set(claim) - MEMBERS
    if unknown:
        raise Unknown(f"no such member: {', '.join(sorted(unknown))}")
    if "record" not in claim:
        return Judged("not testable here", claim["not_testable"], "–")
    ours = claim["ours"]
    if ours["measure"] not in MEASURES:
        raise Unknown(f"there is no measure \"{ours['measure']}\"")
    function, arguments = MEASURES[ours["measure"]]
    unknown = set(ours) - {"measure"} - arguments - (SELECTION if ours["measure"] != "petsc" else set())
    if unknown:
        raise Unknown(f"no such member of `ours`: {', '.join(sorted(unknown))}")
    if "not_testable" in claim and ours["measure"] == "ratio" and ours.get("quantity") != "bytes":
        raise Unknown("a claim about time is judged on stand-ins")
    condition(claim["is"])
    weaker(claim, 1)
    names_of(ours, sets)
    names = listed(claim["record"])
    lost = [name for name in names if found(name, results) is None]
    if claim.get("pending"):
        if not lost:
            raise Unknown(f"{', '.join(names)} exists: remove \"pending\"")
        return Judged("not measured yet", "", "–")
    if lost:
        raise Unknown(f"the record {', '.join(lost)} is absent; \"pending\" is for one still to be measured")
    rows = rows_of(names, results)
    labels = [label for side in ("of", "over", "uneven") if side in ours for label in listed(ours[side])]
    labels += [label for pair in ours.get("order", []) for label in pair]
    strange = set(labels) - {row["series"] for row in rows}
    if strange:
        raise Unknown(f"its record has no series {', '.join(sorted(strange))}")
    lacking = []
    if ours["measure"] != "petsc":
        lacking = absent(rows, ours, sets)
        rows = selected(rows, ours, sets)
    asked = []
    numbers = list(function(rows, ours, asked))
    if not numbers:
        raise Unknown("its record has no row that it selects")
    twice = [name for name, count in collections.Counter(asked).items() if count > 1]
    if twice:
        raise Unknown(f"it counts a matrix twice: {', '.join(twice)}; select by `values` or `source`")
    lacking += [name for name in asked if name not in {one.name for one in numbers}]
    verdict, text = verdict_of(claim, numbers, lacking)
    stand_ins = sum(not one.real for one in numbers)
    evidence = "real matrix" if stand_ins == 0 else f"stand-in ({stand_ins} of {len(numbers)})"
    if claim.get("circular"):
        verdict, evidence = "not testable here", f"circular ({len(numbers)})"
    elif "not_testable" in claim and stand_ins:
        verdict, text = "not testable here", f"{text}; {claim['not_testable']}"
    return Judged(verdict, text, evidence)


def few(items):
    return ", ".join(items[:3]) + " …" * (len(items) > 3)


def verdict_of(claim, numbers, lacking):
    """The verdict, and ours as text. `lacking` are the matrices without a number."""
    values = [one.value for one in numbers]
    total = len(numbers) + len(lacking)
    full, part = condition(claim["is"]), weaker(claim, total)
    statistic = claim["statistic"]
    if statistic == "mean":
        # Means are arithmetic in the papers. One large ratio moves them, so the geometric mean has to agree.
        means = [statistics.fmean(values)] + [statistics.geometric_mean(values)] * (min(values) > 0)
        text = f"{means[0]:.3g}" + f" (geometric {means[-1]:.3g})" * (len(means) > 1) + f" on {len(values)} of {total}"
        judged_by = means
    elif statistic == "every":
        # `is` is of one matrix; within LEVEL it is reached. Half of the matrices are "partly".
        holding = [one for one in numbers if holds(full, one.value, LEVEL)]
        others = sorted((one for one in numbers if one not in holding), key=lambda one: one.value)
        if claim["is"].startswith("<="):
            others.reverse()
        text = f"holds on {len(holding)} of {total}"
        if others:
            flags = set(values) <= {0.0, 1.0}  # as printed or not: no ratio to show
            text += "; not " + few([one.name if flags else f"{one.name} {one.value:.3g}" for one in others])
    elif statistic == "share":
        above = sum(value > 1 for value in values)
        text = f"{above} of {total} ({100 * above / total:.0f} %)"
        judged_by = [above / total]
    else:
        extreme = (min if statistic == "least" else max)(numbers, key=lambda one: one.value)
        text = f"{extreme.value:.3g}" + f" ({extreme.name})" * (total > 1) + f" on {len(values)} of {total}"
        judged_by = [extreme.value]
    if lacking:
        text += f"; no number on {len(lacking)} ({few(lacking)})"
    if 2 * len(numbers) < total:
        return "not testable here", text
    if statistic == "every":
        reached, half = len(holding) == total, 2 * len(holding) >= total
    else:
        reached = all(holds(full, value) for value in judged_by)
        half = reached or part is not None and all(holds(part, value) for value in judged_by)
    return ("confirmed" if reached and not lacking else "partly" if half else "refuted"), text


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
