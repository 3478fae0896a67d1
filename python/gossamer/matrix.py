# SPDX-License-Identifier: BSD-3-Clause
"""gossamer.matrix() and the object that it makes."""

import json
import math
import numbers
import secrets
from typing import Any, Literal, Optional, Tuple, Union

import numpy

from . import _gossamer
from .buffers import TYPE_NAMES, to_host
from .epilogue import Epilogue
from .epilogue import multiply as multiply_with_epilogue
from .errors import ArgumentTypeError, SizeMismatchError
from .io import to_scipy as _to_scipy
from .stored import StoredMatrix, options_text

# Numbers of matrices count from 1 in each process. A program that torch.export saved has them as text: with
# this, a process that loads the program finds no other matrix of that number.
_PROCESS = secrets.token_hex(8) + "-"


def matrix(
    A: Any,
    *,
    shape: Optional[Tuple[int, int]] = None,
    device: Optional[str] = None,
    dtype: Any = None,
    calls: float = 1000,
    operations: Literal["forward", "transposed", "both"] = "forward",
    format: str = "auto",
    values_change: bool = False,
    threads: Optional[int] = None,
    memory: Union[None, int, Literal["caller_arrays"]] = None,
    copy: bool = False,
    vectors: int = 1,
    reorder: Literal["none", "rcm"] = "none",
    **format_options: Any,
) -> "Matrix":
    """Prepares a sparse matrix for many products, G @ x.

    This takes as long as some tens of products: it pays off for matrices that are multiplied often. It is
    synchronous, and Ctrl-C ends it.

    Parameters
    ----------
    A : sparse matrix
        of SciPy (any format; those other than CSR, CSC and COO are converted to CSR), of CuPy (CSR, CSC,
        COO) or of PyTorch (CSR, CSC, COO, also not coalesced); a tuple (data, indices, indptr) or (data,
        (row, col)) of arrays with the array interface, the CUDA array interface or DLPack; or the name of a
        file: .mtx, .mtx.gz, SciPy's .npz, MATLAB's .mat, or Harwell-Boeing .rb, .hb, .rua, .rsa. Entries in
        one place add up. Indices are int32 or int64; values are float32 or float64.
    shape : (rows, columns), of a tuple only
    device : "cpu", "cuda" or "cuda:1"; default: the device of A's arrays. "cuda" is that device too if it is a
        GPU, else "cuda:0".
    dtype : values are converted to it, float32 or float64; default: that of A (of a Matrix Market file
        float64)
    calls : expected number of products
    operations : "forward", "transposed" or "both": the products to prepare now. The other one is prepared
        when it is first used.
    format : a name from gossamer.formats(), "auto" or "tuned" (the cached result of tune())
    values_change : update() will be called
    threads : CPU threads; default: all
    memory : bytes of device memory for the matrix, the rest of which stays in host memory; or
        "caller_arrays": columns and values are used in place, and only the product that `operations` names
        is supported
    copy : if False, G may use A's arrays in place, and keeps them alive; do not change them. If True, G keeps
        none of them.
    vectors : expected number of columns of x
    reorder : "rcm" reorders the rows and columns of a square matrix inside, by reverse Cuthill-McKee. Vectors
        and values stay in the order of A. It pays off for meshes in bad order.
    format_options : options of the format that is named, such as `longest_walk=32`; also `symmetric` and
        `isa` of gossamer_inspect()

    Returns
    -------
    Matrix

    Raises
    ------
    gossamer.Error
        a TypeError for input or values of a wrong type, a ValueError for arrays that describe no matrix or
        options that are wrong, an OSError for a file, NotImplementedError if the format refuses the matrix,
        MemoryError; without a GPU of that number its code is "no_device".

    Examples
    --------
    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.csr_array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
    >>> G = gossamer.matrix(A, calls=10000)
    >>> G
    <gossamer.Matrix of shape (2, 3), 3 entries of float64, format 'csr' on cpu>
    >>> G.T @ numpy.array([1.0, 1.0])
    array([2., 3., 1.])
    >>> gossamer.matrix((numpy.array([5.0]), [1], [0, 1]), shape=(1, 2)) @ [0, 2]
    array([10.])
    """
    options = {
        "format": format,
        "calls": calls,
        "operations": operations,
        "vectors": vectors,
        "reorder": reorder,
        "values_change": bool(values_change),
        "threads": threads,
        **_memory_options(memory),
        **format_options,
    }
    device = None if device is None else str(device)
    stored = StoredMatrix.of(A, shape, dtype, device, options, copy)
    made = _matrix_with(stored, stored.make_plan(operations))
    if copy and not values_change:
        stored.forget_arrays()
    return made


