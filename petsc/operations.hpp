// SPDX-License-Identifier: BSD-3-Clause
// The operations of a matrix by number, with the types that PETSc erases.
#pragma once

#include <petscmat.h>

namespace gossamer::petsc {

using mult_function = PetscErrorCode (*)(Mat, Vec, Vec);
using mult_add_function = PetscErrorCode (*)(Mat, Vec, Vec, Vec);
using duplicate_function = PetscErrorCode (*)(Mat, MatDuplicateOption, Mat*);
using assembly_end_function = PetscErrorCode (*)(Mat, MatAssemblyType);
using view_function = PetscErrorCode (*)(Mat, PetscViewer);
using destroy_function = PetscErrorCode (*)(Mat);
using retrieve_values_function = PetscErrorCode (*)(Mat);
using set_columns_function = PetscErrorCode (*)(Mat, PetscInt*);
using preallocate_coo_function = PetscErrorCode (*)(Mat, PetscCount, PetscInt*, PetscInt*);

/// void (*)(void) before 3.24, another type after.
template <class F>
struct second_argument;
template <class R, class A, class B, class C>
struct second_argument<R (*)(A, B, C)> {
  using type = C;
};
using any_function = typename second_argument<decltype(&MatSetOperation)>::type;

template <class F>
PetscErrorCode replace_operation(Mat matrix, MatOperation number, F function) {
  return MatSetOperation(matrix, number, reinterpret_cast<any_function>(function));
}

template <class F>
PetscErrorCode find_operation(Mat matrix, MatOperation number, F& function) {
  return MatGetOperation(matrix, number, reinterpret_cast<any_function*>(&function));
}

/// An empty matrix of this process as PETSc makes it, whatever the program's options ask for.
inline PetscErrorCode make_plain(MatType type, Mat& made) {
  PetscOptions none = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(MatCreate(PETSC_COMM_SELF, &made));
  PetscCall(PetscObjectSetOptions(reinterpret_cast<PetscObject>(made), none));
  PetscCall(MatSetType(made, type));
  PetscCall(PetscObjectSetOptions(reinterpret_cast<PetscObject>(made), nullptr));
  PetscCall(PetscOptionsDestroy(&none));
  PetscFunctionReturn(PetscErrorCode{});
}

/// Under `name` of the matrix; a null function takes it away.
template <class F>
PetscErrorCode compose(Mat matrix, const char* name, F function) {
  return PetscObjectComposeFunction(reinterpret_cast<PetscObject>(matrix), name, function);
}

template <class F>
PetscErrorCode find_composed(Mat matrix, const char* name, F& function) {
  return PetscObjectQueryFunction(reinterpret_cast<PetscObject>(matrix), name, &function);
}

/// Whether a viewer wants a summary instead of the entries.
inline PetscErrorCode wants_summary(PetscViewer viewer, PetscBool& wants, PetscBool& of_all) {
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &wants));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  of_all = format == PETSC_VIEWER_ASCII_INFO_DETAIL ? PETSC_TRUE : PETSC_FALSE;
  if (format != PETSC_VIEWER_ASCII_INFO && !of_all) wants = PETSC_FALSE;
  PetscFunctionReturn(PetscErrorCode{});
}

}  // namespace gossamer::petsc
