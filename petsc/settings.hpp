// SPDX-License-Identifier: BSD-3-Clause
// What -mat_gossamer_format, _device, _option and _copy_user_arrays ask for.
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
  bool copy_user_arrays = false;
};

/// Whether a plan of the one is a plan of the other.
bool same(const settings& a, const settings& b);

/// Of this process among those of PETSC_COMM_WORLD on its machine: which GPU `auto` takes. Collective there.
PetscErrorCode find_local_rank();

/// Makes a copy without a prefix of its own read the options that its original reads: PETSc copies no prefix.
PetscErrorCode inherit_prefix(Mat from, Mat copy);

/// From the options database, under the matrix's prefix, or the one that it inherited. Wrong names and absent
/// devices are errors, on all processes of the matrix where one meets them. Collective on the matrix.
PetscErrorCode read_settings(Mat matrix, settings& found);

}  // namespace gossamer::petsc
