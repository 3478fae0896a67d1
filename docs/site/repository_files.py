# SPDX-License-Identifier: BSD-3-Clause
"""A Sphinx extension: a link to a file of the repository that is no page of docs/ leads to that file in the site.

Markdown and source files become pages in files/, under their path in the repository. Data is copied there.
A folder becomes a list of its files.
"""

import html
import os
import pathlib
import re
import shutil

from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

log = logging.getLogger(__name__)
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = {".csv", ".gz", ".json", ".mtx", ".xz", ".zst"}
IMAGES = {".png", ".svg"}
# The arguments with which Furo asks for the navigation.
WHOLE_TREE = {"collapse": False, "titles_only": True, "maxdepth": -1, "includehidden": True}
PAGES_FROM_TOP = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}


class Links:
    """Where a path of the repository is in the site."""

    def __init__(self, docnames):
        self.docnames = docnames
        self.files = set()  # those that are linked and not a page of docs/

    def uri(self, path, fragment=""):
        """Relative to the site's root; None if there is no such file."""
        anchor = f"#{fragment}" if fragment else ""
        if path in PAGES_FROM_TOP:
            return PAGES_FROM_TOP[path] + ".html" + anchor
        if path.startswith("docs/") and path[5:].removesuffix(".md") in self.docnames and path.endswith(".md"):
            return path[5:].removesuffix(".md") + ".html" + anchor
        api = re.fullmatch(r"include/gossamer/(\w+)\.(hpp|h)", path)
        if api and fragment != "source":
            page = "api/c" if api[2] == "h" else f"api/cpp/{api[1]}"
            if page in self.docnames:
                return page + ".html"
        if path in ("", ".") or path.startswith("..") or not (TOP / path).exists():
            return None
        self.files.add(path)
        return f"files/{path}" if is_data(path) else f"files/{path}.html{anchor if path.endswith('.md') else ''}"


def is_data(path):
    return (TOP / path).suffix in DATA | IMAGES and (TOP / path).is_file()


def repository_path(folder, link):
    return os.path.normpath(os.path.join(folder, link))


def resolve(app, doctree):
    """Links that MyST did not find among the pages."""
    env = app.env
    links = Links(env.found_docs)
    folder = "docs/" + os.path.dirname(env.docname)
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get("reftype") != "myst" or node.get("refdomain"):
            continue
        path, _, fragment = node["reftarget"].partition("#")
        uri = links.uri(repository_path(folder, path), fragment) if path else None
        if uri is not None:
            page = app.builder.get_target_uri(env.docname)
            reference = nodes.reference("", "", *node.children, internal=True, refuri=relative_uri(page, uri))
            node.replace_self(reference)
    env.repository_files[env.docname] = links.files


def markdown(path, links):
    """The page of a Markdown file outside docs/, whose own links lead on."""
    here = f"files/{path}.html"

    def link(tokens, i, options, env):
        target = tokens[i].attrs.get("href", "")
        name, _, fragment = target.partition("#")
        if name and not re.match(r"[a-z]+:", name):
            uri = links.uri(repository_path(os.path.dirname(path), name), fragment)
            if uri is None:
                log.warning("links to %s, which does not exist", target, location=path)
            else:
                tokens[i].attrs["href"] = relative_uri(here, uri)
        return parser.renderer.renderToken(tokens, i, options, env)

    def image(tokens, i, options, env):
        uri = links.uri(repository_path(os.path.dirname(path), tokens[i].attrs["src"]))
        tokens[i].attrs["src"] = relative_uri(here, uri)
        return parser.renderer.image(tokens, i, options, env)

    parser = MarkdownIt("commonmark", {"html": True}).enable("table").use(anchors_plugin, max_level=6)
    parser.renderer.rules.update(
        link_open=link,
        image=image,
        table_open=lambda *_: '<div class="table-wrapper"><table class="docutils">',
        table_close=lambda *_: "</table></div>",
        fence=lambda tokens, i, *_: pre(tokens[i].content),
        code_block=lambda tokens, i, *_: pre(tokens[i].content),
    )
    text = (TOP / path).read_text(encoding="utf-8")
    return re.sub(r"<!--.*?-->", "", parser.render(text), flags=re.DOTALL)


def pre(text):
    return f'<div class="highlight"><pre>{html.escape(text)}</pre></div>'


def source(path):
    try:
        lexer = get_lexer_for_filename(path)
    except ClassNotFound:
        lexer = TextLexer()
    text = (TOP / path).read_text(encoding="utf-8")
    return f"<h1>{html.escape(path)}</h1>" + highlight(text, lexer, HtmlFormatter())


def folder_list(path):
    names = sorted(str(each.relative_to(TOP)) for each in (TOP / path).iterdir())
    items = "".join(f"<li><code>{html.escape(name)}</code></li>" for name in names)
    return f"<h1>{html.escape(path)}</h1><ul>{items}</ul>"


def pages(app):
    """Pages of all linked files, and of those that these link to."""
    links = Links(app.env.found_docs)
    waiting = set().union(*app.env.repository_files.values())
    done = set()
    trees = {}  # the navigation, which takes most of a page's time, is the same at one depth
    while waiting:
        path = sorted(waiting)[0]
        done.add(path)
        if is_data(path):
            target = pathlib.Path(app.outdir, "files", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(TOP / path, target)
        else:
            make = folder_list if (TOP / path).is_dir() else source
            body = markdown(path, links) if path.endswith(".md") else make(path)
            depth = path.count("/")
            if depth not in trees:
                trees[depth] = app.builder._get_local_toctree(f"files/{path}", **WHOLE_TREE)
            context = {"title": path, "body": body, "parents": [], "toctree": lambda depth=depth, **_: trees[depth]}
            yield f"files/{path}", context, "page.html"
        waiting = (waiting | links.files) - done


def begin(app, env, docnames):
    env.repository_files = getattr(env, "repository_files", {})


def merge(app, env, docnames, other):
    env.repository_files.update({name: other.repository_files[name] for name in docnames})


def setup(app):
    app.connect("env-before-read-docs", begin)
    app.connect("doctree-read", resolve, priority=400)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
