// SPDX-License-Identifier: BSD-3-Clause
#include "columns.hpp"

#include "gossamer/matrix.hpp"
#include "guarded.hpp"
#include "operations.hpp"
#include "product.hpp"
#include "shadow.hpp"

namespace gossamer::petsc {
namespace {

/// What a result of MatProductCreate() is computed from. Each call of PETSc may bring other matrices.
struct factors {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  Mat a = nullptr;
  Mat b = nullptr;

  [[nodiscard]] operation product() const noexcept {
    return type == MATPRODUCT_AB ? operation::forward : operation::transposed;
  }
};

PetscErrorCode find_factors(Mat result, factors& found) {
  PetscFunctionBegin;
  PetscCall(MatProductGetType(result, &found.type));
  PetscCall(MatProductGetMats(result, &found.a, &found.b, nullptr));
  PetscFunctionReturn(success);
}

template <class T>
dense_view<T> view_of(T* data, PetscInt rows, PetscInt columns, PetscInt leading) {
  const std::size_t extent = rows == 0 || columns == 0
                                 ? 0
                                 : static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(leading) +
                                       static_cast<std::size_t>(rows);
  return {.rows = rows, .cols = columns, .leading = leading, .data = {data, extent}};
}

PetscErrorCode multiply_by_plan(const plan<PetscScalar>& p, const factors& f, Mat result) {
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  PetscInt x_rows = 0;
  PetscInt y_rows = 0;
  PetscInt columns = 0;
  PetscInt x_leading = 0;
  PetscInt y_leading = 0;
  PetscFunctionBegin;
  PetscCall(MatGetSize(f.b, &x_rows, &columns));
  PetscCall(MatGetSize(result, &y_rows, nullptr));
  PetscCall(MatDenseGetLDA(f.b, &x_leading));
  PetscCall(MatDenseGetLDA(result, &y_leading));
  PetscCall(finish_products(p));  // this one has a stream of its own
  PetscCall(MatDenseGetArrayRead(f.b, &x));
  PetscCall(MatDenseGetArrayWrite(result, &y));
  PetscCall(guarded(PETSC_COMM_SELF, "Gossamer", [&] {
    const auto of_x = view_of(x, x_rows, columns, x_leading);
    const auto of_y = view_of(y, y_rows, columns, y_leading);
    f.product() == operation::forward ? p.multiply(1, of_x, 0, of_y)
                                      : p.multiply_transposed(1, of_x, 0, of_y);
  }));
  PetscCall(MatDenseRestoreArrayWrite(result, &y));
  PetscCall(MatDenseRestoreArrayRead(f.b, &x));
  PetscCall(PetscLogFlops(2.0 * static_cast<double>(p.nnz()) * static_cast<double>(columns)));
  PetscFunctionReturn(success);
}

/// By the matrix's own product with a vector.
PetscErrorCode multiply_each_column(const factors& f, Mat result) {
  PetscInt columns = 0;
  PetscFunctionBegin;
  PetscCall(MatGetSize(f.b, nullptr, &columns));
  for (PetscInt j = 0; j < columns; ++j) {
    Vec x = nullptr;
    Vec y = nullptr;
    PetscCall(MatDenseGetColumnVecRead(f.b, j, &x));
    PetscCall(MatDenseGetColumnVecWrite(result, j, &y));
    const PetscErrorCode failed =
        f.product() == operation::forward ? MatMult(f.a, x, y) : MatMultTranspose(f.a, x, y);
    PetscCall(MatDenseRestoreColumnVecWrite(result, j, &y));
    PetscCall(MatDenseRestoreColumnVecRead(f.b, j, &x));
    PetscCall(failed);
  }
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_columns(Mat result) {
  factors f;
  shadow* s = nullptr;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(find_factors(result, f));
  // The matrix may have been converted in place since the product was prepared.
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(f.a), MATSEQAIJGOSSAMER, &is_ours));
  if (is_ours) PetscCall(refresh(f.a, f.product(), s));
  if (is_ours && s->plan_of(f.product()).current) {
    PetscCall(multiply_by_plan(*s->plan_of(f.product()).current, f, result));
  } else {
    PetscCall(multiply_each_column(f, result));
  }
  PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(success);
}

PetscErrorCode prepare(Mat result) {
  factors f;
  PetscInt rows = 0;
  PetscInt cols = 0;
  PetscInt columns = 0;
  PetscBool is_dense = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(find_factors(result, f));
  PetscCall(MatGetSize(f.a, &rows, &cols));
  PetscCall(MatGetSize(f.b, nullptr, &columns));
  const PetscInt y_rows = f.product() == operation::forward ? rows : cols;
  PetscCall(MatSetSizes(result, y_rows, columns, y_rows, columns));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(result), MATSEQDENSE, &is_dense));
  if (!is_dense) PetscCall(MatSetType(result, MATSEQDENSE));
  // A new type replaces all operations.
  PetscCall(replace_operation(result, MATOP_PRODUCTSYMBOLIC, prepare));
  PetscCall(replace_operation(result, MATOP_PRODUCTNUMERIC, multiply_columns));
  PetscCall(MatSetUp(result));
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode choose_product_by_columns(Mat result) {
  factors f;
  PetscFunctionBegin;
  PetscCall(find_factors(result, f));
  if (f.type == MATPRODUCT_AB || f.type == MATPRODUCT_AtB)
    PetscCall(replace_operation(result, MATOP_PRODUCTSYMBOLIC, prepare));
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
