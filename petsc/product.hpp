// SPDX-License-Identifier: BSD-3-Clause
// A plan's product with PETSc's vectors, wherever those are.
#pragma once

#include <petscmat.h>

#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::petsc {

/// y = op(A) x, or y += op(A) x where beta is 1; op(A) is A or its transpose. Vectors that PETSc keeps
/// on a GPU are used there by a plan on a GPU, asynchronously in the stream of PETSc's current device
/// context; they have to be on the plan's GPU. All others are read and written on the host.
PetscErrorCode multiply(const plan<PetscScalar>& p, operation product, Vec x, PetscScalar beta, Vec y);

/// Vectors that PETSc makes for a matrix, those of its solvers too, are kept on the GPU of the plan, unless a
/// type was chosen or PETSc keeps a process's vectors on another GPU: all processes decide alike. What was
/// decided before is taken back where it no longer holds. Collective on the matrix.
PetscErrorCode keep_vectors_with(Mat matrix, const resource& where);

/// The same for a block of a parallel matrix, as was decided for that.
PetscErrorCode keep_vectors_like(Mat block, Mat matrix);

/// A copy's vectors were sent, or not, as the matrix's own were: PETSc gives it their type after the copy is
/// made.
PetscErrorCode keep_mark_of(Mat matrix, Mat copy);

/// Waits for products in flight: plan::update_values() wants none.
PetscErrorCode finish_products(const plan<PetscScalar>& p);

}  // namespace gossamer::petsc
