// SPDX-License-Identifier: BSD-3-Clause
// Products by dense matrices: each column has the bits of a product by a vector. On one process a plan
// multiplies by all columns; on several PETSc multiplies by each.
#include <algorithm>

#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests::columns {
namespace {

using product_function = PetscErrorCode (*)(Mat, Mat, MatReuse, PetscReal, Mat*);

struct product_case {
  product_function by_matrix;
  PetscErrorCode (*by_vector)(Mat, Vec, Vec);
  bool transposed;
};
constexpr product_case products_of_both[] = {{MatMatMult, MatMult, false},
                                             {MatTransposeMatMult, MatMultTranspose, true}};

/// Numbers whose products are rounded.
PetscScalar inexact(PetscInt i, PetscInt j, PetscInt seed) {
  return 1 / static_cast<PetscScalar>((i * 7 + j * 13 + seed) % 31 + 3);
}

/// Of as many rows as the vectors that a product takes; numbers from `seed`.
matrix make_dense(Mat a, bool transposed, PetscInt columns, PetscInt seed, PetscScalar* memory = nullptr,
                  PetscInt leading = 0) {
  PetscInt rows = 0;
  PetscInt cols = 0;
  CHECK_PETSC(MatGetLocalSize(a, &rows, &cols));
  Mat b = nullptr;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &b));
  CHECK_PETSC(MatSetSizes(b, transposed ? rows : cols, PETSC_DECIDE, PETSC_DETERMINE, columns));
  CHECK_PETSC(MatSetType(b, MATDENSE));
  if (leading > 0) CHECK_PETSC(MatDenseSetLDA(b, leading));
  CHECK_PETSC(MatSeqDenseSetPreallocation(b, memory));
  CHECK_PETSC(MatMPIDenseSetPreallocation(b, memory));
  PetscInt begin = 0;
  PetscInt end = 0;
  CHECK_PETSC(MatGetOwnershipRange(b, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    for (PetscInt j = 0; j < columns; ++j) {
      CHECK_PETSC(MatSetValue(b, i, j, inexact(i, j, seed), INSERT_VALUES));
    }
  }
  assemble_again(b);
  return matrix(b);
}

/// This process's rows of a column.
std::vector<PetscScalar> column_of(Mat dense, PetscInt j) {
  Vec v = nullptr;
  const PetscScalar* values = nullptr;
  PetscInt size = 0;
  CHECK_PETSC(MatDenseGetColumnVecRead(dense, j, &v));
  CHECK_PETSC(VecGetLocalSize(v, &size));
  CHECK_PETSC(VecGetArrayRead(v, &values));
  std::vector<PetscScalar> all(values, values + size);
  CHECK_PETSC(VecRestoreArrayRead(v, &values));
  CHECK_PETSC(MatDenseRestoreColumnVecRead(dense, j, &v));
  return all;
}

std::vector<PetscScalar> product_by_vector(Mat a, const product_case& product, Mat b, PetscInt j) {
  Vec x = nullptr;
  Vec y = nullptr;
  Vec column = nullptr;
  CHECK_PETSC(MatCreateVecs(a, product.transposed ? &y : &x, product.transposed ? &x : &y));
  CHECK_PETSC(MatDenseGetColumnVecRead(b, j, &column));
  CHECK_PETSC(VecCopy(column, x));
  CHECK_PETSC(MatDenseRestoreColumnVecRead(b, j, &column));
  CHECK_PETSC(product.by_vector(a, x, y));
  const PetscScalar* values = nullptr;
  PetscInt size = 0;
  CHECK_PETSC(VecGetLocalSize(y, &size));
  CHECK_PETSC(VecGetArrayRead(y, &values));
  std::vector<PetscScalar> all(values, values + size);
  CHECK_PETSC(VecRestoreArrayRead(y, &values));
  CHECK_PETSC(VecDestroy(&x));
  CHECK_PETSC(VecDestroy(&y));
  return all;
}

