# SPDX-License-Identifier: BSD-3-Clause
"""Copy the pages of docs/ to a folder, and add what only the site has: its navigation and the API reference.

    stage.py FOLDER

Pages in docs/ stay plain Markdown, which a Git host shows too. A new page there needs no line here.
"""

import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent

GETTING_STARTED = ["scipy", "cupy", "torch", "jax", "cpp", "c", "fortran", "petsc"]
CONTRIBUTING = ["adding-a-format", "documentation"]
CPP = "include/gossamer"

API_PAGES = {
    "cpp": """# C++ interface

Everything is in namespace `gossamer`. The header [`gossamer.hpp`](cpp/gossamer.md) includes what most programs
need. The [guide](../guides/cpp.md) has examples.
""",
    "c": """# C interface

Source: [`gossamer.h`](../../include/gossamer/gossamer.h#source). The Fortran module of the same functions is
[`gossamer.f90`](../../include/gossamer/gossamer.f90). The [guide](../guides/c.md) has examples.

```{doxygenfile} gossamer.h
```
""",
    "python": """# Python package

The guides for [SciPy](../guides/scipy.md), [CuPy](../guides/cupy.md) and [PyTorch](../guides/torch.md) users
have examples.

```{eval-rst}
.. automodule:: gossamer
   :members:
.. automodule:: gossamer.linalg
   :members:
.. automodule:: gossamer.torch
   :members:
.. automodule:: gossamer.jax
   :members:
```
""",
}


def guides(names):
    return [f"guides/{name}" for name in names]


def navigation(target):
    """The groups of the sidebar. Pages that are missing are left out, and others go where their folder goes."""
    own = guides(GETTING_STARTED + CONTRIBUTING)
    others = sorted(f"guides/{page.stem}" for page in (target / "guides").glob("*.md"))
    groups = {
        "Getting started": guides(GETTING_STARTED),
        "Guides": [page for page in others if page not in own] + ["GLOSSARY"],
        "Formats": ["formats/**"],
        "API reference": ["api/cpp", "api/c", "api/python"],
        "Performance": ["performance", "results", "papers", "reproduction"],
        "Decisions": ["decisions/**"],
        "Notes": ["notes/**"],
        "Contributing": ["contributing", "ARCHITECTURE", *guides(CONTRIBUTING), "changelog"],
    }
    rest = {page.stem for page in target.glob("*.md")} - {"index"}
    groups["Guides"] += sorted(rest - {name for pages in groups.values() for name in pages})
    for caption, pages in groups.items():
        there = [page for page in pages if "*" in page or (target / f"{page}.md").is_file()]
        yield toctree(caption, there)


def toctree(caption, pages, options=""):
    lines = "\n".join(pages)
    return f"```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n{options}\n{lines}\n```\n"


def from_top(name):
    """A page of the repository's top folder; its links are relative to that."""
    text = (TOP / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!https?:|#|docs/)", "](../", text)
    return text.replace("](docs/", "](")


def header_page(header):
    return f"""# {header.name}

Source: [`{CPP}/{header.name}`](../../../{CPP}/{header.name}#source)

```{{doxygenfile}} {header.name}
```
"""


def first_sentence(header):
    """Of the comment on top, which says what the header is."""
    comment = []
    for line in header.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("// "):
            break
        comment.append(line[3:])
    return re.split(r"(?<=\.) ", " ".join(comment))[0]


def cpp_pages(target):
    headers = [header for header in sorted((TOP / CPP).glob("*.hpp")) if header.stem != "export"]
    rows = [f"| [`{header.name}`](cpp/{header.stem}.md) | {first_sentence(header)} |" for header in headers]
    text = (target / "cpp.md").read_text(encoding="utf-8")
    table = "\n".join(["| header | contents |", "|---|---|", *rows])
    pages = toctree("Headers", [f"cpp/{header.stem}" for header in headers])
    (target / "cpp.md").write_text(f"{text}\n{table}\n\n{pages}", encoding="utf-8")
    (target / "cpp").mkdir()
    for header in headers:
        (target / "cpp" / f"{header.stem}.md").write_text(header_page(header), encoding="utf-8")


def main(target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(TOP / "docs", target, ignore=shutil.ignore_patterns("site"))
    (target / "api").mkdir()
    for name, text in API_PAGES.items():
        (target / "api" / f"{name}.md").write_text(text, encoding="utf-8")
    cpp_pages(target / "api")
    (target / "contributing.md").write_text(from_top("CONTRIBUTING.md"), encoding="utf-8")
    (target / "changelog.md").write_text(from_top("CHANGELOG.md"), encoding="utf-8")
    index = target / "index.md"
    index.write_text("\n".join([index.read_text(encoding="utf-8"), *navigation(target)]), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
