#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare two documents of `gossamer bench --json`: is NEW the SAME as OLD, FASTER, SLOWER, or is that UNCLEAR?

Rows are joined by matrix, values, value type, product, columns, cache state, device, format (or peer) and options. A row's ratio is NEW's
median time over OLD's. Its interval comes from the 95 % intervals of the two medians, added in quadrature (in
logarithms). The two runs were not interleaved, so their medians may also differ for no reason that either run could see;
that is the noise: three times the typical spread of single samples in the two files (the median over rows), and at least the floor
of 3 %, and at least what any of the peers' rows moved, its interval included: their code is the same in both where their versions are (five rows or more).
With --same FILE, another run of OLD's source, the noise is also at least what any row moved between those two. The most of all and not of 95 %, since one
verdict is given of all rows together: of some hundred rows a few would else be told apart in any two runs of one program.
Memory lies elsewhere in each process, which alone moves some rows by 5 to 10 %: --same is how to know.

    SLOWER   the whole interval lies above 1 + noise, and so does the ratio of the fastest samples: disturbances only add time
    FASTER   the whole interval lies below 1 / (1 + noise), and so does the ratio of the fastest samples
    SAME     the whole interval lies within the noise, and within 10 %: a run that cannot tell 10 % says nothing
    UNCLEAR  anything else, and every row of which other programs disturbed a quarter of the samples (then marked *)
    FAILED   measured in OLD, not measured in NEW

