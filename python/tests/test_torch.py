# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors of PyTorch, on CPUs and GPUs."""

import numpy
import pytest

import gossamer
from support import DTYPES, assert_product, random_matrix, random_vector

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning", "ignore:Sparse CSC:UserWarning")


def sparse_tensor(A, layout, device):
    C = A.tocoo()
    coo = torch.sparse_coo_tensor(numpy.stack([C.row, C.col]), C.data, A.shape, device=device)
    return coo if layout == "coo" else coo.to_sparse_csr() if layout == "csr" else coo.to_sparse_csc()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_products(layout, dtype, device):
    A = random_matrix((40, 60), dtype)
    G = gossamer.matrix(sparse_tensor(A, layout, device))
    assert G.device == ("cpu" if device == "cpu" else "cuda:0")
    for columns in ((), (1,), (3,)):
        x = random_vector((60, *columns), dtype)
        z = random_vector((40, *columns), dtype)
        for on_device in (torch.tensor(x, device=device), torch.tensor(x.T.copy(), device=device).T):
            y = G @ on_device
            assert isinstance(y, torch.Tensor) and y.device == on_device.device
            assert_product(y.cpu().numpy(), A, x)
        assert_product((torch.tensor(z.T.copy(), device=device) @ G).cpu().numpy().T, A.T, z)
        assert_product((G.T @ torch.tensor(z, device=device)).cpu().numpy(), A.T, z)


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_that_are_not_coalesced(device):
    A = torch.sparse_coo_tensor([[2, 0, 2], [1, 0, 1]], [1.0, 2.0, 3.0], (3, 2), dtype=torch.float64, device=device)
    y = gossamer.matrix(A) @ torch.tensor([1.0, 10.0], dtype=torch.float64, device=device)
    assert y.tolist() == [2.0, 0.0, 40.0]


@pytest.mark.parametrize("device", DEVICES)
def test_strides_and_out(device):
    A = random_matrix((40, 60))
    G = gossamer.matrix(sparse_tensor(A, "csr", device))
    wide = torch.tensor(random_vector((120, 6), "float64"), device=device)
    for x in (wide[::2], wide[:60, ::2], wide[:60, 3], wide[::2, 3], wide[:60].flip(0), wide[0].expand(60, 6)):
        expected = x.cpu().numpy().copy()
        assert_product((G @ x).cpu().numpy(), A, expected)
    y = torch.ones((40, 6), dtype=torch.float64, device=device)
    before = y.cpu().numpy().copy()
    assert G.multiply(wide[::2], out=y, alpha=2, beta=-1) is y
    assert_product(y.cpu().numpy(), A, wide[::2].cpu().numpy(), 2, -1, before)
    strided = torch.zeros(80, dtype=torch.float64, device=device)[::2]
    G.multiply(wide[:60, 0], out=strided)
    assert_product(strided.cpu().numpy(), A, wide[:60, 0].cpu().numpy())


def test_refusals():
    G = gossamer.matrix(random_matrix((40, 60)))
    x = torch.ones(60, dtype=torch.float64)
    cases = [
        (lambda: G @ x.float(), TypeError, "pass x.to(torch.float64)"),
        (lambda: G @ x.clone().requires_grad_(), TypeError, "x requires a gradient"),
        (lambda: G @ x[:-1], ValueError, "rows of x have to have 60 elements"),
        (lambda: G.multiply(x, out=numpy.ones(40)), TypeError, "out is a ndarray"),
        (lambda: G.multiply(x, out=x), ValueError, "out has shape"),
        (lambda: G.multiply(x, out=x[:40].float()), TypeError, "out has dtype"),
        (lambda: G.multiply(x, beta=1), ValueError, "no out"),
        (lambda: gossamer.matrix(torch.eye(3)), TypeError, "to_sparse_csr"),
        (lambda: gossamer.matrix(torch.ones(3).to_sparse()), ValueError, "batches"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message.replace("(", r"\(").replace(")", r"\)")) as raised:
            call()
        assert isinstance(raised.value, gossamer.Error)
    with torch.no_grad():
        assert (G @ x.clone().requires_grad_()).shape == (40,)


def test_tensors_without_memory_are_refused():
    G = gossamer.matrix(random_matrix((40, 60)), values_change=True)
    x, wide = torch.ones(60, dtype=torch.float64), torch.ones((60, 60), dtype=torch.float64)
    G @ x  # the first product of a tensor takes another way
    cases = [
        (lambda: G @ x.to_sparse(), "x cannot be a tensor of layout sparse_coo"),
        (lambda: G @ wide.to_sparse_csr(), "x cannot be a tensor of layout sparse_csr"),
        (lambda: gossamer.matrix(random_matrix((4, 6), "float32")) @ torch.ones(6).to_mkldnn(), "layout mkldnn"),
        (lambda: G @ torch.nested.nested_tensor([x, x]), "x cannot be a tensor of layout nested"),
        (lambda: G.multiply(wide, out=wide[:40].to_sparse()), "out cannot be a tensor of layout sparse_coo"),
        (lambda: torch.func.vmap(lambda x: G @ x)(wide), "x cannot be a tensor of vmap"),
        (lambda: torch.func.jvp(lambda x: G @ x, (x,), (x,)), "x cannot be a tensor of a torch.func transform"),
        (lambda: torch.func.grad(lambda x: (G @ x).sum())(x), "x cannot be a tensor of a torch.func transform"),
        (lambda: torch.func.functionalize(lambda x: G @ x)(x), "x cannot be a tensor of torch.func.functionalize"),
        (lambda: G @ torch._efficientzerotensor(60, dtype=torch.float64), "x cannot be a tensor without memory"),
        (lambda: G.update(torch.ones(G.nnz, dtype=torch.float64).to_sparse()), "values cannot be a tensor of layout"),
    ]
    for call, message in cases:
        with pytest.raises(TypeError, match=message) as raised:
            call()
        assert isinstance(raised.value, gossamer.Error)


def test_values_of_types_that_numpy_lacks():
    """JAX gives NumPy a bfloat16, so messages may have that name."""
    A = torch.tensor([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]]).bfloat16().to_sparse_csr()
    assert (gossamer.matrix(A, dtype="float32") @ torch.ones(3)).tolist() == [3, 3]
    G = gossamer.matrix(A, dtype=torch.float64, values_change=True)
    for call in (lambda: gossamer.matrix(A), lambda: G.update(A.values())):
        with pytest.raises(TypeError, match=r"the values are (torch\.)?bfloat16") as raised:
            call()
        assert isinstance(raised.value, gossamer.Error)


