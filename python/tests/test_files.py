# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in files."""

import gzip

import numpy
import pytest
import scipy.io
import scipy.sparse as sparse

import gossamer
from support import assert_product, random_matrix, random_vector

A = random_matrix((40, 60))


def write(path):
    name = path.name
    if name.endswith(".mtx"):
        scipy.io.mmwrite(path, A)
    elif name.endswith(".mtx.gz"):
        with gzip.open(path, "wb") as file:
            scipy.io.mmwrite(file, A)
    elif name.endswith(".npz"):
        sparse.save_npz(path, A)
    elif name.endswith(".mat"):
        scipy.io.savemat(path, {"name": "text", "A": A})
    else:
        scipy.io.hb_write(path, sparse.csc_matrix(A))


@pytest.mark.parametrize("name", ["a.mtx", "a.mtx.gz", "a.npz", "a.mat", "a.rb", "a.hb", "a.RUA"])
@pytest.mark.parametrize("as_text", [True, False])
def test_read(tmp_path, name, as_text):
    path = tmp_path / name
    write(path)
    G = gossamer.matrix(str(path) if as_text else path)
    x, z = random_vector(60, "float64"), random_vector(40, "float64")
    numpy.testing.assert_allclose(G.to_scipy().toarray(), A.toarray(), rtol=1e-14)
    B = sparse.csr_array(G.to_scipy())
    assert_product(G @ x, B, x)
    assert_product(G.T @ z, B.T, z)


@pytest.mark.parametrize("name", ["a.mtx", "a.npz"])
def test_read_as_float32(tmp_path, name):
    write(tmp_path / name)
    G = gossamer.matrix(tmp_path / name, dtype="float32")
    assert G.dtype == numpy.float32
    numpy.testing.assert_array_equal(G.to_scipy().toarray(), A.astype("float32").toarray())


def test_a_structure_of_a_collection(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"Problem": {"A": A, "title": "text"}})
    G = gossamer.matrix(tmp_path / "a.mat")
    numpy.testing.assert_array_equal(G.to_scipy().toarray(), A.toarray())


def test_more_than_one_matrix(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"A": A, "B": A})
    with pytest.raises(ValueError, match="it has A, B"):
        gossamer.matrix(tmp_path / "a.mat")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", ["a.rsa", "a.rb"])
def test_harwell_boeing_files_with_one_half(tmp_path, name, sign):
    lower = sparse.tril(random_matrix((30, 30), density=0.3), 0 if sign == 1 else -1).tocsc()
    path = tmp_path / name
    scipy.io.hb_write(path, lower)
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = ("RSA" if sign == 1 else "rza") + lines[2][3:]
    path.write_text("".join(lines))
    expected = lower.toarray() + sign * numpy.tril(lower.toarray(), -1).T
    numpy.testing.assert_allclose(gossamer.matrix(path).to_scipy().toarray(), expected, rtol=1e-14)
