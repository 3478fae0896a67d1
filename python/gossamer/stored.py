# SPDX-License-Identifier: BSD-3-Clause
"""What a matrix and its transpose share besides their plans: the arrays and options to make the other plan."""

import os
import threading
import weakref

import numpy

from . import _gossamer
from .buffers import buffer_of, check_memory, device_of, dtype_of, is_cupy, is_torch, to_host, wait_for, wait_for_device
from .errors import ArgumentTypeError, SizeMismatchError
from .foreign import current_stream
from .inputs import arrays_of, to_c_arrays


_all_matrices: weakref.WeakSet = weakref.WeakSet()


def _renew_locks():
    """In a forked child: threads of the parent that held the locks are not there."""
    for each in _all_matrices:
        each.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class StoredMatrix:
    """Makes plans of one matrix.

    `inputs` are the arrays that the user gave, `arrays` the same for the C interface. Both are None if
    nothing of the user's is kept (copy=True): then a second plan is made of the first one's matrix.
    """

    def __init__(self, where, options, arrays, inputs=None, order=None):
        self.where = where
        self.options = options
        self.arrays = arrays
        self.inputs = inputs
        self.order = order  # of COO entries: their numbers sorted by row; None if they are sorted
        self.latest = None  # a copy of the values of the last update, in the order of the plan's entries
        self.entry_indices = {}  # of gossamer.torch
        self.for_solvers = {}  # of gossamer.linalg
        self.lock = threading.RLock()  # gossamer.torch holds it over an update and its product
        _all_matrices.add(self)

    @property
    def values_change(self):
        return bool(self.options.get("values_change"))

    @classmethod
    def of(cls, matrix, shape, dtype, device, options, copy):
        """Of the first argument of gossamer.matrix()."""
        given = arrays_of(matrix, shape, dtype)
        if isinstance(given, _gossamer.Arrays):
            return cls(device or "cpu", options, given)
        where = device or ("cpu" if given.device is None else f"cuda:{given.device}")
        if given.device is not None:
            if where not in (f"cuda:{given.device}", "cuda"):
                given = given.on_host()
            else:
                where = f"cuda:{given.device}"
        order = None
        if given.layout == _gossamer.COO and options.get("values_change"):
            order = order_by_row(given.offsets)
        if copy and options.get("values_change"):
            given = given.copied()
        elif copy:
            options = {**options, "copy": 1}
        # COO entries in host memory are copied anyway.
        inputs = None if given.device is None and given.layout == _gossamer.COO else given
        return cls(where, options, to_c_arrays(given), inputs, order)

    def forget_arrays(self):
        self.arrays = self.inputs = None

    def make_plan(self, operations, first=None):
        """A plan for these products. `first` is the plan that there is already."""
        arrays = self.current_arrays(first)
        options = options_text({**self.options, "operations": operations})
        return _gossamer.inspect(arrays, self.where, options, self.owner_of(arrays))

    def owner_of(self, arrays):
        """What a plan of these arrays has to keep alive."""
        return None if self.options.get("copy") else arrays

    def current_arrays(self, plan):
        """The arrays, with the values of the last update."""
        if self.arrays is None:
            return plan.matrix()
        if self.latest is None:
            return self.arrays
        wait_for_device(self.latest)
        return with_values(self.arrays, self.latest, self.inputs)

    def host_arrays(self, plan):
        """The same in host memory."""
        if self.inputs is None or self.inputs.device is None:
            return self.current_arrays(plan)
        arrays = to_c_arrays(self.inputs.on_host())
        if self.latest is None:
            return arrays
        wait_for_device(self.latest)
        return with_values(arrays, self.latest, None)

    def wait_for_update(self):
        """Products with vectors in host memory run in a stream of the library's own. The extension calls this."""
        if self.latest is not None:
            wait_for_device(self.latest)

    def update(self, plans, values, nnz):
        """New values for these plans, which are all that there are. After an error, none has them."""
        values = self._in_order(values, plans[0].info(), nnz)
        buffer = buffer_of(values, "values")
        stream = current_stream(values)
        for number, plan in enumerate(plans):
            try:
                plan.update(buffer.address, buffer.device is not None, stream)
            except BaseException:
                self._restore(plans[:number], stream)
                raise
        if self.arrays is not None:  # copies, tune() and plans that are made later start from the arrays
            self.latest = values.detach().clone() if is_torch(values) else values.copy()

    def _restore(self, plans, stream):
        """The values before an update that failed, for the plans that have the new ones already."""
        for plan in plans:
            values = self.host_arrays(plan).members()["values"]
            plan.update(values.ctypes.data, False, stream)

    def _in_order(self, values, info, nnz):
        check_memory(values, "values")
        if not is_torch(values) and not hasattr(values, "__cuda_array_interface__"):
            values = numpy.asarray(values)
        name = "float32" if info["value_type"] == _gossamer.F32 else "float64"
        given = dtype_of(values, "values")
        if given.name != name:
            raise ArgumentTypeError(f"the values are {given}, those of the matrix {name}")
        if tuple(values.shape) != (nnz,):
            raise SizeMismatchError(f"the values have shape {tuple(values.shape)}; the matrix has {nnz} entries")
        if device_of(values) is not None and (info["device"] < 0 or info["reencodes"]):
            values = to_host(values)
        if self.order is None:
            return values
        order = self.order
        if is_torch(values):
            import torch

            return values[order if is_torch(order) else torch.as_tensor(to_host(order)).to(values.device)]
        if is_cupy(values):
            import cupy

            return values[cupy.asarray(order)]
        return values[to_host(order)]


def options_text(options):
    """The options as gossamer_inspect() takes them; those that are None are left out."""
    word = lambda value: str(int(value)) if isinstance(value, bool) else str(value)
    return ", ".join(f"{key}={word(value)}" for key, value in options.items() if value is not None)


def with_values(arrays, values, inputs):
    """The same structure with other values, which are copied to where the structure is."""
    members = arrays.members()
    address = lambda array: array if isinstance(array, int) else array.ctypes.data
    if members["device"] is None:
        values = to_host(values)
    elif device_of(values) is None:
        values = _to_library_of(inputs.values, values)
    buffer = buffer_of(values, "values")
    wait_for(buffer.owner)
    value_type, offset_type, index_type = members["types"]
    return _gossamer.Arrays(
        members["layout"],
        *members["shape"],
        members["nnz"],
        address(members["offsets"]),
        address(members["indices"]),
        buffer.address,
        offset_type,
        index_type,
        value_type,
        -1 if members["device"] is None else members["device"],
        (arrays, buffer.owner),
    )


def _to_library_of(example, values):
    if is_torch(example):
        import torch

        return torch.as_tensor(values).to(example.device)
    import cupy

    with cupy.cuda.Device(device_of(example)):
        return cupy.asarray(values)


def order_by_row(rows):
    """The entries' numbers, stably sorted by row; None if they are sorted. Of the library of `rows`."""
    if is_torch(rows):
        import torch

        return None if bool((rows[1:] >= rows[:-1]).all()) else torch.argsort(rows, stable=True)
    if is_cupy(rows):
        import cupy

        return None if bool((rows[1:] >= rows[:-1]).all()) else cupy.argsort(rows, kind="stable")
    rows = to_host(rows)
    return None if bool(numpy.all(rows[1:] >= rows[:-1])) else numpy.argsort(rows, kind="stable")
