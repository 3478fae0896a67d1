# SPDX-License-Identifier: BSD-3-Clause
"""Open every page of the documentation site in headless Chromium.

    site_test.py FOLDER

Every link leads to a page and an anchor that exist. No page is wider than the window, on a phone and on a desk.
The console is empty, and no request leaves this machine. The search finds a page, and there is a dark mode.
"""

import argparse
import pathlib
import sys
import urllib.parse

from browser import chromium, served
from playwright.sync_api import TimeoutError as NotThere

WIDTHS = {"a phone": 390, "a desk": 1440}
HEIGHT = 900

READ_PAGE = """() => ({
  links: [...document.querySelectorAll("a[href], img[src]")].map(each => each.href || each.src),
  anchors: [...document.querySelectorAll("[id], a[name]")].map(each => each.id || each.name),
  text: document.querySelector("article")?.textContent ?? "",
})"""

# Null, or the width and the elements that are too wide. Those in a box that scrolls do not count.
READ_WIDTH = """() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return null;
  const scrolls = each => each && each !== document.body &&
    (getComputedStyle(each).overflowX !== "visible" || scrolls(each.parentElement));
  const wide = [...document.querySelectorAll("article *")].filter(each =>
    each.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(each.parentElement));
  const names = wide.slice(0, 3).map(each => `${each.tagName.toLowerCase()} "${each.textContent.trim().slice(0, 40)}"`);
  return `${root.scrollWidth} instead of ${root.clientWidth} pixels: ${names.join(", ")}`;
}"""


class Site:
    def __init__(self, folder, browser):
        self.folder = folder
        self.faults = []
        self.links = {}  # URLs on each page
        self.anchors = {}
        self.now = ""  # what is being checked
        self.widths = list(WIDTHS)  # the first one is the width now
        self.page = browser.new_page()
        self.set_width()
        self.page.on("console", self.check_message)
        self.page.on("pageerror", lambda error: self.fault(f"error in a script: {error}"))
        self.page.on("request", lambda request: self.check_request(request.url))

    def fault(self, text):
        self.faults.append(f"{self.now}: {text}")

    def check_message(self, message):
        if message.type in ("error", "warning"):
            self.fault(f"console: {message.text}")

    def check_request(self, url):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("file", "data", "blob") and parts.hostname != "127.0.0.1":
            self.fault(f"a request leaves this machine: {url}")

    def check_page(self, path):
        self.now = str(path.relative_to(self.folder))
        self.page.goto(path.as_uri())
        seen = self.page.evaluate(READ_PAGE)
        self.links[path] = set(seen["links"])
        self.anchors[path] = set(seen["anchors"])
        if "<!-- figures" in seen["text"]:
            self.fault("a comment is shown")
        self.check_width()
        self.widths.reverse()  # the next page begins at this width: to change it takes time
        self.set_width()
        self.check_width()

    def set_width(self):
        self.page.set_viewport_size({"width": WIDTHS[self.widths[0]], "height": HEIGHT})

    def check_width(self):
        wide = self.page.evaluate(READ_WIDTH)
        if wide:
            self.fault(f"wider than {self.widths[0]}: {wide}")

    def check_links(self):
        """Return how many links there are within the site."""
        count = 0
        for page, links in self.links.items():
            self.now = str(page.relative_to(self.folder))
            for link in sorted(links):
                parts = urllib.parse.urlsplit(link)
                if parts.scheme != "file":
                    continue
                count += 1
                target = pathlib.Path(urllib.parse.unquote(parts.path))
                anchor = urllib.parse.unquote(parts.fragment)
                shown = str(target).removeprefix(f"{self.folder}/")
                if self.folder not in target.parents or not target.is_file():
                    self.fault(f"dead link to {shown}")
                elif anchor and target in self.anchors and anchor not in self.anchors[target]:
                    self.fault(f"dead link to {shown}#{anchor}")
        return count

    def check_search(self, root, word, wanted, seconds=20):
        """Type a word into the search box of the front page, as a reader does."""
        self.now = f"search at {urllib.parse.urlsplit(root).scheme}"
        self.page.set_viewport_size({"width": WIDTHS["a desk"], "height": HEIGHT})
        self.page.goto(root + "index.html")
        self.page.fill(".sidebar-search", word)
        self.page.press(".sidebar-search", "Enter")
        try:
            self.page.wait_for_selector(f'#search-results a[href*="{wanted}"]', timeout=1000 * seconds)
        except NotThere:
            self.fault(f"{word} does not find {wanted}")

    def check_dark_mode(self, browser, root):
        self.now = "dark mode"
        colors = []
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme)
            page.goto(root + "index.html")
            colors.append(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
            page.close()
        if colors[0] == colors[1]:
            self.fault(f"the background is {colors[0]} in both")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder.resolve()
    pages = sorted(folder.rglob("*.html"))
    with chromium() as browser, served(folder) as address:
        site = Site(folder, browser)
        for path in pages:
            site.check_page(path)
        links = site.check_links()
        for root in (folder.as_uri() + "/", address):
            site.check_search(root, "transposed", "guides/transposed.html")
        site.check_dark_mode(browser, folder.as_uri() + "/")
    print(f"{len(pages)} pages, {links} links, {len(site.faults)} faults")
    if not pages or site.faults:
        sys.exit("\n".join(site.faults) or "docs: there are no pages")


if __name__ == "__main__":
    main()
