// SPDX-License-Identifier: BSD-3-Clause
// Products by dense matrices: MatMatMult() and MatTransposeMatMult().
#pragma once

#include <petscmat.h>

#include "gossamer_petsc.h"

namespace gossamer::petsc {

/// The names under which PETSc looks for choose_product_by_columns() in a matrix of ours.
inline constexpr const char* sequential_product_by_columns =
    "MatProductSetFromOptions_" MATSEQAIJGOSSAMER "_" MATSEQDENSE "_C";
inline constexpr const char* parallel_product_by_columns =
    "MatProductSetFromOptions_" MATMPIAIJGOSSAMER "_" MATMPIDENSE "_C";

/// Prepares `result` for C = A B or C = A^T B, with B dense in host memory: one product of each plan by all
/// columns. Leaves other products to PETSc.
PetscErrorCode choose_product_by_columns(Mat result);

}  // namespace gossamer::petsc
