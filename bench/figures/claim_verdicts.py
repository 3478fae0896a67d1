# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on a claim of a paper, by the rule at the top of docs/reproduction.md."""

import collections
import re
import statistics

from . import RESULTS, Unknown
from .claim_measures import LEVEL, MEASURES
from .claim_records import SELECTION, absent, found, listed, names_of, rows_of, selected

VERDICTS = ("confirmed", "partly", "refuted", "not testable here")
MEMBERS = {"id", "paper", "where", "claim", "number", "record", "ours", "statistic", "is", "partly", "circular",
           "not_testable", "unavailable", "tolerance", "variant"}


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


Judged = collections.namedtuple("Judged", "verdict ours evidence total")  # total: matrices of the claim


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
        return Judged("not testable here", claim["not_testable"], "–", 0)
    ours = claim["ours"]
    if ours["measure"] not in MEASURES:
        raise Unknown(f"there is no measure \"{ours['measure']}\"")
    function, arguments = MEASURES[ours["measure"]]
    unknown = set(ours) - {"measure"} - arguments - (SELECTION if ours["measure"] != "petsc" else set())
    if unknown:
        raise Unknown(f"no such member of `ours`: {', '.join(sorted(unknown))}")
    condition(claim["is"])
    weaker(claim, 1)
    names_of(ours, sets)
    names = listed(claim["record"])
    lost = [name for name in names if found(name, results) is None]
    if lost:
        raise Unknown(f"the record {', '.join(lost)} is absent")
    rows = rows_of(names, results)
    labels = [label for side in ("of", "over", "uneven", "spread") if side in ours for label in listed(ours[side])]
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
    elif "unavailable" in claim:
        verdict, text = "not testable here", f"{text}; {claim['unavailable']}"
    elif "not_testable" in claim and stand_ins:
        verdict, text = "not testable here", f"{text}; {claim['not_testable']}"
    return Judged(verdict, text, evidence, len(numbers) + len(lacking))


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
OF_ALL = re.compile(r"(\d+) of (\d+)\b")


def not_among(limits, numbers):
    return [limit for limit in limits if not any(abs(limit - each) < 1e-9 for each in numbers)]


def disagreement(claim, total):
    """What is wrong between `is` and the printed number, or None. `total` is N, the number of matrices.

    A limit has to be one of the printed numbers, also as a percentage. A claim about every matrix compares with 1
    and may print "N of N". `tolerance` names the limit of a claim that prints words instead.
    """
    limits = [limit for _, limit in condition(claim["is"])]
    if "tolerance" in claim:
        named = [float(text) / (100 if " %" in claim["tolerance"] else 1) for text in NUMBER.findall(claim["tolerance"])]
        lost = not_among(limits, named + [1 + each for each in named])
        return f"`tolerance` does not name {lost[0]}" if lost else None
    if claim["statistic"] == "every" and limits == [1]:
        for printed, of in OF_ALL.findall(claim["number"]):
            if int(printed) != total or int(of) != total:
                return f"prints {printed} of {of}, and is about {total}"
        return None
    printed = [float(text.replace(",", "")) for text in NUMBER.findall(claim["number"])]
    printed += [each / 100 for each in printed if "%" in claim["number"]]
    lost = not_among(limits, printed)
    return f"{lost[0]} is not in \"{claim['number']}\"" if lost else None


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