void expect_columns(Mat a, const product_case& product, Mat b, Mat c) {
  PetscInt columns = 0;
  CHECK_PETSC(MatGetSize(b, nullptr, &columns));
  PetscInt of_result = 0;
  CHECK_PETSC(MatGetSize(c, nullptr, &of_result));
  ASSERT_EQ(of_result, columns);
  for (PetscInt j = 0; j < columns; ++j)
    EXPECT_EQ(column_of(c, j), product_by_vector(a, product, b, j)) << "column " << j;
}

matrix make_inexact(const shape& s = {}) {
  matrix a = make(MATGOSSAMER, s);
  CHECK_PETSC(MatScale(a, 0.1));
  return a;
}

TEST(PetscColumns, HaveTheBitsOfSingleProducts) {
  for (const shape& s :
       {shape{}, shape{.rows = 37, .cols = 91}, shape{.rows = 91, .cols = 37}, shape{.last_has_all = true},
        shape{.rows = 3, .cols = 3}, shape{.rows = 0, .cols = 5}, shape{.rows = 5, .cols = 0}}) {
    for (const product_case& product : products_of_both) {
      for (const PetscInt columns : {0, 1, 5}) {
        const matrix a = make_inexact(s);
        const matrix b = make_dense(a, product.transposed, columns, 1);
        Mat c = nullptr;
        CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
        const matrix owner(c);
        expect_columns(a, product, b, c);
        // New values in A, and another B.
        CHECK_PETSC(MatScale(a, 1.7));
        const matrix other = make_dense(a, product.transposed, columns, 2);
        CHECK_PETSC(product.by_matrix(a, other, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
        expect_columns(a, product, other, c);
      }
    }
  }
}

TEST(PetscColumns, AreThoseOfAij) {
  for (const product_case& product : products_of_both) {
    std::vector<std::vector<PetscScalar>> results;
    for (const char* type : {MATAIJ, MATGOSSAMER}) {
      const matrix a = make(type);
      const matrix b = make_dense(a, product.transposed, 3, 1);
      CHECK_PETSC(MatZeroEntries(b));
      CHECK_PETSC(MatShift(b, 2));  // exact products, in any order
      Mat c = nullptr;
      CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
      const matrix owner(c);
      for (PetscInt j = 0; j < 3; ++j) results.push_back(column_of(c, j));
    }
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(results[j], results[j + 3]);
  }
}

PetscErrorCode refuse_to_multiply(Mat, Vec, Vec) {
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "a product by a vector");
}

/// PETSc's type of any function, which its versions write differently.
template <class R, class A, class B, class C>
C third_argument(R (*)(A, B, C));
using any_function = decltype(third_argument(&MatSetOperation));

TEST(PetscColumns, OnOneProcessOneProductHasAll) {
  if (processes() > 1) return;
  const matrix a = make_inexact();
  for (const MatOperation number : {MATOP_MULT, MATOP_MULT_TRANSPOSE})
    CHECK_PETSC(MatSetOperation(a, number, reinterpret_cast<any_function>(&refuse_to_multiply)));
  for (const product_case& product : products_of_both) {
    const matrix b = make_dense(a, product.transposed, 4, 1);
    Mat c = nullptr;
    ASSERT_EQ(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c), PetscErrorCode{});
    const matrix owner(c);
  }
  EXPECT_EQ(counts(a), std::pair(2, 0));
}

TEST(PetscColumns, LeaveWhatIsBetweenThem) {
  for (const product_case& product : products_of_both) {
    const matrix a = make_inexact();
    PetscInt size = 0;
    CHECK_PETSC(MatGetLocalSize(a, &size, nullptr));
    const PetscInt leading = size + 3;
    std::vector<PetscScalar> x(static_cast<std::size_t>(4 * leading), 1e300);
    std::vector<PetscScalar> y(static_cast<std::size_t>(4 * (leading + 1)), -7);
    const matrix b = make_dense(a, product.transposed, 4, 1, x.data(), leading);
    const matrix c = make_dense(a, !product.transposed, 4, 1, y.data(), leading + 1);
    Mat result = c;
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &result));
    expect_columns(a, product, b, result);
    for (PetscInt j = 0; j < 4; ++j) {
      for (PetscInt i = size; i < leading + 1; ++i)
        EXPECT_EQ(y[static_cast<std::size_t>(i + j * (leading + 1))], -7) << i << " " << j;
    }
  }
}

