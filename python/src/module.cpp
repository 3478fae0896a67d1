// SPDX-License-Identifier: BSD-3-Clause
// The extension module gossamer._gossamer: the C interface for the Python files of the package.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "errors.hpp"
#include "gossamer/gossamer.h"
#include "jax.hpp"
#include "linear_program.hpp"
#include "operator.hpp"
#include "plan.hpp"
#include "solve.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace gossamer::python;

NB_MODULE(_gossamer, module) {
  import_numpy();
  nb::set_leak_warnings(false);  // a matrix may live until the interpreter ends
  module.attr("CSR") = static_cast<int>(GOSSAMER_CSR);
  module.attr("CSC") = static_cast<int>(GOSSAMER_CSC);
  module.attr("COO") = static_cast<int>(GOSSAMER_COO);
  module.attr("F32") = static_cast<int>(GOSSAMER_F32);
  module.attr("F64") = static_cast<int>(GOSSAMER_F64);
  module.attr("I32") = static_cast<int>(GOSSAMER_I32);
  module.attr("I64") = static_cast<int>(GOSSAMER_I64);
  module.def("version", &gossamer_version);
  module.def("cuda_device_count", &gossamer_cuda_device_count);
  module.def("format_names", [] {
    nb::list names;
    for (std::int32_t at = 0; const char* name = gossamer_format_name(at); ++at) names.append(name);
    return names;
  });
  module.def("set_exception_factory", &set_exception_factory);
  bind_arrays(module);
  bind_plan(module);
  bind_operator(module);
  bind_solve(module);
  bind_linear_program(module);
#if defined(GOSSAMER_HAVE_JAX)
  bind_jax(module);
#endif
}
