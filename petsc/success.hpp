// SPDX-License-Identifier: BSD-3-Clause
// Before 3.19 PETSc had no name for what a function returns that did not fail, and it was an int.
#pragma once

#include <petscsys.h>

namespace gossamer::petsc {

inline constexpr PetscErrorCode success{};

}  // namespace gossamer::petsc
