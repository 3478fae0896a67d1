#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports names and phrases of forbidden.txt that stand in sources, scripts or reference documentation. Usage: ... SOURCE_TREE"""
import collections
import os
import re
import sys

import sources

# History keeps its words.
EXCLUDED = re.compile(r"^(CHANGELOG\.md|docs/(decisions|notes|results|figures)|bench/results/|tests/language/)")
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forbidden.txt")
# Between two words of a phrase a comment or a table may go on in the next line.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?://[/!]?<?|\#|\*|>)?[ \t]*)"


class Rule:
    def __init__(self, text, instead, section, allowed, exempt, folder):
        self.text, self.instead, self.section, self.allowed, self.exempt, self.folder = text, instead, section, allowed, exempt, folder
        words = [re.escape(word) for word in text.split()]
        flags = 0 if section == "identifiers" else re.IGNORECASE
        # Records keep the names that they were filed under.
        self.pattern = re.compile(r"(?<!\w)" + GAP.join(words) + r"(?!\w|\.(?:csv|json|md|svg|txt)\b)", flags)


def rules_of(text):
    """Sections [identifiers], [phrases] and [limited], or [phrases in FOLDER/]. A line is `old => new`, in [limited]
    `number: old => new`. Files named behind ` @ ` may have it."""
    rules, section, folder = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split(" # ")[0].strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section, _, folder = line.strip("[]").partition(" in ")
            if section not in ("identifiers", "phrases", "limited"):
                raise SystemExit(f"forbidden.txt:{number}: unknown section {section}")
            continue
        old, arrow, new = line.partition("=>")
        allowed = 0
        if section == "limited":
            count, colon, old = old.partition(":")
            if not colon or not count.strip().isdigit():
                raise SystemExit(f"forbidden.txt:{number}: no number of hits")
            allowed = int(count)
        if section is None or not arrow or not old.strip() or not new.strip():
            raise SystemExit(f"forbidden.txt:{number}: not `old => new`")
        new, _, exempt = new.partition(" @ ")
        rules.append(Rule(old.strip(), new.strip(), section, allowed, exempt.split(), folder))
    return rules


def hits(rule, text):
    """Line numbers."""
    return [text.count("\n", 0, match.start()) + 1 for match in rule.pattern.finditer(text)]


def check_itself():
    rules = rules_of("# a comment\n[identifiers]\ndeal_out => x\n[phrases]\nchange hands => x\n[limited]\n1: nor => x @ a.md\n"
                     "[phrases in experiments/]\nnor => y\n")
    text = "deal_out(); // units Change\n  /// hands, nor\nredeal_out(); deal_out_two(); exchange hands"
    found = [hits(rule, text) for rule in rules]
    if found != [[1], [1], [2], [2]] or [rule.folder for rule in rules] != ["", "", "", "experiments/"]:
        raise SystemExit(f"the check is wrong: {found}")


def main():
    check_itself()
    root = sys.argv[1]
    counts = "--counts" in sys.argv
    with open(LIST, encoding="utf-8") as file:
        rules = rules_of(file.read())
    found = collections.defaultdict(list)
    names = [n for n in sources.files(root) if not EXCLUDED.search(n)]
    for name in names:
        text = sources.read(root, name)
        lowered = text.lower()
        for rule in rules:
            if rule.text.split()[0].lower() in lowered and os.path.basename(name) not in rule.exempt and name.startswith(rule.folder):
                found[rule] += [f"{name}:{line}" for line in hits(rule, text)]
    wrong = 0
    for rule in rules:
        at = found[rule]
        if counts and at:
            print(f"{len(at):5} {rule.text}")
        if len(at) <= rule.allowed:
            if len(at) < rule.allowed:
                print(f"forbidden.txt: `{rule.text}` has {len(at)} hits, {rule.allowed} are allowed: write {len(at)}")
            continue
        wrong += 1
        if counts:
            continue
        allowed = f", {rule.allowed} allowed" if rule.allowed else ""
        print(f"`{rule.text}` ({len(at)} hits{allowed}): write {rule.instead}")
        for place in at[:10]:
            print(f"    {place}")
        if len(at) > 10:
            print(f"    and {len(at) - 10} more")
    print(f"{len(rules)} rules, {len(names)} files, {wrong} rules broken")
    sys.exit(1 if wrong else 0)


main()
