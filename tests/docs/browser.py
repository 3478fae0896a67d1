# SPDX-License-Identifier: BSD-3-Clause
"""Headless Chromium, and a server of the site on this machine."""

import contextlib
import functools
import http.server
import os
import shutil
import sys
import threading

from playwright.sync_api import sync_playwright


@contextlib.contextmanager
def chromium():
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        sys.exit("docs: Chromium was not found; set CHROMIUM to its program")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-lcd-text"])
        yield browser
        browser.close()


@contextlib.contextmanager
def served(folder):
    """The address of the folder's site."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
