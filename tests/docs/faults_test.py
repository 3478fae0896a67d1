# SPDX-License-Identifier: BSD-3-Clause
"""site_test.py reports each kind of fault: this makes a site of two pages that has them all."""

import pathlib
import sys
import tempfile

from browser import chromium
from site_test import Site

PAGES = {
    "index.html": """<body><article id="top"><a href="#top">right</a> <a href="other.html#there">right</a>
<a href="none.html">dead</a> <a href="other.html#none">dead</a> <a href="../outside.html">dead</a> <img src="none.png">
<input class="sidebar-search"></article></body>""",
    "other.html": """<body><article id="there"><div style="overflow-x: auto"><div style="width: 2000px">in a box</div></div>
<p style="width: 600px">wide on a phone</p>&lt;!-- figures: shown -->
<script>console.error("a message"); fetch("http://192.0.2.1/").catch(() => null); missing();</script></article></body>""",
}
EXPECTED = [
    "index.html: dead link to none.html",
    "index.html: dead link to other.html#none",
    "index.html: dead link to ",
    "index.html: dead link to none.png",
    "other.html: a comment is shown",
    'other.html: wider than a phone: 608 instead of 390 pixels: p "wide on a phone"',
    "other.html: console: a message",
    "other.html: a request leaves this machine: http://192.0.2.1/",
    "other.html: error in a script: missing is not defined",
    "search at file: transposed does not find guides/transposed.html",
    "dark mode: the background is",
]
NOT_EXPECTED = ["wider than a desk", "dead link to other.html#there", "dead link to index.html"]


def main():
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = pathlib.Path(name).resolve()
        site = Site(folder, browser)
        for page, text in PAGES.items():
            (folder / page).write_text("<!doctype html>" + text)
        for page in PAGES:
            site.check_page(folder / page)
        site.check_links()
        site.check_search(folder.as_uri() + "/", "transposed", "guides/transposed.html", seconds=0.5)
        site.check_dark_mode(browser, folder.as_uri() + "/")
    missing = [text for text in EXPECTED if not any(fault.startswith(text) for fault in site.faults)]
    wrong = [fault for fault in site.faults if any(text in fault for text in NOT_EXPECTED)]
    if missing or wrong:
        sys.exit("\n".join([f"docs: not found {missing}, found without reason {wrong}; faults:", *site.faults]))
    print(f"{len(site.faults)} faults of a wrong site were found")


if __name__ == "__main__":
    main()