TEST(PetscColumns, AreZeroWithoutEntries) {
  Mat empty = nullptr;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &empty));
  CHECK_PETSC(MatSetSizes(empty, PETSC_DECIDE, PETSC_DECIDE, 9, 9));
  CHECK_PETSC(MatSetType(empty, MATGOSSAMER));
  CHECK_PETSC(MatSetUp(empty));
  assemble_again(empty);
  const matrix owner(empty);
  for (const product_case& product : products_of_both) {
    const matrix b = make_dense(empty, product.transposed, 2, 1);
    const matrix c = make_dense(empty, product.transposed, 2, 1);
    Mat result = c;
    CHECK_PETSC(product.by_matrix(empty, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &result));
    for (PetscInt j = 0; j < 2; ++j) {
      for (const PetscScalar each : column_of(result, j)) EXPECT_EQ(each, 0);
    }
  }
}

TEST(PetscColumns, OfUserArraysAreThoseOfAij) {
  if (processes() > 1) return;
  std::vector<PetscInt> row_ptr{0, 2, 3, 5};
  std::vector<PetscInt> col{0, 2, 1, 0, 2};
  std::vector<PetscScalar> val{1, 2, 3, 4, 5};
  Mat a = nullptr;
  CHECK_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, row_ptr.data(), col.data(), val.data(), &a));
  CHECK_PETSC(MatConvert(a, MATGOSSAMER, MAT_INPLACE_MATRIX, &a));
  const matrix owner(a);
  for (const product_case& product : products_of_both) {
    const matrix b = make_dense(a, product.transposed, 2, 1);
    Mat c = nullptr;
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix result(c);
    val[0] += 10;  // PETSc does not know
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_columns(a, product, b, c);
    EXPECT_EQ(column_of(c, 0)[0],
              val[0] * column_of(b, 0)[0] + (product.transposed ? val[3] : val[1]) * column_of(b, 0)[2]);
  }
  EXPECT_EQ(counts(a), std::pair(0, 0));
}

TEST(PetscColumns, AfterAChangeOfTheMatrix) {
  for (const product_case& product : products_of_both) {
    const matrix a = make_inexact();
    const matrix b = make_dense(a, product.transposed, 3, 1);
    Mat c = nullptr;
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix owner(c);
    // A new structure.
    CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (rank() == 0) CHECK_PETSC(MatSetValue(a, 4, 5, 9, ADD_VALUES));
    assemble_again(a);
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_columns(a, product, b, c);
    // Another type, in place, and back.
    for (const char* type : {MATAIJ, MATGOSSAMER}) {
      Mat converted = a;
      CHECK_PETSC(MatConvert(a, type, MAT_INPLACE_MATRIX, &converted));
      CHECK_PETSC(MatScale(a, 1.3));
      CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_columns(a, product, b, c);
    }
  }
}

TEST(PetscColumns, OtherProductsAreAij) {
  const matrix a = make(MATGOSSAMER);
  const matrix plain = make(MATAIJ);
  Mat ours = nullptr;
  Mat expected = nullptr;
  PetscBool same = PETSC_FALSE;
  CHECK_PETSC(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &ours));
  CHECK_PETSC(MatMatMult(plain, plain, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  const matrix owner(ours);
  const matrix other_owner(expected);
  CHECK_PETSC(MatConvert(ours, MATAIJ, MAT_INPLACE_MATRIX, &ours));
  CHECK_PETSC(MatEqual(ours, expected, &same));
  EXPECT_TRUE(same);
  const matrix b = make_dense(a, false, 60, 1);
  CHECK_PETSC(MatZeroEntries(b));
  CHECK_PETSC(MatShift(b, 1));
  Mat projected = nullptr;
  CHECK_PETSC(MatPtAP(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &projected));
  const matrix projected_owner(projected);
  Mat product = nullptr;
  CHECK_PETSC(MatMatMult(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  const matrix product_owner(product);
  for (PetscInt j = 0; j < 60; ++j) EXPECT_EQ(column_of(projected, j), column_of(product, j));
}

}  // namespace
}  // namespace gossamer::petsc_tests::columns
