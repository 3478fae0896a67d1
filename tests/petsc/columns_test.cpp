// SPDX-License-Identifier: BSD-3-Clause
// Products by dense matrices: each column has the bits of a product by a vector. A plan multiplies by all
// columns at once.
#include <algorithm>
#include <array>
#include <numeric>

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
      for (const PetscInt columns : {0, 1, 5, 20}) {
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
PetscErrorCode refuse_to_add(Mat, Vec, Vec, Vec) {
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "a product by a vector");
}

/// PETSc's type of any function, which its versions write differently.
template <class R, class A, class B, class C>
C third_argument(R (*)(A, B, C));
using any_function = decltype(third_argument(&MatSetOperation));

void refuse_vectors(Mat a) {
  for (const MatOperation number : {MATOP_MULT, MATOP_MULT_TRANSPOSE})
    CHECK_PETSC(MatSetOperation(a, number, reinterpret_cast<any_function>(&refuse_to_multiply)));
  for (const MatOperation number : {MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE_ADD})
    CHECK_PETSC(MatSetOperation(a, number, reinterpret_cast<any_function>(&refuse_to_add)));
}

TEST(PetscColumns, OneProductOfEachBlockHasAll) {
  const matrix a = make_inexact();
  refuse_vectors(a);
  const std::vector<Mat> blocks = blocks_of(a);
  for (const Mat block : blocks) {
    ASSERT_GT(entries_of(block), 0);
    refuse_vectors(block);
  }
  for (const product_case& product : products_of_both) {
    const matrix b = make_dense(a, product.transposed, 4, 1);
    Mat c = nullptr;
    ASSERT_EQ(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c), PetscErrorCode{});
    const matrix owner(c);
  }
  EXPECT_EQ(counts(a), std::pair(2 * static_cast<int>(blocks.size()), 0));
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

/// The program changes values of both blocks, which have no plan, and does not notify PETSc.
TEST(PetscColumns, OfUserArraysOnSeveralProcesses) {
  if (processes() == 1) return;
  constexpr PetscInt rows = 3;
  std::array<PetscInt, rows + 1> row_ptr{};
  std::iota(row_ptr.begin(), row_ptr.end(), 0);
  std::array<PetscInt, rows> col{0, 1, 2};
  std::array<PetscInt, rows> other_col{0, 1, 2};
  for (PetscInt& j : other_col) j += (rank() + 1) % processes() * rows;
  std::array<PetscScalar, rows> val{0.1, 0.2, 0.3};
  std::array<PetscScalar, rows> other_val{0.7, 0.8, 0.9};
  Mat a = nullptr;
  CHECK_PETSC(MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE,
                                             row_ptr.data(), col.data(), val.data(), row_ptr.data(),
                                             other_col.data(), other_val.data(), &a));
  CHECK_PETSC(MatConvert(a, MATMPIAIJGOSSAMER, MAT_INPLACE_MATRIX, &a));
  const matrix owner(a);
  for (const product_case& product : products_of_both) {
    const matrix b = make_dense(a, product.transposed, 2, 1);
    Mat c = nullptr;
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix result(c);
    expect_columns(a, product, b, c);
    const std::vector<PetscScalar> before = column_of(c, 1);
    val[0] += 10;
    other_val[2] += 10;
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_columns(a, product, b, c);
    const std::vector<PetscScalar> after = column_of(c, 1);
    EXPECT_NE(after[0], before[0]);
    EXPECT_EQ(after[1], before[1]);
    EXPECT_NE(after[2], before[2]);
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

/// A diagonal, and an entry of the first process in each of the columns given.
void fill_arrow(Mat a, std::initializer_list<PetscInt> columns_of_first) {
  PetscInt begin = 0;
  PetscInt end = 0;
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 5, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 5, nullptr, 5, nullptr));
  CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) CHECK_PETSC(MatSetValue(a, i, i, inexact(i, i, 4), INSERT_VALUES));
  if (rank() == 0) {
    for (const PetscInt j : columns_of_first)
      CHECK_PETSC(MatSetValue(a, 0, j, inexact(0, j, 3), INSERT_VALUES));
  }
  assemble_again(a);
}

/// Only the first process has ghost rows, and others than in the product before.
TEST(PetscColumns, AfterAChangeOfGhostRows) {
  for (const product_case& product : products_of_both) {
    const matrix a = make(MATGOSSAMER);
    const matrix b = make_dense(a, product.transposed, 3, 1);
    Mat c = nullptr;
    fill_arrow(a, {57});
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix owner(c);
    expect_columns(a, product, b, c);
    for (const std::initializer_list<PetscInt> columns :
         {std::initializer_list<PetscInt>{59}, {58, 59}, {59}, {}, {0}}) {
      fill_arrow(a, columns);
      CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_columns(a, product, b, c);
    }
  }
}

/// An error handler: PETSc returns the code.
PetscErrorCode return_code(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType,
                           const char*, void*) {
  return code;
}

/// The code of a product that may fail. If it makes C, PETSc does not destroy B afterwards.
PetscErrorCode code_of(const product_case& product, Mat a, Mat b, MatReuse reuse, Mat* c) {
  CHECK_PETSC(PetscPushErrorHandler(return_code, nullptr));
  const PetscErrorCode code = product.by_matrix(a, b, reuse, PETSC_DEFAULT, c);
  CHECK_PETSC(PetscPopErrorHandler());
  return code;
}

