// SPDX-License-Identifier: BSD-3-Clause
// A plan's product with PETSc's vectors, wherever those are.
#pragma once

#include <petscvec.h>

#include "gossamer/plan.hpp"

namespace gossamer::petsc {

/// y = A x, or y += A x where beta is 1. Vectors that PETSc keeps on a GPU are used there by a plan on a GPU, asynchronously in the
/// stream of PETSc's current device context; they have to be on the plan's GPU. All others are read and written on the host.
PetscErrorCode multiply(const plan<PetscScalar>& p, Vec x, PetscScalar beta, Vec y);

/// Waits for products in flight: plan::update_values() wants none.
PetscErrorCode finish_products(const plan<PetscScalar>& p);

}  // namespace gossamer::petsc
