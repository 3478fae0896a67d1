#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the Markdown table of a document of `gossamer bench --json`, or of one of `gossamer experiment bccoo/fig4 --json`.

    table.py FILE.json             to stdout
    table.py FILE.json -o FILE.md  into a file
    table.py --check FOLDER        status 1 if a document under FOLDER, *.json or *.json.gz, lacks its table, or has another one;
                                   other experiments have none

Of bench, for each value type, cache state, product and number of columns: how each format with its default options stands against the best peer of each
matrix (peer's time / ours, paired, with its 95 % interval), and the times of everything that was measured. Of the experiment, for each number of
threads: the times of all series, and over them those of CSR and of MKL's.
"""

import argparse
import pathlib
import sys

import record

EXPERIMENTS = ("bccoo/fig4",)  # of which there is a table
LOST_BELOW = 0.97  # a case is lost when the whole interval lies below; as in tools/gossamer/bench/summary.hpp


def number(x, digits=3):
    """Three significant digits without an exponent."""
    if x is None:
        return "–"
    if x == 0:
        return "0"
    if abs(x) >= 10 ** (digits - 1):
        return f"{x:.0f}"
    text = f"{x:#.{digits}g}"
    return text if "e" not in text else f"{x:.2e}"


def count(n):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size:
            return number(n / size) + unit
    return str(n)


def percent(x):
    return "–" if x is None else f"{100 * x:.0f} %"


def markdown(header, rows):
    """The first two columns stand left, numbers right."""
    rule = ["---", "---"] + ["---:"] * (len(header) - 2)
    lines = [header, rule[:len(header)]] + rows
    return ["| " + " | ".join(line) + " |" for line in lines]


def class_of(row):
    return row["class"] or "–"


def lost(row):
    return row["vs_best_peer"]["high"] < LOST_BELOW


def headline(rows):
    """Geometric mean of the classes' geometric means, and those."""
    classes = {}
    for row in rows:
        classes.setdefault(class_of(row), []).append(row["vs_best_peer"]["ratio"])
    means = {name: record.geometric_mean(ratios) for name, ratios in sorted(classes.items())}
    return record.geometric_mean(means.values()), {name: (mean, len(classes[name])) for name, mean in means.items()}


def standing(rows):
    """What is said above a table of rows that were compared with a peer."""
    overall, classes = headline(rows)
    ratios = sorted((row["vs_best_peer"]["ratio"], record.title(row)) for row in rows)
    lines = [f"Geometric mean of the class means **{overall:.3f}**; of all {len(rows)} matrices "
             f"{record.geometric_mean(r for r, _ in ratios):.3f}; worst {ratios[0][0]:.3f} ({ratios[0][1]}), best "
             f"{ratios[-1][0]:.3f} ({ratios[-1][1]}). By class: "
             + ", ".join(f"{name} {mean:.3f} ({n})" for name, (mean, n) in classes.items()) + "."]
    losses = [f"{record.title(row)} ({row['vs_best_peer']['ratio']:.3f})" for row in rows if lost(row)]
    lines.append(f"Lost (whole interval under {LOST_BELOW}): " + (", ".join(losses) if losses else "none") + ".")
    return lines


def families(peers):
    """Peers alone, and together where names are of one stem: cusparse_csr_alg1 and _alg2 are cusparse_csr_*."""
    result = {}
    for peer in peers:
        stem = peer.rpartition("_")[0] + "_"
        together = [p for p in peers if stem != "_" and p.startswith(stem)]
        if len(together) > 1:
            result[stem + "*"] = together
        result[peer] = [peer]
    return result


def against_each(rows, group):
    """A line of a table for each peer and family: over the matrices that it multiplied, the faster of a family."""
    peers = list(dict.fromkeys(p for row in rows for p in row.get("vs_peers") or {}))
    if len(peers) < 2:
        return []
    lines = []
    for name, family in families(peers).items():
        ratios = []
        for row in rows:
            there = [p for p in family if p in row["vs_peers"]]
            if there:
                best = min(there, key=lambda p: group.peer_time(record.title(row), p))
                ratios.append((row["vs_peers"][best]["ratio"], record.title(row), row["vs_peers"][best]["high"] < LOST_BELOW))
        ratios.sort()
        lines.append([name, str(len(ratios)), f"{record.geometric_mean(r for r, _, _ in ratios):.3f}",
                      f"{ratios[0][0]:.3f} {ratios[0][1]}", f"{ratios[-1][0]:.3f} {ratios[-1][1]}", str(sum(l for _, _, l in ratios))])
    return [*markdown(["peer / ours", "matrices", "geometric mean", "worst", "best", "lost"], lines), ""]


def column_of(row):
    """What a row is called in the table of all times. Of a hybrid: all parts together, or the one that has the rows."""
    if row.get("parts") and not row.get("default"):
        working = [part for part in row["parts"] if part["rows"]]
        form = row["format"] if row["format"] == "auto" else "+".join(dict.fromkeys(part["format"] for part in working))
        alone = [part["where"] if part["threads"] is None else f"{part['where']}:{part['threads']}" for part in working]
        return f"{form} {'+'.join(alone)} alone"
    if row.get("parts"):
        return f"{row['format']} together"
    return row["format"] if row["peer"] or row.get("default") else f"{row['format']} {row['options']}"


class Group:
    """Rows of one device, value type, cache state, operation and number of columns."""

    def __init__(self, rows):
        self.rows = rows
        self.times = {(record.title(r), r["format"], r["options"]): r["seconds"]["median"] for r in rows if r["status"] == "ok"}

    def matrices(self):
        return list(dict.fromkeys(record.title(row) for row in self.rows))

    def default_time(self, matrix):
        """Of the reference format, by its fastest option."""
        times = [r["seconds"]["median"] for r in self.rows
                 if r["status"] == "ok" and record.title(r) == matrix and r["format"] == record.reference_format(r)]
        return min(times) if times else None

    def peer_time(self, matrix, peer):
        times = [t for (name, form, _), t in self.times.items() if name == matrix and form == peer]
        return min(times) if times else None

    def format_table(self, rows):
        lines = []
        for row in rows:
            best = row["vs_best_peer"]
            default = self.default_time(record.title(row))
            peer = ["–", "–", "–"]
            if best:
                ratio = f"{best['ratio']:.3f} [{best['low']:.3f}, {best['high']:.3f}]"
                peer = [number(1e6 * self.peer_time(record.title(row), best["peer"])), best["peer"],
                        f"**{ratio}**" if lost(row) else ratio]
            lines.append([record.title(row), f"{class_of(row)}, {row['values']}", count(row["nnz"]),
                          number(1e6 * row["seconds"]["median"]), *peer, number(row["bytes_per_nonzero"]),
                          percent(row["stream_fraction"]) + ("" if row["exceeds_llc"] else " ·"),
                          number(row["inspect_seconds"] / default) if default else "–"])
        return markdown(["matrix", "class, values", "nonzeros", "µs", "peer µs", "best peer", "peer / ours", "bytes/nnz",
                         "of copy", "inspect"], lines)

    def all_times(self):
        """A column for each format as it comes, whatever options that means for a matrix, for each option that was asked for, and for each peer."""
        columns = {}
        for row in self.rows:
            if row["status"] == "ok":
                columns.setdefault((row["peer"], column_of(row)), {})[record.title(row)] = row["seconds"]["median"]
        columns = dict(sorted(columns.items(), key=lambda column: column[0][0]))  # peers last
        if len(columns) < 2:
            return []
        header = ["matrix", "class"] + [name for _, name in columns]
        kinds = {record.title(row): class_of(row) for row in self.rows}
        lines = []
        for matrix in self.matrices():
            times = [column.get(matrix) for column in columns.values()]
            best = min((t for t in times if t is not None), default=None)
            cells = [number(None if t is None else 1e6 * t) for t in times]
            cells = [f"**{cell}**" if t is not None and t == best else cell for t, cell in zip(times, cells)]
            lines.append([matrix, kinds[matrix], *cells])
        return ["", "All times in µs, the best in bold:", "", *markdown(header, lines)]


def formats_of_parts(form, rows):
    """A line for hybrids in which a part has another format than the one that the rows are called by."""
    if form == "auto":
        return []
    found = dict.fromkeys((part["format"], part["where"]) for row in rows for part in row.get("parts") or [] if part["rows"])
    if all(each == form for each, _ in found):
        return []
    return ["Formats of the parts: " + ", ".join(f"{each} on {where}" for each, where in found) + ".", ""]


def machine_line(machine):
    device = machine.get("gpu") or machine["cpu"]
    parts = [f"{device}", f"copy {machine['copy_gbs']:.0f} GB/s", f"last-level cache {machine.get('llc_bytes', 0) / 1e6:.0f} MB"]
    if machine.get("gpu"):
        parts += [f"driver {machine.get('driver')}", f"CUDA {machine.get('cuda')} (driver / ours)"]
    else:
        parts += [f"{machine['threads']} threads", f"{machine.get('isa')}"]
    peers = "; ".join(f"{name} {version}" for name, version in sorted(machine.get("peers", {}).items()))
    return ", ".join(parts) + "." + (f" Peers: {peers}." if peers else "")


def title(name):
    """The name of a document's file without its endings."""
    return name.removesuffix(".gz").removesuffix(".json")


def render(document, name):
    results = document["results"]
    defaults = " or ".join(dict.fromkeys(record.reference_format(row) for row in results))
    text = [f"# {title(name)}", "", f"Made by `bench/table.py` from `{name}`, measured at commit {document['commit']}. "
            + machine_line(document["machine"]), "",
            "Times are medians of one product. `peer / ours` is paired within rounds, with its 95 % interval; bold is lost. `of copy` is the bytes of "
            "A, x and y over the time, against the measured copy bandwidth; · marks a matrix of less than twice the last-level cache, where that is no "
            f"bandwidth of memory unless the caches are cold. `inspect` is counted in products of the fastest {defaults}.", ""]
    groups = {}
    for row in results:
        groups.setdefault((row["device"], row["value"], row["cache"], *record.product(row)), []).append(row)
    for names, rows in groups.items():
        group = Group(rows)
        text += [f"## {', '.join(names)}", ""]
        ours = [r for r in rows if not r["peer"] and r.get("default") and r["status"] == "ok"]
        for form in dict.fromkeys(r["format"] for r in ours):
            chosen = [r for r in ours if r["format"] == form]
            compared = [r for r in chosen if r["vs_best_peer"]]
            text += [f"### {form}", "", *formats_of_parts(form, chosen)] + (standing(compared) + [""] if compared else [])
            text += against_each(compared, group)
            text += group.format_table(chosen) + [""]
        text += group.all_times()[1:] + [""]
    text += [f"- {', '.join([record.title(r), r['device'], r['value'], r['cache'], *record.product(r)])}, {r['format']} {r['options']}: "
             f"{r['status']}: {r['reason']}"
             for r in results if r["status"] != "ok"]
    text += [f"- {a['matrix']}: not measured: {a['reason']}" for a in document.get("absent", [])]
    lines = []
    for line in text:
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n"


class Series:
    """What an experiment measured with one number of threads: times by series, whose names are the same for all numbers of them, and matrix."""

    def __init__(self, rows):
        self.matrices = {record.title(row): row for row in rows}
        self.times = {}
        for row in rows:
            self.times.setdefault(row["series"].removesuffix(", one core"), {})[record.title(row)] = row["seconds"]["median"]
        self.references = [name for name in ("CSR", "MKL CSR") if name in self.times]

    def compared_with(self, series):
        return [name for name in self.references if name != series]

    def ratio(self, reference, series, matrix):
        times = [self.times[name].get(matrix) for name in (reference, series)]
        return None if None in times else times[0] / times[1]

    def mean(self, reference, series, values):
        ratios = [self.ratio(reference, series, matrix) for matrix, row in self.matrices.items() if values in ("all", row["values"])]
        ratios = [r for r in ratios if r is not None]
        if not ratios or reference == series:
            return "–"
        return f"{record.geometric_mean(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f}, {sum(r >= 1 for r in ratios)} of {len(ratios)} at least 1)"

    def means(self):
        kinds = list(dict.fromkeys(row["values"] for row in self.matrices.values()))
        kinds = ["all"] + (kinds if len(kinds) > 1 else [])
        return markdown(["series", "values", *(f"{name} / series" for name in self.references)],
                        [[series, kind, *(self.mean(name, series, kind) for name in self.references)]
                         for series in self.times for kind in kinds if self.compared_with(series)])

    def table(self):
        header = ["matrix", "values", "nonzeros"]
        for series in self.times:
            header += [f"{series} µs", *(f"{name} / it" for name in self.compared_with(series))]
        lines = []
        for matrix, row in self.matrices.items():
            cells = [matrix, row["values"], count(row["nnz"])]
            for series, times in self.times.items():
                cells.append(number(1e6 * times[matrix] if matrix in times else None))
                ratios = [self.ratio(name, series, matrix) for name in self.compared_with(series)]
                cells += ["–" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
            lines.append(cells)
        return markdown(header, lines)


def render_experiment(document, name):
    csr = dict.fromkeys(row["format"] for row in document["rows"] if row["series"].removesuffix(", one core") == "CSR")
    text = [f"# {title(name)}", "", f"Made by `bench/table.py` from `{name}`: `gossamer experiment {document['experiment']}` ({document['source']}: "
            f"{document['shows']}), {document['value']}, measured at commit {document['commit']}. " + machine_line(document["machine"]), "",
            "Times are medians of one product. Ratios are the time of CSR, or of MKL's, over that of the series: above 1 the series is the faster. Means are "
            f"geometric; behind them stand the least and the greatest. The series CSR has the format {' or '.join(csr)}.", ""]
    groups = {}
    for row in document["rows"]:
        if row["status"] == "ok":
            groups.setdefault(row["threads"], []).append(row)
    for threads, rows in sorted(groups.items()):
        series = Series(rows)
        text += [f"## {threads} thread{'' if threads == 1 else 's'}", "", *series.means(), "", *series.table(), ""]
    text += [f"- {record.title(r)}, {r['series']}: {r['status']}: {r['reason']}" for r in document["rows"] if r["status"] != "ok"]
    text += [f"- {r['matrix']}: not measured: {r['reason']}" for r in document["refused"]]
    return "\n".join(text).rstrip("\n") + "\n"


def table_of(file):
    """The table of the document; None of an experiment that has none."""
    document = record.read(file, experiments=True)
    if "experiment" not in document:
        return render(document, file.name)
    return render_experiment(document, file.name) if document["experiment"] in EXPERIMENTS else None


def check(folder):
    """Names of the documents whose table is missing or another."""
    wrong = []
    folder = pathlib.Path(folder)
    for file in sorted([*folder.rglob("*.json"), *folder.rglob("*.json.gz")]):
        text = table_of(file)
        table = file.with_name(title(file.name) + ".md")
        if text is not None and (not table.is_file() or table.read_text(encoding="utf-8") != text):
            wrong.append(str(file))
    return wrong


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.json", nargs="?")
    parser.add_argument("-o", "--output", metavar="FILE.md")
    parser.add_argument("--check", metavar="FOLDER")
    options = parser.parse_args(arguments)
    if (options.file is None) == (options.check is None):
        parser.error("give either FILE.json or --check FOLDER")
    try:
        if options.check is not None:
            wrong = check(options.check)
            for file in wrong:
                print(f"table.py: {file}: its table is missing or is not made from it; table.py {file} -o ...md makes it", file=sys.stderr)
            return 1 if wrong else 0
        text = table_of(pathlib.Path(options.file))
        if text is None:
            raise record.BadInput(f"{options.file}: there is no table of this experiment, only of {', '.join(EXPERIMENTS)}")
    except record.BadInput as problem:
        print(f"table.py: {problem}", file=sys.stderr)
        return 2
    if options.output is None:
        sys.stdout.write(text)
    else:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
