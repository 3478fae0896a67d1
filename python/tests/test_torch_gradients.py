# SPDX-License-Identifier: BSD-3-Clause
"""gossamer.torch.matmul: gradients, the rules of custom operators, and torch.compile."""

import subprocess
import sys
import threading

import numpy
import pytest
import scipy.sparse as sparse

import gossamer
from support import random_matrix

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
import gossamer.torch

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
pytestmark = pytest.mark.parametrize("device", DEVICES)


def shuffled(A, format):
    """The same matrix in this format; COO entries in random order."""
    if format != "coo":
        return A.asformat(format)
    C = A.tocoo()
    order = numpy.random.default_rng(5).permutation(C.nnz)
    return sparse.coo_array((C.data[order], (C.row[order], C.col[order])), shape=C.shape)


def tensor(shape, device, seed=3):
    values = numpy.random.default_rng(seed).uniform(-1, 1, shape)
    return torch.tensor(values, dtype=torch.float64, device=device, requires_grad=True)


@pytest.mark.parametrize("columns", [(), (3,)])
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_gradients_are_those_of_finite_differences(format, columns, device):
    A = shuffled(random_matrix((9, 7)), format)
    G = gossamer.matrix(A, values_change=True, device=device)
    values = torch.tensor(A.data, device=device, requires_grad=True)
    x, z = tensor((7, *columns), device), tensor((9, *columns), device)
    check = torch.autograd.gradcheck
    assert check(lambda x: gossamer.torch.matmul(G, x), (x,))
    assert check(lambda x, values: gossamer.torch.matmul(G, x, values), (x, values))
    assert check(lambda z, values: gossamer.torch.matmul(G.T, z, values), (z, values))
    assert torch.autograd.gradgradcheck(lambda x, values: gossamer.torch.matmul(G, x, values), (x, values))


def test_the_operators_follow_the_rules_of_torch_library(device):
    A = random_matrix((9, 7))
    G = gossamer.matrix(A, values_change=True, device=device)
    values = torch.tensor(A.data, device=device, requires_grad=True)
    number, _ = G._identity
    for arguments in ((number, None, tensor(7, device), False), (number, values, tensor((9, 2), device), True)):
        torch.library.opcheck(torch.ops.gossamer.multiply, arguments)
    torch.library.opcheck(
        torch.ops.gossamer.multiply_at_entries, (number, tensor((9, 2), device), tensor((7, 2), device, 4))
    )
    for x, transposed in ((tensor((2, 7), device).t(), False), (tensor(9, device), True)):
        torch.library.opcheck(torch.ops.gossamer.multiply_by_values, (number, values, x, transposed))


def test_results_are_contiguous(device):
    """Whatever the strides of x are: graphs are compiled for that."""
    G = gossamer.matrix(random_matrix((9, 7)), device=device)
    number, _ = G._identity
    wide = tensor((18, 6), device).detach()
    for factor, transposed in ((G, False), (G.T, True)):
        n = factor.shape[1]
        tall = tensor((6, 18), device).detach()
        for x in (
            tall[:, :n].t(),
            tall[:, :n].clone().t(),
            tall[:1, :n].t(),
            wide[: 2 * n : 2],
            wide[:n, ::2],
            wide[0].expand(n, 6),
            wide[:n, :1].expand(n, 4),
            wide[:n, :1],
            wide[:n, :0],
            wide[:n, 0],
            wide[0, 0].expand(n),
            wide[:n].flip(0),
        ):
            y = gossamer.torch.matmul(factor, x)
            assert y.stride() == torch.empty(y.shape).stride()
            torch.testing.assert_close(y, factor @ x.contiguous())
            arguments = (number, None, x, transposed)
            torch.library.opcheck(torch.ops.gossamer.multiply, arguments, test_utils="test_faketensor")


