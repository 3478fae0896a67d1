# SPDX-License-Identifier: BSD-3-Clause
"""One-dimensional arrays of any library as addresses that the C interface takes."""

import sys
from dataclasses import dataclass
from typing import Any, Optional

import numpy

from . import _gossamer
from .errors import ArgumentTypeError, InvalidMatrixError

TYPE_CODES = {
    "float32": _gossamer.F32,
    "float64": _gossamer.F64,
    "int32": _gossamer.I32,
    "int64": _gossamer.I64,
}
TYPE_NAMES = {code: name for name, code in TYPE_CODES.items()}


@dataclass
class Buffer:
    """A contiguous array. `device` is None in host memory; `owner` keeps the memory alive."""

    address: int
    size: int
    dtype: numpy.dtype
    device: Optional[int]
    owner: Any

    @property
    def type_code(self):
        return TYPE_CODES[self.dtype.name]


def is_instance_of(value, module, name):
    """isinstance(value, module.name), without importing the module: without it there is no such value."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(value, kind)


def is_torch(value):
    return is_instance_of(value, "torch", "Tensor")


def is_cupy(value):
    return is_instance_of(value, "cupy", "ndarray")


def check_memory(tensor, name):
    """Raises an error if this is a torch tensor whose elements are in no memory that the library can read."""
    if not is_torch(tensor):
        return
    torch = sys.modules["torch"]
    functorch = torch._C._functorch
    if functorch.is_functorch_wrapped_tensor(tensor):
        if functorch.is_batchedtensor(tensor):
            raise ArgumentTypeError(f"{name} cannot be a tensor of vmap; outside of vmap, x may have several columns")
        if functorch.is_functionaltensor(tensor):
            raise ArgumentTypeError(f"{name} cannot be a tensor of torch.func.functionalize")
        raise ArgumentTypeError(
            f"{name} cannot be a tensor of a torch.func transform: gossamer.torch.matmul() has gradients for "
            "torch.autograd"
        )
    if tensor.is_nested or tensor.layout is not torch.strided:
        layout = "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.").removeprefix("_")
        raise ArgumentTypeError(f"{name} cannot be a tensor of layout {layout}: pass a dense one")
    if (tensor.is_cpu or tensor.is_cuda) and tensor.numel() > 0 and tensor.data_ptr() == 0:
        raise ArgumentTypeError(f"{name} cannot be a tensor without memory")


def to_host(array):
    """A NumPy array with the same elements; the array's own memory if that is host memory."""
    if is_torch(array):
        return array.detach().cpu().resolve_conj().resolve_neg().numpy()
    if is_cupy(array):
        return array.get()
    if hasattr(array, "__cuda_array_interface__"):
        raise ArgumentTypeError(f"a {type(array).__name__} in device memory: copy it to the host or to CuPy first")
    if hasattr(array, "__dlpack__") and not isinstance(array, numpy.ndarray):
        return numpy.from_dlpack(array)
    return numpy.asarray(array)


def device_of(array):
    """The number of the CUDA device that holds the array, or None if it is in host memory."""
    if is_torch(array):
        if array.is_cuda:
            return array.device.index
        if array.is_cpu:
            return None
        raise ArgumentTypeError(f"a tensor on device {str(array.device)!r}: only those on cpu and cuda are supported")
    if is_cupy(array):
        return array.device.id
    if hasattr(array, "__cuda_array_interface__"):
        return array.__dlpack_device__()[1] if hasattr(array, "__dlpack_device__") else 0
    return None


def convert(array, dtype):
    """The array with elements of `dtype`, itself if it has them already. Lists become NumPy arrays."""
    dtype = numpy.dtype(dtype)
    if is_torch(array):  # also one of a type that NumPy lacks
        return array.to(getattr(sys.modules["torch"], dtype.name))
    if dtype_of(array) == dtype:
        return array
    if hasattr(array, "astype"):
        return array.astype(dtype)
    return to_host(array).astype(dtype)


def dtype_of(array, name="elements"):
    """The numpy.dtype of the elements. `name` is what an error calls them."""
    if is_torch(array):
        try:
            return numpy.dtype(str(array.dtype).removeprefix("torch."))
        except TypeError:
            needed = "torch.float32 or torch.float64" if array.is_floating_point() else "a type that NumPy has"
            raise ArgumentTypeError(f"the {name} are {array.dtype}: convert them to {needed}") from None
    if hasattr(array, "dtype"):
        return numpy.dtype(array.dtype)
    return to_host(array).dtype


def buffer_of(array, what):
    """The array as a Buffer. Copies it only if it is not contiguous, not aligned or in another byte order."""
    if is_torch(array):
        array = array.detach().resolve_neg().contiguous()  # torch negates some views when they are read
        return _checked(array.data_ptr(), tuple(array.shape), dtype_of(array, what), device_of(array), array, what)
    if hasattr(array, "__cuda_array_interface__"):
        interface = array.__cuda_array_interface__
        if interface.get("strides") is not None:
            if not is_cupy(array):
                raise ArgumentTypeError(f"{what} is not contiguous")
            array = array.copy()
            interface = array.__cuda_array_interface__
        if not is_cupy(array):
            _wait_in_default_stream(array, interface, what)
        dtype = numpy.dtype(interface["typestr"])
        return _checked(interface["data"][0], interface["shape"], dtype, device_of(array), array, what)
    array = to_host(array)
    array = numpy.require(array, array.dtype.newbyteorder("="), ["C", "A"])
    return _checked(array.ctypes.data, array.shape, array.dtype, None, array, what)


def _wait_in_default_stream(array, interface, what):
    """Orders the default stream, in which the library reads arrays, after the work of the array's library."""
    if hasattr(array, "__dlpack__"):
        array.__dlpack__(stream=1)
    elif interface.get("stream") not in (None, 1):
        raise ArgumentTypeError(
            f"{what} is a {type(array).__name__} of stream {interface['stream']}, which may still write it: "
            "pass cupy.asarray() of it"
        )


def _checked(address, shape, dtype, device, owner, what):
    if len(shape) != 1:
        raise InvalidMatrixError(f"{what} has {len(shape)} dimensions, not 1")
    return Buffer(address, shape[0], dtype, device, owner)


def wait_for(array):
    """Waits for the work of the array's library in its current stream, which may still write the array."""
    if is_torch(array) and array.is_cuda:
        sys.modules["torch"].cuda.current_stream(array.device).synchronize()
    elif is_cupy(array):
        sys.modules["cupy"].cuda.get_current_stream(array.device.id).synchronize()


def wait_for_device(array):
    """Waits for all work of the array's device, for an array that was written in any stream."""
    if is_torch(array) and array.is_cuda:
        sys.modules["torch"].cuda.synchronize(array.device)
    elif is_cupy(array):
        array.device.synchronize()
