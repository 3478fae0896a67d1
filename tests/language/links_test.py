# SPDX-License-Identifier: BSD-3-Clause
"""Every relative link of a page leads to a file of the tree, and its anchor to a heading.

    links_test.py SOURCE

Also: a page links a record in bench/results only where scripts/figures quotes it, so that no figure is typed in.
Notes in docs/notes may do so, and are not checked for it.
"""
import os
import re
import sys

import sources

LINK = re.compile(r"\]\(([^()#\s]*)(?:#([^()\s]+))?(?:\s+\"[^\"]*\")?\)")
FIGURES = re.compile(r"<!-- figures: .*?<!-- /figures -->", re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
REFERENCE = ("README.md", "docs/guides/", "docs/formats/", "docs/performance.md")


def anchors(text):
    """As Git hosts make them: lower case, no punctuation, - for a space, -1 for a heading that is there again."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"[`*]", "", heading)).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 1
        while name in found:
            name = f"{name.removesuffix(f'-{number - 1}')}-{number}"
            number += 1
        found.add(name)
    return found


def main():
    root = sys.argv[1]
    pages = {name: sources.read(root, name) for name in sources.files(root) if name.endswith(".md")}
    headings = {name: anchors(text) for name, text in pages.items()}
    count, wrong = 0, []
    for page, text in pages.items():
        folder = os.path.dirname(page)
        for target, anchor in LINK.findall(FENCE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            to = os.path.normpath(os.path.join(folder, target)) if target else page
            if not os.path.exists(os.path.join(root, to)):
                wrong.append(f"{page} links to {target}, which is not there")
            elif anchor and to in headings and anchor not in headings[to]:
                wrong.append(f"{page} links to {target}#{anchor}, a heading that is not there")
        if page.startswith(REFERENCE):
            for target, _ in LINK.findall(FIGURES.sub("", FENCE.sub("", text))):
                if "bench/results/" in target:
                    wrong.append(f"{page} links to {target} outside <!-- figures --> marks")
    print(f"{count} links on {len(pages)} pages, {len(wrong)} wrong")
    sys.exit("\n".join(wrong) if wrong or count < 100 else 0)


if __name__ == "__main__":
    main()
