// SPDX-License-Identifier: BSD-3-Clause
// The two matrix types: what registration needs of them, and the parallel one of the sequential one.
#pragma once

#include <petscmat.h>

#include <string>

#include "settings.hpp"

namespace gossamer::petsc {

/// Before any matrix becomes ours: look up what AIJ does, of which PETSc exports nothing.
PetscErrorCode inherit_sequential();
PetscErrorCode inherit_parallel();

/// Constructors of MatSetType().
PetscErrorCode create_sequential(Mat matrix);
PetscErrorCode create_parallel(Mat matrix);

/// Between AIJ and ours, both ways: a converter of PETSc's. In place it takes or gives a few operations, and
/// copies nothing.
PetscErrorCode sequential_from_aij(Mat matrix, MatType type, MatReuse reuse, Mat* result);
PetscErrorCode sequential_to_aij(Mat matrix, MatType type, MatReuse reuse, Mat* result);

/// Makes a block of a parallel matrix ours, with the settings of that matrix.
PetscErrorCode adopt_block(Mat block, const settings& wanted);

/// One line on a sequential matrix's plan, which is made if need be.
PetscErrorCode summarize(Mat matrix, std::string& line);

}  // namespace gossamer::petsc