def _memory_options(memory):
    if memory is None:
        return {}
    if isinstance(memory, str):
        return {"memory": memory}
    if not isinstance(memory, numbers.Real):
        raise ArgumentTypeError(f'memory = {memory!r} is no number of bytes and not "caller_arrays"')
    return {"memory_limit": int(memory)}


def _matrix_with(stored, plan):
    info = plan.info()
    made = Matrix(info["rows"], info["cols"], info["value_type"], info["device"], stored)
    _set_attributes(made, f"{_PROCESS}{made._number}")
    for transposed in (False, True):
        if info["transposed" if transposed else "forward"]:
            made._set_plan(transposed, plan)
    return made


def matrix_of_number(number):
    """The matrix with _identity == (number, False); None if it was deleted, or if the number is of another
    process. For gossamer.torch."""
    found = _gossamer.find_operator(int(number[len(_PROCESS) :])) if number.startswith(_PROCESS) else None
    if found is None:
        return None
    made = Matrix(found, False)
    _set_attributes(made, number)
    return made


def _set_attributes(made, number):
    """Sets the Python attributes of a matrix that is not transposed."""
    made._identity = number, False
    made._facts = (*made.shape, TYPE_NAMES[made._value_type], made._device)


def _restored(members, description, is_transposed, where, options, order):
    """For pickle: the matrix of these host arrays, with the plan of the description."""
    from .inputs import MatrixArrays, to_c_arrays

    inputs = MatrixArrays(*members)
    arrays = to_c_arrays(inputs)
    stored = StoredMatrix(where, options, arrays, inputs, order)
    made = _matrix_with(stored, _gossamer.inspect_like(arrays, description, stored.owner_of(arrays)))
    if options.get("copy"):
        stored.forget_arrays()
    return made.T if is_transposed else made


