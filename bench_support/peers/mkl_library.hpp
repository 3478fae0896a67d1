// SPDX-License-Identifier: BSD-3-Clause
// Where MKL may be found.
#pragma once

#include "bench_support/peers/library.hpp"

namespace gossamer::bench_support::peers {

/// The same for its sparse products and its BLAS, which are one library.
inline library_search mkl_search() {
  return {.variable = "GOSSAMER_MKL",
          .names = {"libgossamer_mkl.so", "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"},
          .folders = {"/opt/intel/oneapi/mkl/latest/lib"},
          .companions = {}};
}

}  // namespace gossamer::bench_support::peers
