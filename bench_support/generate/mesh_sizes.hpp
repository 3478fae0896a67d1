// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a mesh on a grid of nodes, which several generators take.
#pragma once

#include <cstdint>

#include "bench_support/generate/arguments.hpp"

namespace gossamer::bench_support::generation {

struct mesh_sizes {
  std::int64_t nx, ny, nz;  ///< nodes in each direction
  std::int64_t dof;         ///< unknowns of a node
  std::int64_t unknowns = 1;

  /// Rejects sizes whose product is no dimension of a matrix.
  explicit mesh_sizes(const arguments& given)
      : nx(given.dimension("nx", 1)),
        ny(given.dimension("ny", 1)),
        nz(given.dimension("nz", 1)),
        dof(given.dimension("dof", 1)) {
    for (const std::int64_t factor : {nx, ny, nz, dof}) {
      unknowns *= factor;  // both are below 2^31
      given.check_dimension("nx * ny * nz * dof", unknowns);
    }
  }
};

}  // namespace gossamer::bench_support::generation
