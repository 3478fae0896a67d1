# SPDX-License-Identifier: BSD-3-Clause
"""Write pictures of the documentation site: screenshots.py SITE TARGET."""

import pathlib
import sys

from browser import chromium

PICTURES = [
    ("site-front-light.png", "index.html", "light", (1100, 660)),
    ("site-front-dark.png", "index.html", "dark", (1100, 660)),
    ("site-front-phone.png", "index.html", "light", (390, 844)),
    ("site-format.png", "formats/brc.html", "light", (1100, 660)),
]
MOST_BYTES = 150_000


def main(site, target):
    target.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name, page_name, scheme, (width, height) in PICTURES:
            page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": height})
            page.goto((site / page_name).as_uri())
            page.screenshot(path=target / name)
            page.close()
            size = (target / name).stat().st_size
            print(f"{target / name}: {size} bytes")
            if size > MOST_BYTES:
                sys.exit(f"docs: {name} has {size} bytes, more than {MOST_BYTES}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
