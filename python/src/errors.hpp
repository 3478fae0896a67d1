// SPDX-License-Identifier: BSD-3-Clause
// Python exceptions from the status codes of the C interface.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "gossamer/gossamer.h"

namespace gossamer::python {

/// Registers the function of errors.py that makes an exception: (code, message, is_type_error) -> exception.
void set_exception_factory(nanobind::object factory);

/// Throws the Python exception that belongs to `status`. The caller holds the GIL.
[[noreturn]] void fail(gossamer_status status, const std::string& message);

/// The same for an argument of a wrong type: an INVALID_ARGUMENT that is a TypeError too.
[[noreturn]] void fail_type(const std::string& message);

/// Throws if `status` is an error; the message is gossamer_last_error(). The caller holds the GIL.
inline void check(gossamer_status status) {
  if (status != GOSSAMER_SUCCESS) [[unlikely]]
    fail(status, gossamer_last_error());
}

}  // namespace gossamer::python
