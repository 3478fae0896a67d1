// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace gossamer::python {
namespace {

PyObject* exception_factory = nullptr;  // never released: it lives as long as the interpreter

[[noreturn]] void raise(gossamer_status status, const std::string& message, bool is_type_error) {
  const nb::object error =
      nb::borrow(exception_factory)(gossamer_status_name(status), message, is_type_error);
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace

void set_exception_factory(nb::object factory) {
  exception_factory = factory.release().ptr();
}

void fail(gossamer_status status, const std::string& message) {
  raise(status, message, false);
}

void fail_type(const std::string& message) {
  raise(GOSSAMER_INVALID_ARGUMENT, message, true);
}

}  // namespace gossamer::python
