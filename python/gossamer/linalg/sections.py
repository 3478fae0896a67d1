# SPDX-License-Identifier: BSD-3-Clause
"""The largest value and the sum of each section of an array, with NumPy and with CuPy."""

import functools

import numpy

# Elements that one thread of a GPU reduces. Longer sections are reduced level by level.
_LONGEST = 64


class HostSections:
    """Section i is values[starts[i]:starts[i + 1]], of values that are not negative. Empty sections give 0."""

    def __init__(self, starts):
        self._filled = starts[1:] > starts[:-1]
        self._begin = starts[:-1][self._filled]

    def largest(self, values):
        return self._reduced(numpy.maximum, values)

    def sum(self, values):
        return self._reduced(numpy.add, values)

    def _reduced(self, function, values):
        result = numpy.zeros(len(self._filled))
        if len(self._begin) > 0:
            result[self._filled] = function.reduceat(values, self._begin)
        return result


class DeviceSections:
    """The same for values in the memory of CuPy's current device; `starts` are in host memory. Sums have a fixed
    order, so they have the same bits in every run."""

    def __init__(self, starts):
        import cupy

        levels = []
        while (starts[1:] - starts[:-1]).max(initial=0) > _LONGEST:
            begin, end, starts = _chunks(starts)
            levels.append((begin, end))
        levels.append((starts[:-1], starts[1:]))
        self._levels = [(cupy.asarray(begin), cupy.asarray(end)) for begin, end in levels]

    def largest(self, values):
        return self._reduced(_kernel("largest", "max(found, values[k])"), values)

    def sum(self, values):
        return self._reduced(_kernel("sum", "found + values[k]"), values)

    def _reduced(self, kernel, values):
        for begin, end in self._levels:
            values = kernel(values, begin, end)
        return values


def _chunks(starts):
    """The sections cut into chunks of at most _LONGEST elements: the begins and ends of the chunks, and the chunks at
    which the sections start."""
    numbers = -(-(starts[1:] - starts[:-1]) // _LONGEST)
    first = numpy.concatenate([[0], numpy.cumsum(numbers)])
    section = numpy.repeat(numpy.arange(len(numbers)), numbers)
    begin = starts[section] + _LONGEST * (numpy.arange(first[-1]) - first[section])
    return begin, numpy.minimum(begin + _LONGEST, starts[section + 1]), first


@functools.cache
def _kernel(name, update):
    import cupy

    return cupy.ElementwiseKernel(
        "raw float64 values, int64 begin, int64 end",
        "float64 result",
        f"double found = 0; for (long long k = begin; k < end; ++k) found = {update}; result = found;",
        f"gossamer_sections_{name}",
    )
