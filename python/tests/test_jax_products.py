# SPDX-License-Identifier: BSD-3-Clause
"""gossamer.jax.matmul: jit, gradients and vmap."""

import numpy
import pytest

import gossamer
from support import assert_product, random_matrix, random_vector

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("gossamer.jax", reason="a build without the headers of jaxlib", exc_type=ImportError)
PLATFORMS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.fixture(params=PLATFORMS)
def device(request):
    """JAX's arrays of a test are on this device, and have 64 bits."""
    with jax.default_device(jax.devices(request.param)[0]), jax.enable_x64(True):
        yield request.param


def arguments(device, dtype="float64"):
    A = random_matrix((40, 60), dtype)
    return A, gossamer.matrix(A, device=device)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [(), (1,), (3,)])
def test_products_in_compiled_functions(columns, dtype, device):
    A, G = arguments(device, dtype)
    x = random_vector((60, *columns), dtype)
    for function in (gossamer.jax.matmul, jax.jit(gossamer.jax.matmul, static_argnums=0)):
        assert_product(numpy.asarray(function(G, jax.numpy.asarray(x))), A, x)
    z = random_vector((40, *columns), dtype)
    assert_product(numpy.asarray(gossamer.jax.matmul(G.T, jax.numpy.asarray(z))), A.T, z)


def test_a_matrix_of_another_library_is_refused(device):
    with pytest.raises(TypeError, match="the first argument is a csr_array, not a gossamer.Matrix") as raised:
        gossamer.jax.matmul(random_matrix((40, 60)), jax.numpy.ones(60))
    assert isinstance(raised.value, gossamer.Error)


@pytest.mark.parametrize("axes", [(0, 0), (1, 1)])
def test_vmap_multiplies_all_vectors(axes, device):
    A, G = arguments(device)
    x = random_vector((60, 5), "float64")
    given = x.T if axes[0] == 0 else x
    multiply = jax.jit(jax.vmap(lambda x: gossamer.jax.matmul(G, x), in_axes=axes[0], out_axes=axes[1]))
    y = numpy.asarray(multiply(jax.numpy.asarray(given)))
    assert_product(y.T if axes[1] == 0 else y, A, x)


def test_vmap_of_matrices(device):
    A, G = arguments(device)
    x = random_vector((4, 60, 3), "float64")
    y = jax.vmap(lambda x: gossamer.jax.matmul(G, x))(jax.numpy.asarray(x))
    for of_y, of_x in zip(numpy.asarray(y), x):
        assert_product(of_y, A, of_x)


@pytest.mark.parametrize("columns", [(), (3,)])
def test_the_gradient_is_a_product_with_the_transpose(columns, device):
    A, G = arguments(device)
    x, z = random_vector((60, *columns), "float64"), random_vector((40, *columns), "float64")
    _, pull_back = jax.vjp(lambda x: gossamer.jax.matmul(G, x), jax.numpy.asarray(x))
    (gradient,) = pull_back(jax.numpy.asarray(z))
    assert_product(numpy.asarray(gradient), A.T, z)


def test_wrong_arguments_are_named(device):
    _, G = arguments(device)
    with pytest.raises(ValueError, match=r"x has shape \(3,\); with a matrix of shape \(40, 60\) it must be \(60,\)"):
        gossamer.jax.matmul(G, jax.numpy.ones(3))
    with pytest.raises(TypeError, match="x has dtype float32, the matrix float64"):
        gossamer.jax.matmul(G, jax.numpy.ones(60, "float32"))


@pytest.mark.gpu
def test_devices_have_to_agree():
    G = gossamer.matrix(random_matrix((40, 60), "float32"))
    with jax.default_device(jax.devices("gpu")[0]), pytest.raises(Exception, match='make it with device="cuda"'):
        jax.block_until_ready(gossamer.jax.matmul(G, jax.numpy.ones(60, "float32")))


def test_a_matrix_that_was_deleted_is_named(device):
    _, G = arguments(device)
    x = jax.numpy.ones(60)
    multiply = jax.jit(lambda x: gossamer.jax.matmul(G, x)).lower(x).compile()
    del G
    with pytest.raises(Exception, match="the matrix of this product was deleted"):
        jax.block_until_ready(multiply(x))
