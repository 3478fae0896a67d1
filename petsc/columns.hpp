// SPDX-License-Identifier: BSD-3-Clause
// Products by dense matrices, MatMatMult() and MatTransposeMatMult() of a sequential matrix.
#pragma once

#include <petscmat.h>

#include "gossamer_petsc.h"

namespace gossamer::petsc {

/// The name under which PETSc looks for choose_product_by_columns() in a matrix of ours.
inline constexpr const char* product_by_columns_name =
    "MatProductSetFromOptions_" MATSEQAIJGOSSAMER "_" MATSEQDENSE "_C";

/// Prepares `result` for C = A B or C = A^T B, with B dense in host memory: one product of a plan by all
/// columns. Leaves other products to PETSc.
PetscErrorCode choose_product_by_columns(Mat result);

}  // namespace gossamer::petsc
