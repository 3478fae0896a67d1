// SPDX-License-Identifier: BSD-3-Clause
// What -mat_gossamer_format, _device and _option ask for.
#pragma once

#include <petscmat.h>

#include <string>

#include "gossamer/formats.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::petsc {

struct settings {
  std::string format = "auto";
  option_texts options;
  resource where = cpu{};
};

bool same(const settings& a, const settings& b);

/// Of this process among those of PETSC_COMM_WORLD on its machine: which GPU `auto` takes. Collective there.
PetscErrorCode find_local_rank();

/// From the options database, under the matrix's prefix. Wrong names and absent devices are errors, on all processes of the matrix
/// where one meets them. Collective on the matrix.
PetscErrorCode read_settings(Mat matrix, settings& found);

}  // namespace gossamer::petsc