def test_tangents_of_forward_mode_are_refused():
    G = gossamer.matrix(random_matrix((40, 60)))
    x, y = torch.ones(60, dtype=torch.float64), torch.ones(40, dtype=torch.float64)
    expected = G @ x
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        for dual in (forward_ad.make_dual(x, x), forward_ad.make_dual(x[:, None], x[:, None])):
            with pytest.raises(gossamer.Error, match="x has a tangent of forward-mode differentiation"):
                G @ dual
            assert torch.equal((G @ dual.detach()).flatten(), expected)
        with pytest.raises(TypeError, match="out has a tangent"):
            G.multiply(x, out=forward_ad.make_dual(y, y))
        assert torch.equal(G @ x, expected)
    with pytest.raises(TypeError, match="x has a tangent"):
        torch.autograd.functional.jacobian(lambda x: G @ x, x, strategy="forward-mode", vectorize=True)


@pytest.mark.parametrize("device", DEVICES)
def test_autograd_knows_that_out_was_written(device):
    G = gossamer.matrix(random_matrix((40, 60)), device=device)
    x, y = (torch.ones(size, dtype=torch.float64, device=device) for size in (60, 40))
    z = (y.clone().requires_grad_() * y).sum()
    G.multiply(x, out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    y.requires_grad_()
    with pytest.raises(TypeError, match="out requires a gradient") as raised:
        G.multiply(x, out=y)
    assert isinstance(raised.value, gossamer.Error)
    with torch.no_grad():
        assert G.multiply(x, out=y) is y
    with torch.inference_mode():
        y = torch.ones(40, dtype=torch.float64, device=device)
    assert torch.equal(G.multiply(x, out=y), G @ x)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("layout", ["csr", "coo"])
def test_update(layout, device):
    A = random_matrix((40, 60))
    tensor = sparse_tensor(A, layout, device)
    G = gossamer.matrix(tensor, values_change=True)
    B = A.copy()
    B.data = random_vector(A.nnz, "float64", 5)
    G.update(torch.tensor(B.data, device=device))
    x, z = random_vector(60, "float64"), random_vector(40, "float64")
    assert_product((G @ torch.tensor(x, device=device)).cpu().numpy(), B, x)
    assert_product((G.T @ torch.tensor(z, device=device)).cpu().numpy(), B.T, z)


def test_numpy_vectors_of_a_torch_matrix():
    A = random_matrix((40, 60))
    x = random_vector(60, "float64")
    y = gossamer.matrix(sparse_tensor(A, "csr", "cpu")) @ x
    assert isinstance(y, numpy.ndarray)
    assert_product(y, A, x)


def negated(array):
    """A tensor of these elements whose memory has the opposite sign."""
    tensor = torch.complex(torch.zeros(array.shape, dtype=torch.float64), -torch.tensor(array)).conj().imag
    assert tensor.is_neg()
    return tensor


def test_tensors_that_torch_negates_when_they_are_read():
    A = random_matrix((40, 60))
    G = gossamer.matrix(A, values_change=True)
    for columns in ((), (1,), (3,)):
        x, z = random_vector((60, *columns), "float64"), random_vector((40, *columns), "float64")
        assert_product((G @ negated(x)).numpy(), A, x)
        assert_product((negated(z.T) @ G).numpy().T, A.T, z)
    with pytest.raises(ValueError, match="pass out.resolve_neg"):
        G.multiply(torch.ones((60, 3), dtype=torch.float64), out=negated(numpy.ones((40, 3))))
    with pytest.raises(ValueError, match="with stream="):
        G.multiply(negated(x), stream=0)
    assert_product(gossamer.matrix((negated(A.data), A.indices, A.indptr), shape=A.shape) @ x, A, x)
    B = A.copy()
    B.data = random_vector(A.nnz, "float64", 5)
    G.update(negated(B.data))
    assert_product(G @ x, B, x)
    assert_product(G.T @ z, B.T, z)
    assert_product(G.copy() @ x, B, x)


def test_devices_that_are_not_supported():
    A = random_matrix((40, 60))
    G = gossamer.matrix(A, values_change=True)
    for use in (
        lambda: G @ torch.ones(60, dtype=torch.float64, device="meta"),
        lambda: G.multiply(torch.ones(60, dtype=torch.float64), out=torch.ones(40, dtype=torch.float64, device="meta")),
        lambda: G.update(torch.ones(A.nnz, dtype=torch.float64, device="meta")),
        lambda: gossamer.matrix((torch.tensor(A.data).to("meta"), A.indices, A.indptr), shape=A.shape),
        lambda: gossamer.matrix(sparse_tensor(A, "coo", "cpu").to("meta")),
    ):
        with pytest.raises(gossamer.Error, match="on device 'meta': only those on cpu and cuda") as raised:
            use()
        assert isinstance(raised.value, TypeError)


@pytest.mark.gpu
def test_streams():
    """Products are in the current stream: they follow its work, also in a stream that was not used before."""
    A = random_matrix((400, 600))
    G = gossamer.matrix(sparse_tensor(A, "csr", "cuda"))
    x = random_vector(600, "float64")
    source = torch.tensor(x, device="cuda")
    expected = (G @ source).cpu().numpy()
    for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            late = torch.zeros(600, dtype=torch.float64, device="cuda")
            torch.cuda._sleep(10_000_000)
            late.copy_(source)
            y = G @ late
        out = torch.zeros(400, dtype=torch.float64, device="cuda")
        stream.wait_stream(torch.cuda.current_stream())
        G.multiply(source, out=out, stream=stream)
        stream.synchronize()
        numpy.testing.assert_array_equal(y.cpu().numpy(), expected)
        numpy.testing.assert_array_equal(out.cpu().numpy(), expected)


@pytest.mark.gpu
@pytest.mark.parametrize("format", ["auto", "coo"])  # products of coo need scratch memory
def test_graphs(format):
    """Two graphs, captured in a stream that was not used before, and a product that is in none."""
    A = random_matrix((400, 600))
    G = gossamer.matrix(sparse_tensor(A, "csr", "cuda"), format=format)
    x = torch.zeros((600, 3), dtype=torch.float64, device="cuda")
    graphs = []
    for captured in (x[:, 0].clone(), x):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = G @ captured
        graphs.append((graph, captured, y))
    for seed in (1, 2):
        values = random_vector((600, 3), "float64", seed)
        for graph, captured, _ in graphs:
            captured.copy_(torch.tensor(values[:, 0] if captured.ndim == 1 else values))
            graph.replay()
        assert_product((G @ torch.tensor(values, device="cuda")).cpu().numpy(), A, values)
        for _, captured, y in graphs:
            assert_product(y.cpu().numpy(), A, captured.cpu().numpy())


@pytest.mark.gpu
@pytest.mark.parametrize("format", ["auto", "coo"])
def test_two_streams_of_one_graph(format):
    """They run concurrently when the graph is replayed, so each has scratch memory of its own."""
    A = random_matrix((4000, 600))
    G = gossamer.matrix(A, device="cuda", format=format)
    captured = [torch.zeros(600, dtype=torch.float64, device="cuda") for _ in range(2)]
    side = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            second = G @ captured[1]
        first = G @ captured[0]
        torch.cuda.current_stream().wait_stream(side)
    for seed in range(20):
        values = [random_vector(600, "float64", 2 * seed + number) for number in range(2)]
        for to, given in zip(captured, values):
            to.copy_(torch.tensor(given))
        graph.replay()
        for y, given in zip((first, second), values):
            assert_product(y.cpu().numpy(), A, given)


@pytest.mark.gpu
def test_devices_have_to_agree():
    A = random_matrix((40, 60))
    on_cpu = gossamer.matrix(A)
    with pytest.raises(ValueError, match='make it with device="cuda:0"'):
        on_cpu @ torch.ones(60, dtype=torch.float64, device="cuda")
    on_gpu = gossamer.matrix(A, device="cuda")
    x = random_vector(60, "float64")
    assert_product(on_gpu @ x, A, x)
    assert_product((on_gpu @ torch.tensor(x)).numpy(), A, x)
    assert_product((on_gpu @ torch.tensor(x, device="cuda")).cpu().numpy(), A, x)
