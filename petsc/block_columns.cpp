// SPDX-License-Identifier: BSD-3-Clause
#include "block_columns.hpp"

#include "gossamer_petsc.h"
#include "guarded.hpp"
#include "product.hpp"
#include "shadow.hpp"

namespace gossamer::petsc {
namespace {

PetscErrorCode multiply_by_plan(const plan<PetscScalar>& p, operation product,
                                const dense_view<const PetscScalar>& x, PetscScalar beta,
                                const dense_view<PetscScalar>& y) {
  PetscFunctionBegin;
  PetscCall(finish_products(p));  // the product below runs in another stream
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    product == operation::forward ? p.multiply(1, x, beta, y) : p.multiply_transposed(1, x, beta, y);
  }));
  PetscCall(PetscLogFlops(2.0 * static_cast<double>(p.nnz()) * static_cast<double>(x.cols)));
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_vector(Mat a, operation product, Vec x, PetscScalar beta, Vec y) {
  if (product == operation::forward) return beta == 0 ? MatMult(a, x, y) : MatMultAdd(a, x, y, y);
  return beta == 0 ? MatMultTranspose(a, x, y) : MatMultTransposeAdd(a, x, y, y);
}

PetscErrorCode multiply_each_column(Mat a, operation product, const dense_view<const PetscScalar>& x,
                                    PetscScalar beta, const dense_view<PetscScalar>& y) {
  PetscFunctionBegin;
  for (PetscInt j = 0; j < x.cols; ++j) {
    Vec of_x = nullptr;
    Vec of_y = nullptr;
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(x.rows), column(x, j), &of_x));
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(y.rows), column(y, j), &of_y));
    const PetscErrorCode failed = multiply_vector(a, product, of_x, beta, of_y);
    PetscCall(VecDestroy(&of_y));
    PetscCall(VecDestroy(&of_x));
    PetscCall(failed);
  }
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode multiply_columns(Mat a, operation product, const dense_view<const PetscScalar>& x,
                                PetscScalar beta, const dense_view<PetscScalar>& y) {
  shadow* s = nullptr;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQAIJGOSSAMER, &is_ours));
  if (is_ours) PetscCall(refresh(a, product, s));
  if (is_ours && s->plan_of(product).current) {
    PetscCall(multiply_by_plan(*s->plan_of(product).current, product, x, beta, y));
  } else {
    PetscCall(multiply_each_column(a, product, x, beta, y));
  }
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