/// In the second product, the last process's diagonal block has one long row. Its format refuses the padding.
TEST(PetscColumns, OthersDoNotWaitForAProcessThatRefuses) {
  const option format("-mat_gossamer_format", "ellpack");
  const option limit("-mat_gossamer_option", "max_padding=1");
  constexpr PetscInt rows = 600;  // with fewer no padding is refused
  const bool last = rank() == processes() - 1;
  for (const product_case& product : products_of_both) {
    const matrix a = make(MATGOSSAMER, {.rows = rows * processes(), .cols = rows * processes()});
    const matrix b = make_dense(a, product.transposed, 3, 1);
    Mat c = nullptr;
    fill_arrow(a, {});
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix owner(c);
    CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    const PetscInt begin = rows * rank();
    for (PetscInt k = 0; last && k < rows; ++k) {
      const PetscInt i = product.transposed ? begin + k : begin;
      const PetscInt j = product.transposed ? begin : begin + k;
      CHECK_PETSC(MatSetValue(a, i, j, 1, INSERT_VALUES));
    }
    if (last) CHECK_PETSC(MatSetValue(a, begin, 0, 1, INSERT_VALUES));  // a ghost row, on several processes
    assemble_again(a);
    EXPECT_EQ(code_of(product, a, b, MAT_REUSE_MATRIX, &c) != PetscErrorCode{}, last);
    fill_arrow(a, {});
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_columns(a, product, b, c);
  }
}

/// Of 60 rows in three columns; `mine` are this process's.
matrix make_dense_of(PetscInt mine) {
  Mat b = nullptr;
  CHECK_PETSC(MatCreateDense(PETSC_COMM_WORLD, mine, PETSC_DECIDE, 60, 3, nullptr, &b));
  assemble_again(b);
  return matrix(b);
}

/// With three processes or more, the first has the rows of B that it should have.
TEST(PetscColumns, RefuseAnotherDistributionOfRows) {
  if (processes() == 1) return;
  const matrix a = make(MATGOSSAMER);
  PetscInt mine = 0;
  CHECK_PETSC(MatGetLocalSize(a, &mine, nullptr));
  const PetscInt from_end = processes() - 1 - rank();
  for (const product_case& product : products_of_both) {
    matrix other = make_dense_of(from_end == 0 ? mine + 1 : from_end == 1 ? mine - 1 : mine);
    Mat c = nullptr;
    EXPECT_EQ(code_of(product, a, other, MAT_INITIAL_MATRIX, &c), PETSC_ERR_ARG_SIZ);
    other.release();
    const matrix b = make_dense(a, product.transposed, 3, 1);
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix owner(c);
    const matrix of_last = make_dense_of(from_end == 0 ? 60 : 0);
    EXPECT_EQ(code_of(product, a, of_last, MAT_REUSE_MATRIX, &c), PETSC_ERR_ARG_SIZ);
    // The first process has the rows that it should have, and must not wait for the others.
    const matrix of_others = make_dense_of(rank() == 0 ? mine : mine + 1);
    EXPECT_EQ(code_of(product, a, of_others, MAT_REUSE_MATRIX, &c), PETSC_ERR_ARG_SIZ);
  }
}

/// `here` on the first process, the rest of 60 on the last.
PetscInt share(PetscInt here) {
  if (rank() == 0) return here;
  return rank() == processes() - 1 ? 60 - here : 0;
}

/// The first and the last process have the same ghost rows as before, in other rows of their owners.
TEST(PetscColumns, AfterATransposeInPlace) {
  if (processes() == 1) return;
  for (const product_case& product : products_of_both) {
    Mat a = nullptr;
    CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
    CHECK_PETSC(MatSetSizes(a, share(20), share(30), 60, 60));
    CHECK_PETSC(MatSetType(a, MATGOSSAMER));
    CHECK_PETSC(MatMPIAIJSetPreallocation(a, 2, nullptr, 1, nullptr));
    const matrix owner(a);
    PetscInt begin = 0;
    PetscInt end = 0;
    CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
    for (PetscInt i = begin; i < end; ++i) {
      if (i < 20 || i >= 30) CHECK_PETSC(MatSetValue(a, i, i, inexact(i, i, 4), INSERT_VALUES));
      if (i == 0 || i == 59) CHECK_PETSC(MatSetValue(a, i, 59 - i, inexact(i, i, 5), INSERT_VALUES));
    }
    assemble_again(a);
    for (int round = 0; round < 2; ++round) {
      const matrix b = make_dense(a, product.transposed, 3, 1);
      Mat c = nullptr;
      CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
      const matrix result(c);
      expect_columns(a, product, b, c);
      CHECK_PETSC(MatTranspose(a, MAT_INPLACE_MATRIX, &a));
    }
  }
}

TEST(PetscColumns, RefuseAnotherNumberOfColumns) {
  for (const product_case& product : products_of_both) {
    const matrix a = make_inexact();
    const matrix b = make_dense(a, product.transposed, 3, 1);
    const matrix more = make_dense(a, product.transposed, 4, 1);
    Mat c = nullptr;
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix owner(c);
    EXPECT_EQ(code_of(product, a, more, MAT_REUSE_MATRIX, &c), PETSC_ERR_ARG_SIZ);
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_columns(a, product, b, c);
  }
}

TEST(PetscColumns, RefuseAMatrixThatIsNotAssembled) {
  for (const product_case& product : products_of_both) {
    const matrix a = make_inexact();
    const matrix b = make_dense(a, product.transposed, 3, 1);
    Mat c = nullptr;
    CHECK_PETSC(product.by_matrix(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const matrix owner(c);
    PetscInt begin = 0;
    CHECK_PETSC(MatGetOwnershipRange(a, &begin, nullptr));
    CHECK_PETSC(MatSetValue(a, begin, begin, 9, INSERT_VALUES));
    EXPECT_EQ(code_of(product, a, b, MAT_REUSE_MATRIX, &c), PETSC_ERR_ARG_WRONGSTATE);
    assemble_again(a);
    CHECK_PETSC(product.by_matrix(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_columns(a, product, b, c);
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
