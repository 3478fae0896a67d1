#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds up by kinds what bench_instructions counted of a product: instructions.py PLACES [-l N].

PLACES is a file that it wrote, a line a place: MODULE OFFSET COUNT. Modules are disassembled with objdump. With -l the N instructions that were
executed most, in their order, and what they are.
"""
import argparse
import collections
import re
import subprocess

KINDS = ["gather", "load", "store", "fma", "vector", "branch", "prefetch", "scalar"]
ARITHMETIC = re.compile(r"v(fn?m(add|sub)|add|mul)[0-9]*[ps][sd]$")
TO_MEMORY = re.compile(r",[^,(]*\([^)]*\)(\{.*\})?$|^[^,]*\([^)]*\)$")


def kind_of(name, operands):
    """Of one instruction in AT&T's syntax. What loads and computes counts as a load too: the kinds are not exclusive."""
    if name.startswith("prefetch"):
        return ["prefetch"]
    if "gather" in name:
        return ["gather"]
    kinds = []
    memory = "(" in operands and not name.startswith(("lea", "nop"))
    writes = memory and bool(TO_MEMORY.search(operands)) and not name.startswith(("cmp", "test", "vpcmp", "ptest"))
    if name.startswith("push"):
        kinds.append("store")
    elif name.startswith(("pop", "ret")) and not name.startswith("popcnt"):
        kinds.append("load")
    elif memory and writes:
        kinds.append("store")
    elif memory:
        kinds.append("load")
    if ARITHMETIC.match(name):
        kinds.append("fma")
    elif name.startswith("j") or name.startswith(("call", "ret")):
        kinds.append("branch")
    elif name.startswith("v") or name.startswith("k"):
        if not re.match(r"vmov|kmov", name) or "(" not in operands:
            kinds.append("vector")
    elif not memory:
        kinds.append("scalar")
    return kinds


def segments(module):
    """(file offset, size, address) of what is loaded."""
    text = subprocess.run(["readelf", "-lW", module], capture_output=True, text=True, check=True).stdout
    found = []
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "LOAD":
            found.append((int(words[1], 16), int(words[4], 16), int(words[2], 16)))
    return found


def disassembled(module, addresses):
    """{address: (mnemonic, operands)} of the places, found by ranges."""
    found = {}
    addresses = sorted(addresses)
    begin = 0
    for i in range(len(addresses)):
        if i + 1 < len(addresses) and addresses[i + 1] - addresses[i] < 4096:
            continue
        text = subprocess.run(
            ["objdump", "-d", "-w", "--no-show-raw-insn", f"--start-address={addresses[begin]:#x}",
             f"--stop-address={addresses[i] + 16:#x}", module],
            capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            match = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
            if match:
                name, operands = match.group(2), match.group(3).split("#")[0].split("<")[0].strip()
                if name in ("lock", "rep", "repz", "bnd", "notrack", "data16", "cs"):
                    name, _, operands = operands.partition(" ")
                found[int(match.group(1), 16)] = (name, operands.strip())
        begin = i + 1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("places")
    parser.add_argument("-l", type=int, default=0)
    args = parser.parse_args()
    modules = collections.defaultdict(dict)
    for line in open(args.places):
        module, offset, count = line.split()
        modules[module][int(offset, 16)] = int(count)
    total = collections.Counter()
    listed = []
    for module, places in modules.items():
        if not module.startswith("/"):
            total["all"] += sum(places.values())
            continue
        at = {}
        for offset, count in places.items():
            for first, size, address in segments(module):
                if first <= offset < first + size:
                    at[offset - first + address] = count
        texts = disassembled(module, at)
        for address, count in at.items():
            name, operands = texts.get(address, ("?", ""))
            total["all"] += count
            for kind in kind_of(name, operands):
                total[kind] += count
            listed.append((count, module.rsplit("/", 1)[-1], address, name, operands))
    print("all", total["all"], *(f"{kind} {total[kind]}" for kind in KINDS))
    most = sorted(listed, reverse=True)[: args.l]
    for count, module, address, name, operands in sorted(most, key=lambda each: each[1:3]):
        print(f"{count:9d} {module} {address:x} {name} {operands}")


main()
