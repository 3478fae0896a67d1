# SPDX-License-Identifier: BSD-3-Clause
"""The row and the column of each entry, as PyTorch tensors."""

import numpy
import torch

from . import _gossamer
from .buffers import to_host


def entry_indices(matrix, device):
    """Two int64 tensors on the device: rows and columns of the entries, in the order of update(), of a matrix
    that is not transposed. It keeps them for the devices that were asked for."""
    kept = matrix._context.entry_indices
    if device not in kept:
        kept[device] = tuple(torch.from_numpy(array).to(device) for array in _host_indices(matrix))
    return kept[device]


def _host_indices(matrix):
    stored = matrix._context
    with stored.lock:
        members = stored.host_arrays(matrix._some_plan()).members()
    offsets, indices = numpy.asarray(members["offsets"]), numpy.asarray(members["indices"])
    outer = numpy.repeat(numpy.arange(len(offsets) - 1), numpy.diff(offsets))
    inner = indices.astype(numpy.int64)
    if stored.order is not None:  # entries were sorted by row
        order = to_host(stored.order)
        outer, inner = _unsorted(outer, order), _unsorted(inner, order)
    return (inner, outer) if members["layout"] == _gossamer.CSC else (outer, inner)


def _unsorted(array, order):
    result = numpy.empty_like(array)
    result[order] = array
    return result
