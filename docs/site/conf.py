# SPDX-License-Identifier: BSD-3-Clause
# Sphinx's configuration of the documentation site. scripts/docs runs it on the copy of docs/ that stage.py
# makes.
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path[:0] = [str(HERE), str(TOP / "python")]

import stub_module  # noqa: E402

version_parts = re.findall(r"version_\w+ = (\d+);", (TOP / "include/gossamer/version.hpp").read_text())[:3]
project = "Gossamer"
author = "the authors of Gossamer"
release = version = ".".join(version_parts)
html_title = f"Gossamer {release}"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "repository_files", "flowcharts"]
source_suffix = {".md": "markdown"}
# The namespace is declared by every header, and structures of C also by a typedef.
suppress_warnings = ["toc.empty_glob", "duplicate_declaration.cpp", "duplicate_declaration.c"]

# Pages are plain Markdown, as a Git host shows it; headings have the host's anchors.
myst_heading_anchors = 6
myst_fence_as_directive = []

html_theme = "furo"
html_static_path = ["static"]
html_favicon = "static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "none"

breathe_projects = {"gossamer": str(TOP / "build/docs/doxygen/xml")}
breathe_default_project = "gossamer"
breathe_domain_by_extension = {"hpp": "cpp", "h": "c"}
breathe_show_include = False

# The package is imported without its compiled extension and without other packages.
autodoc_mock_imports = ["jax", "numpy", "scipy", "torch"]
default_role = "code"  # of docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_display_short_literal_types = True
napoleon_google_docstring = False
sys.modules["gossamer._gossamer"] = stub_module.load(TOP / "python/gossamer/_gossamer.pyi", version_parts)


properties = {}


def keep_property(app, what, name, obj, options, lines):
    """Before Napoleon, which sees a type in front of a colon in the first line."""
    if what == "property":
        properties[name] = list(lines)


def finish_docstring(app, what, name, obj, options, lines):
    """After Napoleon, which leaves lines "argument : text" that are under no heading."""
    lines[:] = [re.sub(r"^(\w+) : ", r":param \1: ", line) for line in properties.get(name, lines)]


def leave_out_class_arguments(app, what, name, obj, options, signature, returns):
    """Objects of the one class are made by a function."""
    return ("", None) if what == "class" else None


def setup(app):
    app.connect("autodoc-process-docstring", keep_property, priority=400)
    app.connect("autodoc-process-docstring", finish_docstring, priority=600)
    app.connect("autodoc-process-signature", leave_out_class_arguments)
