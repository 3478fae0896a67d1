# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions. Each is a gossamer.Error, and also the built-in exception that Python programs expect."""


class Error(RuntimeError):
    """What the library raises. `code` names the reason, for example "size_mismatch".

    Most codes have a subclass that is also a built-in exception, so that `except ValueError` works:

    ==================  =====================  ===========================================
    code                also a                 reason
    ==================  =====================  ===========================================
    invalid_argument    ValueError, TypeError  a value or a type that is never allowed
    size_mismatch       ValueError             a vector or array has the wrong length
    invalid_matrix      ValueError             the arrays do not describe a matrix
    overlap             ValueError             x and out share memory
    parse_error         ValueError             a file's text is wrong
    unsupported         NotImplementedError    this format, device or version does not do it
    io_error            OSError                the operating system refused a file
    out_of_memory       MemoryError            of the host or the device
    no_device           RuntimeError           no such GPU, no driver, or a build without CUDA
    device_error        RuntimeError           the CUDA runtime reported an error
    busy                RuntimeError           one workspace was used twice at once
    internal_error      RuntimeError           a fault of the library
    ==================  =====================  ===========================================
    """

    code = "internal_error"


class InvalidArgumentError(Error, ValueError):
    code = "invalid_argument"


class ArgumentTypeError(Error, TypeError):
    code = "invalid_argument"


class SizeMismatchError(Error, ValueError):
    code = "size_mismatch"


class InvalidMatrixError(Error, ValueError):
    code = "invalid_matrix"


class OverlapError(Error, ValueError):
    code = "overlap"


class ParseError(Error, ValueError):
    code = "parse_error"


class UnsupportedError(Error, NotImplementedError):
    code = "unsupported"


class FileError(Error, OSError):
    code = "io_error"


class OutOfMemoryError(Error, MemoryError):
    code = "out_of_memory"


class NoDeviceError(Error):
    code = "no_device"


class DeviceError(Error):
    code = "device_error"


_BY_CODE = {
    kind.code: kind
    for kind in (
        InvalidArgumentError,
        SizeMismatchError,
        InvalidMatrixError,
        OverlapError,
        ParseError,
        UnsupportedError,
        FileError,
        OutOfMemoryError,
        NoDeviceError,
        DeviceError,
    )
}


def make_error(code, message, is_type_error=False):
    """The exception for a status of the C interface."""
    error = ArgumentTypeError(message) if is_type_error else _BY_CODE.get(code, Error)(message)
    error.code = code
    return error
