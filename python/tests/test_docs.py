# SPDX-License-Identifier: BSD-3-Clause
"""The examples in docstrings, in the README and in docs/guides give the output that they show."""

import contextlib
import doctest
import importlib
import re
from pathlib import Path

import numpy
import pytest
import scipy.sparse

import gossamer.linalg

SOURCES = Path(__file__).parents[2]
GUIDES = SOURCES / "docs" / "guides"


@pytest.mark.parametrize("module", ["gossamer", "gossamer.matrix", "gossamer.linear_operator"])
def test_docstrings(module):
    A = scipy.sparse.csr_array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
    names = {"gossamer": gossamer, "numpy": numpy, "A": A, "G": gossamer.matrix(A)}
    result = doctest.testmod(importlib.import_module(module), extraglobs=names)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("module", ["krylov", "least_squares", "linear_program", "preconditioners"])
def test_docstrings_of_linalg(module):
    A = scipy.sparse.csr_array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
    names = {"A": A, "b": numpy.array([1.0, 2.0, 3.0]), "cg": gossamer.linalg.cg}
    result = doctest.testmod(importlib.import_module(f"gossamer.linalg.{module}"), extraglobs=names)
    assert result.attempted > 0 and result.failed == 0


def on_cpu(library):
    """JAX would make the arrays of the examples on a GPU."""
    if library != "jax":
        return contextlib.nullcontext()
    import jax

    return jax.default_device(jax.devices("cpu")[0])


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_docstrings_of_optional_modules(library):
    pytest.importorskip(library, reason=f"{library} is not installed")
    module = pytest.importorskip(f"gossamer.{library}", exc_type=ImportError)
    with on_cpu(library):
        result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


# Guides with examples, and the library that they need.
GUIDES_OF = {
    "scipy": "scipy",
    "choosing": "scipy",
    "updating-values": "scipy",
    "reordering": "scipy",
    "epilogues": "scipy",
    "python-linalg": "scipy",
    "linear-programs": "scipy",
    "torch": "torch",
    "cupy": "cupy",
}


@pytest.mark.parametrize("guide", [pytest.param(guide, marks=pytest.mark.gpu if library == "cupy" else ()) for guide, library in GUIDES_OF.items()])
def test_guide(guide, monkeypatch, tmp_path):
    library = GUIDES_OF[guide]
    pytest.importorskip(library, reason=f"{library} is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOSSAMER_CACHE", str(tmp_path / "cache"))
    result = doctest.testfile(str(GUIDES / f"{guide}.md"), module_relative=False)
    assert result.attempted > 0 and result.failed == 0


def test_every_guide_with_examples_is_tested():
    assert set(GUIDES_OF) == {page.stem for page in GUIDES.glob("*.md") if ">>> " in page.read_text()}


def test_readme(capsys):
    (example,) = re.findall(r"```python\n(import gossamer.*?)```", (SOURCES / "README.md").read_text(), re.DOTALL)
    exec(example, {})
    assert capsys.readouterr().out.strip() == example.rsplit("#", 1)[1].strip()


def test_every_public_function_has_a_docstring():
    for name in gossamer.__all__:
        assert getattr(gossamer, name).__doc__
    for name, member in vars(gossamer.Matrix).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert member.__doc__, name