def test_compiled_functions_of_transposed_tensors(device):
    G = gossamer.matrix(random_matrix((9, 7)), device=device)
    function = lambda x: gossamer.torch.matmul(G, x.t()).view(-1).cos()
    x = tensor((3, 7), device)
    y = torch.compile(function, fullgraph=True, backend="aot_eager")(x)
    torch.testing.assert_close(y, (G @ x.detach().t().contiguous()).view(-1).cos())
    (got,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(got, *torch.autograd.grad(function(x).sum(), x))


def test_a_compiled_function_is_one_graph(device):
    compiled = torch.compile(lambda G, x: gossamer.torch.matmul(G, x).cos(), fullgraph=True, backend="aot_eager")
    for seed in (0, 1):
        G = gossamer.matrix(random_matrix((9, 7), seed=seed), device=device)
        x = tensor((7, 2), device)
        y = compiled(G, x)
        assert torch.equal(y, (G @ x.detach()).cos())
        y.sum().backward()
        assert torch.equal(x.grad, G.T @ -torch.sin(G @ x.detach()))


def test_a_compiled_function_serves_all_transposes_of_a_matrix(device):
    counter = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(lambda G, z: gossamer.torch.matmul(G, z), fullgraph=True, backend=counter)
    G = gossamer.matrix(random_matrix((9, 7)), device=device)
    z = tensor(9, device).detach()
    for _ in range(3):
        assert torch.equal(compiled(G.T, z), G.T @ z)
    assert counter.frame_count == 1


def test_values_replace_those_of_the_matrix(device):
    A = random_matrix((9, 7))
    G = gossamer.matrix(A, values_change=True, device=device)
    x = tensor(7, device).detach()
    before = G @ x
    values = torch.tensor(2 * A.data, device=device)
    assert torch.equal(gossamer.torch.matmul(G, x, values), 2 * before)
    assert torch.equal(G @ x, 2 * before)


@pytest.mark.parametrize("columns", [(), (3,)])
def test_gradients_of_gradients_leave_the_values(columns, device):
    A = random_matrix((9, 7))
    G = gossamer.matrix(A, values_change=True, device=device)
    values = torch.tensor(2 * A.data, device=device, requires_grad=True)
    for factor, size in ((G, 7), (G.T, 9)):
        x = tensor((size, *columns), device)
        for x, inputs in ((x.detach(), (values,)), (x, (x, values))):
            y = gossamer.torch.matmul(factor, x, values)
            gradients = torch.autograd.grad(y.pow(2).sum(), inputs, create_graph=True)
            sum(gradient.pow(2).sum() for gradient in gradients).backward()
            assert torch.equal(gossamer.torch.matmul(factor, x.detach()), y)
            numpy.testing.assert_array_equal(G.to_scipy().toarray(), 2 * A.toarray())


def test_tangents_of_forward_mode_are_refused(device):
    A = random_matrix((9, 7))
    G = gossamer.matrix(A, values_change=True, device=device)
    values = torch.tensor(A.data, device=device)
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        for x in (tensor(7, device), tensor((7, 2), device).detach()):
            with pytest.raises(TypeError, match="x has a tangent of forward-mode") as raised:
                gossamer.torch.matmul(G, forward_ad.make_dual(x, x.detach()))
            assert isinstance(raised.value, gossamer.Error)
            with pytest.raises(TypeError, match="values has a tangent"):
                gossamer.torch.matmul(G, x, forward_ad.make_dual(values, values))
            assert torch.equal(gossamer.torch.matmul(G, x), gossamer.torch.matmul(G, x, values))
    compiled = torch.compile(lambda x: gossamer.torch.matmul(G, x), fullgraph=True, backend="aot_eager")
    expected = compiled(x)
    with forward_ad.dual_level():
        assert torch.equal(compiled(x), expected)
        with pytest.raises(TypeError, match="x has a tangent"):
            compiled(forward_ad.make_dual(x.clone(), x))


def test_arguments_of_other_kinds_are_named(device):
    A = random_matrix((9, 7))
    G, x = gossamer.matrix(A, device=device), tensor(7, device).detach()
    for call, message in (
        (lambda: gossamer.torch.matmul(A, x), "the first argument is a csr_array, not a gossamer.Matrix"),
        (lambda: gossamer.torch.matmul(G, [1.0] * 7), "x is a list, not a torch tensor"),
        (lambda: gossamer.torch.matmul(G, x, A.data), "values is a ndarray, not a torch tensor"),
        (lambda: gossamer.torch.matmul(G, x.to_sparse()), "x cannot be a tensor of layout sparse_coo"),
        (lambda: gossamer.torch.matmul(G, torch.eye(7, dtype=x.dtype, device=device).to_sparse()), "sparse_coo"),
    ):
        with pytest.raises(TypeError, match=message) as raised:
            call()
        assert isinstance(raised.value, gossamer.Error)


def test_numbers_of_matrices_of_other_processes_are_refused(device):
    G = gossamer.matrix(random_matrix((9, 7)), device=device)
    number, _ = G._identity
    command = "import sys, gossamer; print(sys.modules['gossamer.matrix']._PROCESS)"
    other = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout.strip()
    digits = number.split("-")[1]
    for wrong in (other + digits, digits, ""):
        assert wrong != number
        with pytest.raises(gossamer.Error, match="was deleted, or belongs to another process"):
            torch.ops.gossamer.multiply(wrong, None, tensor(7, device).detach(), False)


def test_a_matrix_that_was_deleted_is_named(device):
    G = gossamer.matrix(random_matrix((9, 7)), device=device)
    number, _ = G._identity
    del G
    with pytest.raises(RuntimeError, match="the matrix of this product was deleted"):
        torch.ops.gossamer.multiply(number, None, tensor(7, device).detach(), False)


def test_threads_with_different_values_do_not_mix(device):
    A = random_matrix((40, 60), density=0.4)
    G = gossamer.matrix(A, values_change=True, device=device, threads=1 if device == "cpu" else None)
    x = tensor(60, device).detach()
    all_values = [torch.tensor(factor * A.data, device=device) for factor in (1, 2, 4, 8)]
    wrong = []

    def multiply(values):
        expected = gossamer.torch.matmul(gossamer.matrix(A, values_change=True, device=device), x, values)
        started.wait()
        for _ in range(300):
            if not torch.equal(gossamer.torch.matmul(G, x, values), expected):
                wrong.append(values)

    started = threading.Barrier(len(all_values))
    threads = [threading.Thread(target=multiply, args=(values,)) for values in all_values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("format", ["csr", "coo"])
def test_a_copy_of_a_matrix_of_tensors(format, device):
    A = shuffled(random_matrix((9, 7)), "coo")
    C = torch.sparse_coo_tensor(numpy.stack([A.row, A.col]), A.data, A.shape, device=device)
    G = gossamer.matrix(C if format == "coo" else C.to_sparse_csr(), values_change=True)
    order = G.copy()._context.order
    assert (order is None) == (format == "csr") and (order is None or isinstance(order, numpy.ndarray))
    x = tensor((7,), device)
    values = torch.tensor(numpy.random.default_rng(1).uniform(-1, 1, A.nnz), device=device, requires_grad=True)
    for H in (G, G.copy()):
        assert torch.autograd.gradcheck(lambda x, values: gossamer.torch.matmul(H, x, values), (x, values))
