# SPDX-License-Identifier: BSD-3-Clause
"""What a claim of a paper compares. A measure has the decorator @measure, which names its arguments in `ours`.

It gets the rows of the record and returns one number a matrix. It adds to `asked` every matrix that the claim is
about, with or without a number.
"""

import collections

from .claim_records import Number, by_matrix, listed, number, options_of, published, seconds

MEASURES = {}
LEVEL = 0.97  # ratios from here on count as 1: two runs of one product differ by as much


def measure(*arguments):
    def enter(function):
        MEASURES[function.__name__.replace("_", "-")] = function, set(arguments)
        return function
    return enter


def partitioned_time(row):
    """Seconds of a product and of its partitioning, where the record has those."""
    time = seconds(row)
    return time and time + (row["partition"]["seconds"]["median"] if row["partition"] else 0)


QUANTITIES = {
    "speed": lambda row: 1 / seconds(row) if seconds(row) else None,
    "time": seconds,
    "partitioned-time": partitioned_time,
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


@measure("of")
def bytes_an_entry(rows, ours, asked):
    """Bytes of a forecast over the nonzeros."""
    for row in rows:
        if row["series"] == ours["of"]:
            asked.append(published(row))
            if row["status"] == "forecast" and row["bytes"]:
                yield number(row, row["bytes"] / row["nnz"])


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
    if quantity == "difference":  # the sum over the sets, as the paper's formula has it
        return 100 * sets["relative_difference"]
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


PETSC_COLUMNS = {"conversion": lambda run: run["inspect"] + run["update"]}


@measure("of", "over", "spread", "preconditioner", "column")
def petsc(rows, ours, asked):
    """Table 5: a column of one run over the same of another, or alone; of `spread` the largest over the least."""
    column = ours["column"]
    runs = {(row["preconditioner"], row["series"]): row for row in rows}
    asked.append("ex19")
    names = ours["spread"] if "spread" in ours else [ours[side] for side in ("of", "over") if side in ours]
    sides = [runs.get((ours["preconditioner"], name)) for name in names]
    if all(row and row["status"] == "ok" for row in sides):
        values = [PETSC_COLUMNS.get(column, lambda run: run[column])(row) for row in sides]
        if "spread" in ours:
            yield Number("ex19", max(values) / min(values), True)
        else:
            yield Number("ex19", values[0] / (values + [1])[1], True)