class Matrix(_gossamer.Operator):
    """A sparse matrix that is prepared for products; gossamer.matrix() makes it.

    `G @ x` and `x @ G` multiply by a vector or by a dense matrix of one or two dimensions. The result is of
    x's library, on its device: a NumPy array, CuPy array or torch tensor. x and the result have the type of
    the matrix; a NumPy x is converted if NumPy's casting rule "safe" allows it. Rows or columns of x may have any
    stride: x is copied only if its strides are not those of a row-major or column-major matrix.

    In device memory, products are asynchronous in the current stream of x's library. On a matrix on a GPU,
    NumPy vectors are copied to the GPU and back, synchronously.

    Threads may multiply by one matrix at the same time; the GIL is released, except in products that take a
    few microseconds. update() waits for products of other threads. After fork(), a child may use matrices on
    CPUs; those on GPUs raise an error.

    Products raise gossamer.Error: a ValueError if the shape of x or out is wrong, if x and out overlap, or if
    x is on another device; a TypeError for a wrong type; MemoryError.
    """

    # The process and the number of the matrix, and whether this is its transpose: for torch.compile, which
    # sees attributes of Python only. As text, since changing numbers would become variables of the compiled
    # function.
    _identity: Tuple[str, bool]
    # Rows, columns, the name of the type, the number of the device: for products in little time.
    _facts: Tuple[int, int, str, int]

    __array_ufunc__ = None  # NumPy's x @ G then calls G's method
    __array_priority__ = 1000  # the same for CuPy
    ndim = 2

    def __init_subclass__(cls):
        raise TypeError("gossamer.Matrix cannot be subclassed: gossamer.matrix() makes its objects")

    @property
    def T(self) -> "Matrix":
        """The transpose. It shares everything with this matrix, so it takes no time and no memory.

        >>> G.T.shape, G.T.T.shape
        ((3, 2), (2, 3))
        """
        made = Matrix(self, True)
        number, is_transposed = self._identity
        rows, cols, type_name, device = self._facts
        made._identity, made._facts = (number, not is_transposed), (cols, rows, type_name, device)
        return made

    H = property(lambda self: self.T, doc="The conjugate transpose: since values are real, the transpose.")

    @property
    def dtype(self) -> numpy.dtype:
        """numpy.dtype("float32") or numpy.dtype("float64"): that of values, x and the result.

        >>> G.dtype
        dtype('float64')
        """
        return numpy.dtype(self._facts[2])

    @property
    def nnz(self) -> int:
        """The number of entries, also those in one place, and zeros.

        >>> G.nnz
        3
        """
        return self._some_plan().info()["nnz"]

    @property
    def nbytes(self) -> int:
        """Bytes of the stored matrix, for all products that are prepared. Arrays of A that it uses count.

        >>> G.nbytes >= 3 * (8 + 4)  # values and columns
        True
        """
        return sum(plan.info()["bytes"] for plan in self._plans())

    @property
    def format(self) -> str:
        """The name of the format in which the matrix is stored, of this product if it is prepared."""
        return (self._plan(self._is_transposed) or self._some_plan()).info()["format"]

    @property
    def permutation(self) -> Optional[numpy.ndarray]:
        """The order in which a matrix with reorder="rcm" is stored: stored row i is row permutation[i] of A, and
        columns likewise. A read-only array of int32; None without reorder.

        >>> R = gossamer.matrix(A[:, :2], reorder="rcm")
        >>> sorted(R.permutation.tolist())
        [0, 1]
        >>> R @ numpy.array([1.0, 10.0])
        array([ 2., 30.])
        """
        return self._some_plan().permutation()

    @property
    def device(self) -> str:
        """ "cpu", or "cuda:0" and so on."""
        return "cpu" if self._device < 0 else f"cuda:{self._device}"

    def info(self) -> dict:
        """Facts about the matrix: a dict.

        Sizes are in bytes: `bytes` of what is stored, `streamed_bytes` that one product reads. `seconds` is
        the time of gossamer.matrix() in the library. `reencodes`: True if
        update() encodes all values again, which takes as long as gossamer.matrix().

        >>> G.info()["format"], G.info()["nnz"]
        ('csr', 3)
        """
        info = (self._plan(self._is_transposed) or self._some_plan()).info()
        result = {"shape": self.shape, "dtype": self.dtype, "device": self.device}
        result.update({key: info[key] for key in ("nnz", "format", "options", "bytes", "streamed_bytes")})
        result.update(seconds=info["inspect_seconds"], symmetric=info["symmetric"], reencodes=info["reencodes"])
        return result

    def describe(self) -> str:
        """The plan as one JSON text, for gossamer_inspect_like() and for reports.

        >>> import json
        >>> json.loads(G.describe())["format"]
        'csr'
        """
        return (self._plan(self._is_transposed) or self._some_plan()).describe()

    def multiply(
        self,
        x: Any,
        out: Any = None,
        alpha: Any = 1,
        beta: Any = 0,
        stream: Any = None,
        epilogue: Optional[Epilogue] = None,
    ) -> Any:
        """alpha G x + beta out.

        x : array of shape (columns,) or (columns, k)
        out : array of shape (rows,) or (rows, k) that receives the result, of x's library and device. Default:
            a new one. It must not overlap x.
        beta : if 0, out is not read
        stream : of a product in device memory: a CuPy or torch stream, or the address of a CUDA stream. Default:
            the current stream of x's library. A new `out` is allocated in the current stream: order it with
            `stream` yourself.
        epilogue : what to do with the result before it is written, for x of shape (columns,). alpha and beta may
            then also be arrays of one element, which are read when the product runs.

        Returns out. In device memory the product is asynchronous. Errors: see the class; a beta without out is
        a ValueError.

        >>> y = numpy.ones(2)
        >>> G.multiply(numpy.ones(3), out=y, alpha=2, beta=10)
        array([16., 16.])
        """
        if epilogue is not None:
            return multiply_with_epilogue(self, x, out, alpha, beta, stream, epilogue)
        try:
            return self._multiply(x, out, alpha, beta, stream, False)
        except (TypeError, OverflowError):
            _check_real("alpha", alpha)
            _check_real("beta", beta)
            raise

    def matvec(self, x: Any) -> Any:
        """G x of one vector, of shape (columns,) or (columns, 1); the result has as many dimensions. Errors: a
        ValueError for another shape, and those of products.

        >>> G.matvec(numpy.ones((3, 1))).shape
        (2, 1)
        """
        return self._multiply(_one_column(x), None, 1, 0, None, False)

    def rmatvec(self, x: Any) -> Any:
        """The conjugate transpose times a vector, of shape (rows,) or (rows, 1); like matvec().

        >>> G.rmatvec(numpy.ones(2))
        array([2., 3., 1.])
        """
        return self.T.matvec(x)

    def matmat(self, x: Any) -> Any:
        """G X of a dense matrix of shape (columns, k): (rows, k). In the order (C, F) of X. Errors: a ValueError
        for another shape, and those of products.

        >>> G.matmat(numpy.ones((3, 2)))
        array([[3., 3.],
               [3., 3.]])
        """
        return self._multiply(_two_dimensional(x), None, 1, 0, None, False)

    def rmatmat(self, x: Any) -> Any:
        """The conjugate transpose times a dense matrix of shape (rows, k): (columns, k); like matmat().

        >>> G.rmatmat(numpy.ones((2, 2))).shape
        (3, 2)
        """
        return self.T.matmat(x)

    def dot(self, x: Any) -> Any:
        """G @ x.

        >>> G.dot(numpy.ones(3))
        array([3., 3.])
        """
        return self @ x

    def update(self, values: Any) -> None:
        """New values for the entries, in the order of A's data (of formats that were converted: of
        A.tocsr().data). Needs values_change=True.

        From host memory it is synchronous. From device memory it is asynchronous in the current stream of the
        library of `values`, except where the format encodes values on the host (info()["reencodes"]).
        update() waits for products of other threads with vectors in host memory. Products in other streams
        must have finished.
        Errors: NotImplementedError without values_change; ValueError for a wrong number of values, TypeError
        for a wrong type. After an error the matrix has its previous values, for all products.

        >>> H = gossamer.matrix(A, values_change=True)
        >>> H.update(numpy.array([1.0, 1.0, 1.0]))
        >>> H @ numpy.ones(3)
        array([2., 1.])
        """
        stored = self._context
        with stored.lock:
            stored.update(self._plans(), values, self.nnz)

    def to_scipy(self) -> Any:
        """The matrix as a scipy.sparse.csr_array (or csc_array: of CSC input, and of a transpose), in new
        arrays. If the format rounds values, they are rounded.

        >>> G.to_scipy().toarray()
        array([[2., 0., 1.],
               [0., 3., 0.]])
        """
        matrix = _to_scipy(self._some_plan().matrix())
        return matrix.T if self._is_transposed else matrix

    def to_cupy(self) -> Any:
        """The matrix as a cupyx.scipy.sparse matrix (CSR, or CSC where to_scipy() gives that), by way of the
        host."""
        import cupyx.scipy.sparse as sparse

        matrix = self.to_scipy()
        return (sparse.csr_matrix if matrix.format == "csr" else sparse.csc_matrix)(matrix)

    def tune(self, budget: float = 2, cache: bool = True) -> "Matrix":
        """Searches for the format with the fastest G @ x by measuring, and returns a new matrix in it; G stays as
        it is. The other product, if it is prepared too, gets the same format.

        The search ignores `reorder`, and the new matrix is not reordered.

        budget : seconds of the search
        cache : keep the result in a file, where format="tuned" finds it

        Errors: a ValueError for a negative budget, MemoryError. Ctrl-C ends the search.

        >>> T = G.tune(budget=0.01, cache=False)
        >>> T @ numpy.ones(3)
        array([3., 3.])
        """
        stored = self._context
        operations = "both" if len(self._products()) == 2 else self._products()[0]
        keys = ("calls", "threads", "isa", "values_change")
        options = {key: stored.options.get(key) for key in keys}
        product = "transposed" if self._is_transposed else "forward"
        text = options_text({**options, "budget": budget, "cache": bool(cache), "operations": product})
        with stored.lock:
            arrays = stored.host_arrays(self._some_plan())
            setting = _gossamer.tune(arrays, stored.where, text)
            chosen = dict(part.split("=", 1) for part in setting.split(", "))
            kept = {key: value for key, value in stored.options.items() if key in _OPTIONS_OF_ALL_FORMATS}
            tuned = StoredMatrix(stored.where, {**kept, **chosen}, arrays, None, stored.order)
            made = _matrix_with(tuned, tuned.make_plan(operations))
        return made.T if self._is_transposed else made

    def copy(self) -> "Matrix":
        """A copy of the matrix and its plan, in new memory. Products with it have the same bits. Errors:
        MemoryError.

        >>> H = G.copy()
        >>> H.format == G.format, bool((H @ numpy.ones(3) == G @ numpy.ones(3)).all())
        (True, True)
        """
        function, arguments = self.__reduce__()
        return function(*arguments)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        """A pickle has the arrays of the matrix and the description of its plan. Where it is loaded, the plan
        is made again: the same format, options, device and bits."""
        stored = self._context
        with stored.lock:
            plan = self._some_plan()
            members = stored.host_arrays(plan).members()
            offsets = numpy.array(members["offsets"], json.loads(plan.describe())["offset"])
            indices, values = numpy.array(members["indices"]), numpy.array(members["values"])
            data = (members["layout"], members["shape"], offsets, indices, values)
            order = None if stored.order is None else to_host(stored.order)
            return _restored, (data, plan.describe(), self._is_transposed, stored.where, stored.options, order)

    def __repr__(self):
        return (
            f"<gossamer.Matrix of shape {self.shape}, {self.nnz} entries of {self.dtype}, "
            f"format {self.format!r} on {self.device}>"
        )

    def _make_plan(self, transposed):
        """Makes the plan for products with A, or with its transpose, unless another thread has made it."""
        stored = self._context
        with stored.lock:
            if self._plan(transposed) is None:
                operations = "transposed" if transposed else "forward"
                self._set_plan(transposed, stored.make_plan(operations, self._some_plan()))

    def _plans(self):
        """The plans that there are: one or two."""
        forward, transposed = self._plan(False), self._plan(True)
        if forward is None or forward is transposed:
            return [transposed]
        return [forward] if transposed is None else [forward, transposed]

    def _some_plan(self):
        return self._plan(False) or self._plan(True)

    def _products(self):
        return [name for name, plan in (("forward", self._plan(False)), ("transposed", self._plan(True))) if plan]


_OPTIONS_OF_ALL_FORMATS = ("calls", "operations", "vectors", "values_change", "copy", "memory_limit", "threads", "isa")


def _check_real(name, value):
    try:
        math.isnan(value)
    except (TypeError, OverflowError):
        raise ArgumentTypeError(f"{name} = {value!r} is no real number that fits into 64 bits") from None


def _one_column(x):
    x = x if hasattr(x, "shape") else numpy.asarray(x)
    if len(x.shape) == 1 or (len(x.shape) == 2 and x.shape[1] == 1):
        return x
    raise SizeMismatchError(f"x has shape {tuple(x.shape)}, not (n,) or (n, 1)")


def _two_dimensional(x):
    x = x if hasattr(x, "shape") else numpy.asarray(x)
    if len(x.shape) == 2:
        return x
    raise SizeMismatchError(f"x has shape {tuple(x.shape)}, not (n, k)")