In total: FAILED or SLOWER where any row is; else BLIND where the noise is above 10 %, or above --floor where that is more: a row alone can
make it so, and then the rest says nothing of what is less; else UNCLEAR, FASTER, SAME in this order. The first line says what the noise
comes from, where it is a row which one and how far that moved.
Exit status: 0; 1 with --fail-on-slower where the total is SLOWER or FAILED; 2 for bad input; else 3 where the noise is above that limit,
whatever the total.
"""

import argparse
import math
import sys

import record

SIGMAS = 3.0
LARGEST_SAME = 0.10
LEAST_PEERS = 5


def half_width(seconds):
    """Of the interval of the median, in logarithms."""
    low = seconds.get("low", seconds["min"])
    high = seconds.get("high", seconds["max"])
    return max(math.log(high / seconds["median"]), math.log(seconds["median"] / low), 0.0)


def half_of(old_seconds, new_seconds):
    """Of the ratio of two medians."""
    return math.hypot(half_width(old_seconds), half_width(new_seconds))


def disturbed(seconds):
    return 4 * seconds.get("preempted", 0) > seconds["count"]


def quiet(row):
    return not disturbed(row["seconds"])


def name_of(row):
    parts = (record.title(row), *record.product(row), row["value"], row["cache"], row["device"], row["format"], row["options"])
    return " ".join(str(part) for part in parts if part)


def measured(document):
    return {record.key_of(row): row for row in document["results"] if row.get("status") == "ok"}


def spreads(*documents):
    return [row["seconds"]["spread"] for document in documents for row in measured(document).values()
            if "spread" in row["seconds"] and quiet(row)]


class Noise:
    """How much of it, and what it comes from, in words."""

    def __init__(self, size, origin):
        self.size = size
        self.origin = origin

    def blind(self, floor):
        return self.size > max(LARGEST_SAME, floor)


def moved(old, same, where, only=lambda row: True, least=1):
    """The most that a row moved between two runs of one source, its interval included; 0 where there are fewer rows than `least`."""
    a, b = measured(old), measured(same)
    moves = []
    for key in a:
        if key in b and only(a[key]) and quiet(a[key]) and quiet(b[key]):
            ratio = b[key]["seconds"]["median"] / a[key]["seconds"]["median"]
            moves.append((abs(math.log(ratio)) + half_of(a[key]["seconds"], b[key]["seconds"]), ratio, name_of(a[key])))
    if len(moves) < least:
        return Noise(0.0, "")
    most, ratio, name = max(moves)
    return Noise(math.expm1(most), f"{name}, which moved by {100 * (ratio - 1):+.1f} % {where}")


def noise_of(old, new, same, floor):
    origins = [Noise(floor, "the floor")]
    if all_spreads := spreads(old, new):
        origins.append(Noise(SIGMAS * record.median(all_spreads), "the spread of single samples"))
    if old["machine"].get("peers") == new["machine"].get("peers"):
        origins.append(moved(old, new, "though its code is the same", lambda row: row.get("peer"), LEAST_PEERS))
    origins += [moved(old, other, "between two runs of the old source") for other in same]
    return max(origins, key=lambda origin: origin.size)


def verdict(ratio, half, best_ratio, noise):
    middle = math.log(ratio)
    low, high = middle - half, middle + half
    best = math.log(best_ratio)
    edge = math.log1p(noise)
    inner = math.log1p(min(noise, LARGEST_SAME))
    if low > edge and best > edge:
        return "SLOWER"
    if high < -edge and best < -edge:
        return "FASTER"
    if -inner <= low and high <= inner:
        return "SAME"
    return "UNCLEAR"


class Line:
    def __init__(self, row, old_seconds, new_seconds, noise):
        self.row = row
        self.ratio = new_seconds["median"] / old_seconds["median"]
        self.half = half_of(old_seconds, new_seconds)
        self.disturbed = disturbed(old_seconds) or disturbed(new_seconds)
        self.verdict = "UNCLEAR" if self.disturbed else verdict(self.ratio, self.half, new_seconds["min"] / old_seconds["min"], noise)
        self.times = (old_seconds["median"], new_seconds["median"])

    def text(self):
        low, high = self.ratio * math.exp(-self.half), self.ratio * math.exp(self.half)
        return (f"{self.verdict + '*' * self.disturbed:9}{self.ratio:7.3f} [{low:.3f}, {high:.3f}]  "
                f"{self.times[0] * 1e6:10.2f} us -> {self.times[1] * 1e6:10.2f} us  {name_of(self.row)}")


def total(verdicts, blind):
    for word in ("FAILED", "SLOWER", "BLIND", "UNCLEAR", "FASTER"):
        if word in verdicts or (blind and word == "BLIND"):
            return word
    return "SAME"


def machine_notes(old, new):
    for name in ("cpu", "threads", "gpu", "isa", "driver", "cuda", "peers"):
        a, b = old["machine"].get(name), new["machine"].get(name)
        if a != b:
            yield f"note: machine: {name} was {a}, is {b}"


def compare(old, new, same, floor, brief):
    """The lines to print, the verdict in total, and whether the noise leaves too little to be seen."""
    before, after = measured(old), measured(new)
    new_status = {record.key_of(row): row for row in new["results"]}
    noise = noise_of(old, new, same, floor)
    lines = [Line(before[key], before[key]["seconds"], after[key]["seconds"], noise.size) for key in before if key in after]
    lines.sort(key=lambda line: -line.ratio)
    broken = [new_status[key] for key in before if key not in after and key in new_status]
    gone = sum(key not in new_status for key in before)
    come = sum(key not in before for key in after)
    if not lines and not broken:
        raise record.BadInput("the documents have no measured row in common")

    text = [f"old {old.get('commit')}, new {new.get('commit')}; noise {100 * noise.size:.1f} %: {noise.origin}"]
    text += machine_notes(old, new)
    for row in broken:
        text.append(f"FAILED   {record.title(row)} {row['value']} {row['cache']} {row['format']} {row['options']}: {row['reason']}")
    text += [line.text() for line in lines if not brief or line.verdict != "SAME"]
    if gone or come:
        text.append(f"note: {gone} rows are only in the old document, {come} only in the new one")
    peers = [line.ratio for line in lines if line.row.get("peer")]
    if peers:
        text.append(f"note: the peers, whose code is the same, moved by {100 * (record.median(peers) - 1):+.1f} % (median of {len(peers)})")
    verdicts = [line.verdict for line in lines] + ["FAILED"] * len(broken)
    blind = noise.blind(floor)
    word = total(verdicts, blind)
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in ("SAME", "FASTER", "SLOWER", "UNCLEAR", "FAILED")
                       if each in verdicts)
    mean = f"; new / old time {record.geometric_mean(line.ratio for line in lines):.3f} (geometric mean)" if lines else ""
    text.append(f"{word}: {counts}{mean}; noise {100 * noise.size:.1f} %")
    return text, word, blind


def fraction(text):
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a fraction")
    return number


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--same", metavar="FILE", action="append", default=[], help="another run of OLD's source; may be repeated")
    parser.add_argument("--floor", type=fraction, default=0.03, help="least noise (default: 0.03)")
    parser.add_argument("--brief", action="store_true", help="leave out the rows that are SAME")
    parser.add_argument("--fail-on-slower", action="store_true")
    options = parser.parse_args(arguments)
    try:
        text, word, blind = compare(record.read(options.old), record.read(options.new), [record.read(f) for f in options.same],
                                    options.floor, options.brief)
    except record.BadInput as problem:
        print(f"compare.py: {problem}", file=sys.stderr)
        return 2
    print("\n".join(text))
    if options.fail_on_slower and word in ("SLOWER", "FAILED"):
        return 1
    return 3 if blind else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
