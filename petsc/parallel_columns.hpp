// SPDX-License-Identifier: BSD-3-Clause
// Products of a parallel matrix by columns in host memory.
#pragma once

#include <petscmat.h>

#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"

namespace gossamer::petsc {

/// Y = op(A) X of the rows of this process; op(A) is A or its transpose. The diagonal and the off-diagonal
/// block of A are multiplied one after the other, each by up to 16 columns at once if it has a plan. X and Y
/// are column-major, with the same number of columns on all processes. Collective.
PetscErrorCode multiply_columns_by_blocks(Mat a, operation product, const dense_view<const PetscScalar>& x,
                                          const dense_view<PetscScalar>& y);

}  // namespace gossamer::petsc
