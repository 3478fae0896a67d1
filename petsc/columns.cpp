// SPDX-License-Identifier: BSD-3-Clause
#include "columns.hpp"

#include <string>

#include "block_columns.hpp"
#include "gossamer_petsc.h"
#include "guarded.hpp"
#include "operations.hpp"
#include "parallel_columns.hpp"

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

/// Rows of X and Y: those of this process, or all.
struct row_counts {
  PetscInt x = 0;
  PetscInt y = 0;
};

using size_function = PetscErrorCode (*)(Mat, PetscInt*, PetscInt*);

PetscErrorCode count_rows(const factors& f, size_function size_of, row_counts& rows) {
  PetscFunctionBegin;
  if (f.product() == operation::forward) {
    PetscCall(size_of(f.a, &rows.y, &rows.x));
  } else {
    PetscCall(size_of(f.a, &rows.x, &rows.y));
  }
  PetscFunctionReturn(success);
}

void check_size(const char* what, PetscInt found, PetscInt expected) {
  if (found == expected) return;
  throw error(errc::size_mismatch,
              std::string(what) + std::to_string(found) + ", expected " + std::to_string(expected));
}

constexpr const char* rows_of_b_are = "B: rows of this process: ";
constexpr const char* columns_of_result_are = "C: columns: ";

/// With MAT_REUSE_MATRIX, A and B may differ from those that the result was prepared for. Collective.
PetscErrorCode check(const factors& f, Mat result) {
  row_counts rows;
  PetscInt b_rows = 0;
  PetscInt b_columns = 0;
  PetscInt columns = 0;
  PetscBool assembled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatAssembled(f.a, &assembled));
  PetscCheck(assembled, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "A: not assembled");
  PetscCall(count_rows(f, MatGetLocalSize, rows));
  PetscCall(MatGetLocalSize(f.b, &b_rows, nullptr));
  PetscCall(MatGetSize(f.b, nullptr, &b_columns));
  PetscCall(MatGetSize(result, nullptr, &columns));
  PetscCall(guarded_together(PetscObjectComm(reinterpret_cast<PetscObject>(f.a)), [&] {
    check_size(rows_of_b_are, b_rows, rows.x);
    check_size(columns_of_result_are, columns, b_columns);
  }));
  PetscFunctionReturn(success);
}

PetscErrorCode multiply_views(const factors& f, const dense_view<const PetscScalar>& x,
                              const dense_view<PetscScalar>& y) {
  PetscBool is_parallel = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(f.a), MATMPIAIJGOSSAMER, &is_parallel));
  PetscCall(is_parallel ? multiply_columns_by_blocks(f.a, f.product(), x, y)
                        : multiply_columns(f.a, f.product(), x, 0, y));
  PetscFunctionReturn(success);
}

/// Multiplies in place, in the arrays of the dense matrices.
PetscErrorCode multiply_arrays(const factors& f, Mat result) {
  row_counts rows;
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  PetscInt columns = 0;
  PetscInt x_leading = 0;
  PetscInt y_leading = 0;
  PetscFunctionBegin;
  PetscCall(check(f, result));
  PetscCall(count_rows(f, MatGetLocalSize, rows));
  PetscCall(MatGetSize(result, nullptr, &columns));
  PetscCall(MatDenseGetLDA(f.b, &x_leading));
  PetscCall(MatDenseGetLDA(result, &y_leading));
  PetscCall(MatDenseGetArrayRead(f.b, &x));
  PetscCall(MatDenseGetArrayWrite(result, &y));
  const PetscErrorCode failed =
      multiply_views(f, view_of(x, rows.x, columns, x_leading), view_of(y, rows.y, columns, y_leading));
  PetscCall(MatDenseRestoreArrayWrite(result, &y));
  PetscCall(MatDenseRestoreArrayRead(f.b, &x));
  PetscCall(failed);
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

PetscErrorCode multiply_dense(Mat result) {
  factors f;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(find_factors(result, f));
  // The matrix may have been converted in place since the product was prepared.
  PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(f.a), &is_ours, MATSEQAIJGOSSAMER,
                                      MATMPIAIJGOSSAMER, ""));
  const PetscErrorCode failed = is_ours ? multiply_arrays(f, result) : multiply_each_column(f, result);
  PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));  // after a failure too: other processes wait
  PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
  PetscCall(failed);
  PetscFunctionReturn(success);
}

PetscErrorCode prepare(Mat result) {
  factors f;
  row_counts local;
  row_counts global;
  PetscInt b_rows = 0;
  PetscInt local_columns = 0;
  PetscInt columns = 0;
  MatType dense = nullptr;
  PetscBool is_dense = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(find_factors(result, f));
  PetscCall(count_rows(f, MatGetLocalSize, local));
  PetscCall(count_rows(f, MatGetSize, global));
  PetscCall(MatGetLocalSize(f.b, &b_rows, &local_columns));
  PetscCall(MatGetSize(f.b, nullptr, &columns));
  PetscCall(guarded_together(PetscObjectComm(reinterpret_cast<PetscObject>(f.a)),
                             [&] { check_size(rows_of_b_are, b_rows, local.x); }));
  PetscCall(MatSetSizes(result, local.y, local_columns, global.y, columns));
  PetscCall(MatGetType(f.b, &dense));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(result), dense, &is_dense));
  if (!is_dense) PetscCall(MatSetType(result, dense));
  // A new type replaces all operations.
  PetscCall(replace_operation(result, MATOP_PRODUCTSYMBOLIC, prepare));
  PetscCall(replace_operation(result, MATOP_PRODUCTNUMERIC, multiply_dense));
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
