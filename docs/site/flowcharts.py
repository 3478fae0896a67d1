# SPDX-License-Identifier: BSD-3-Clause
"""A Sphinx extension: draws fenced `mermaid` flowcharts, which a Git host draws itself, with Graphviz into the page."""

import re
import subprocess

from docutils import nodes

STYLE = 'graph [bgcolor=transparent] node [shape=box style=rounded fontname="sans-serif"] '


def draw(text):
    first, *lines = [line.strip() for line in text.strip().splitlines()]
    if first not in ("flowchart TD", "graph TD") or not all(re.fullmatch(r"\w+( --> \w+)?", line) for line in lines):
        raise ValueError(f"a flowchart has lines \"a --> b\" only: {text}")
    edges = ";".join(lines).replace("-->", "->")
    svg = subprocess.run(
        ["dot", "-Tsvg"], input=f"digraph {{ {STYLE} {edges} }}", capture_output=True, text=True, check=True
    ).stdout
    svg = svg[svg.index("<svg") :]
    return re.sub('(stroke|fill)="black"', r'\1="currentColor"', svg.replace("<text ", '<text fill="currentColor" '))


def replace(app, doctree):
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            html = f'<div class="flowchart">{draw(block.astext())}</div>'
            block.replace_self(nodes.raw("", html, format="html"))


def setup(app):
    app.connect("doctree-read", replace)
    return {"parallel_read_safe": True}
