// SPDX-License-Identifier: BSD-3-Clause
// Arrays that the program owns: what it writes into them is in the next product, as with AIJ. Plans copy them
// by option only.
#include <gmock/gmock.h>

#include <numeric>

#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

using testing::HasSubstr;

/// A tridiagonal matrix of this process alone, made around the arrays of this object.
class borrowing {
 public:
  explicit borrowing(bool ours, PetscInt rows = 30) {
    for (PetscInt i = 0; i < rows; ++i) {
      for (PetscInt j = std::max<PetscInt>(i - 1, 0); j < std::min(i + 2, rows); ++j) {
        col.push_back(j);
        val.push_back(static_cast<PetscScalar>(3 * i - j));
      }
      row_ptr.push_back(static_cast<PetscInt>(col.size()));
    }
    CHECK_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, row_ptr.data(), col.data(), val.data(),
                                          &handle_));
    if (ours) CHECK_PETSC(MatConvert(handle_, MATGOSSAMER, MAT_INPLACE_MATRIX, &handle_));
  }
  borrowing(const borrowing&) = delete;
  borrowing& operator=(const borrowing&) = delete;
  ~borrowing() { MatDestroy(&handle_); }
  operator Mat() const { return handle_; }  // NOLINT(google-explicit-constructor)

  void scale() {
    for (PetscScalar& each : val) each *= 10;
  }

  std::vector<PetscInt> row_ptr{0};
  std::vector<PetscInt> col;
  std::vector<PetscScalar> val;

 private:
  Mat handle_ = nullptr;
};

void assemble(Mat a) {
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

TEST(PetscUserArrays, NewValuesAreInTheNextProduct) {
  borrowing expected(false);
  borrowing ours(true);
  EXPECT_EQ(type_of(ours), MATSEQAIJGOSSAMER);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(products(ours), products(expected));
    expected.scale();
    ours.scale();
  }
  EXPECT_EQ(counts(ours), std::pair(0, 0));
}

TEST(PetscUserArrays, TheTypeMayComeFromAnOption) {
  const borrowing expected(false);
  const option type("-mat_seqaij_type", MATSEQGOSSAMER);
  borrowing ours(false);
  EXPECT_EQ(type_of(ours), MATSEQAIJGOSSAMER);
  products(ours);
  ours.scale();
  std::vector<PetscScalar> ten_times = products(expected);
  EXPECT_NE(products(ours), ten_times);
  ours.val = expected.val;
  EXPECT_EQ(products(ours), ten_times);
}

/// Without I-nodes AIJ reads the columns at each product as well.
TEST(PetscUserArrays, NewColumnsAreInTheNextProduct) {
  borrowing expected(false);
  borrowing ours(true);
  for (borrowing* each : {&expected, &ours}) {
    CHECK_PETSC(MatSetOption(*each, MAT_USE_INODES, PETSC_FALSE));
    assemble(*each);
    products(*each);
    for (PetscInt& column : each->col) column = std::min<PetscInt>(column + 5, 29);
  }
  EXPECT_EQ(products(ours), products(expected));
}

TEST(PetscUserArrays, OperationsOfPetscWriteIntoThem) {
  borrowing expected(false);
  borrowing ours(true);
  for (borrowing* each : {&expected, &ours}) {
    products(*each);
    CHECK_PETSC(MatScale(*each, 3));
    CHECK_PETSC(MatSetValue(*each, 2, 3, 8, ADD_VALUES));
    assemble(*each);
    each->scale();
  }
  EXPECT_EQ(ours.val, expected.val);
  EXPECT_EQ(products(ours), products(expected));
}

TEST(PetscUserArrays, CopiesOwnTheirs) {
  borrowing ours(true);
  const std::vector<PetscScalar> expected = products(ours);
  Mat handle = nullptr;
  CHECK_PETSC(MatDuplicate(ours, MAT_COPY_VALUES, &handle));
  const matrix copy(handle);
  const matrix aij = convert(ours, MATAIJ);
  ours.scale();
  EXPECT_EQ(products(copy), expected);
  EXPECT_EQ(counts(copy), std::pair(plans_of_products, 0));
  EXPECT_EQ(products(convert(aij, MATGOSSAMER)), expected);
}

TEST(PetscUserArrays, HeaderReplaceMovesThemToAnotherMatrix) {
  borrowing expected(false);
  borrowing ours(true);
  Mat owned = nullptr;
  CHECK_PETSC(MatDuplicate(ours, MAT_COPY_VALUES, &owned));
  const matrix owner(owned);
  products(owned);
  PetscInt rows = 30;
  Mat around = nullptr;
  CHECK_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, ours.row_ptr.data(), ours.col.data(),
                                        ours.val.data(), &around));
  CHECK_PETSC(MatConvert(around, MATGOSSAMER, MAT_INPLACE_MATRIX, &around));
  CHECK_PETSC(MatHeaderReplace(owned, &around));
  products(owned);
  ours.scale();
  expected.scale();
  EXPECT_EQ(products(owned), products(expected));
}

TEST(PetscUserArrays, NewEntriesMovePetscToArraysOfItsOwn) {
  borrowing expected(false, 4);
  borrowing ours(true, 4);
  for (borrowing* each : {&expected, &ours}) {
    products(*each);
    CHECK_PETSC(MatSetOption(*each, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    CHECK_PETSC(MatSetOption(*each, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    CHECK_PETSC(MatSetValue(*each, 0, 3, 8, ADD_VALUES));
    assemble(*each);
    each->scale();
  }
  EXPECT_EQ(products(ours), products(expected));
}

/// PETSc makes the sequential matrix around arrays that it allocated for it.
TEST(PetscUserArrays, ConvertedNests) {
  const borrowing part(false);
  Mat parts[] = {part, nullptr, part, part};
  Mat nest = nullptr;
  CHECK_PETSC(MatCreateNest(PETSC_COMM_SELF, 2, nullptr, 2, nullptr, parts, &nest));
  const matrix owner(nest);
  const matrix expected = convert(nest, MATSEQAIJ);
  const matrix ours = convert(nest, MATSEQAIJ);
  Mat handle = ours;
  CHECK_PETSC(MatConvert(ours, MATGOSSAMER, MAT_INPLACE_MATRIX, &handle));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(products(ours), products(expected));
    CHECK_PETSC(MatScale(ours, 3));
    CHECK_PETSC(MatScale(expected, 3));
  }
}

TEST(PetscUserArrays, AnOptionMakesPlansThatAssemblingUpdates) {
  const option copy("-mat_gossamer_copy_user_arrays", "true");
  borrowing expected(false);
  borrowing ours(true);
  EXPECT_EQ(products(ours), products(expected));
  EXPECT_EQ(counts(ours), std::pair(plans_of_products, 0));
  expected.scale();
  ours.scale();
  assemble(ours);
  EXPECT_EQ(products(ours), products(expected));
  EXPECT_EQ(counts(ours), std::pair(plans_of_products, plans_of_products));
}

TEST(PetscUserArrays, TheOptionIsReadAgainWhenTheMatrixIsAssembled) {
  borrowing expected(false);
  borrowing ours(true);
  {
    const option copy("-mat_gossamer_copy_user_arrays", "true");
    assemble(ours);
    products(ours);
    EXPECT_EQ(counts(ours), std::pair(plans_of_products, 0));
  }
  assemble(ours);
  products(ours);
  expected.scale();
  ours.scale();
  EXPECT_EQ(products(ours), products(expected));
}

TEST(PetscUserArrays, ViewSaysThatThereIsNoPlan) {
  const borrowing ours(true);
  EXPECT_THAT(summary(ours), HasSubstr("Gossamer: no plan, since the program owns the arrays; "
                                       "-mat_gossamer_copy_user_arrays makes one"));
}

/// A parallel matrix around arrays: a diagonal, and an entry a row in columns of the next process.
struct split {
  static constexpr PetscInt rows = 12;
  std::vector<PetscInt> row_ptr = std::vector<PetscInt>(rows + 1);
  std::vector<PetscInt> col = std::vector<PetscInt>(rows);
  std::vector<PetscScalar> val = std::vector<PetscScalar>(rows, 3);
  std::vector<PetscInt> other_row_ptr = row_ptr;
  std::vector<PetscInt> other_col;
  std::vector<PetscScalar> other_val;
  Mat handle = nullptr;

  explicit split(bool ours) {
    std::iota(row_ptr.begin(), row_ptr.end(), 0);
    std::iota(col.begin(), col.end(), 0);
    const PetscInt next = (rank() + 1) % processes() * rows;
    for (PetscInt i = 0; processes() > 1 && i < rows; ++i) {
      other_row_ptr[static_cast<std::size_t>(i) + 1] = i + 1;
      other_col.push_back(next + i);
      other_val.push_back(static_cast<PetscScalar>(i - 4));
    }
    CHECK_PETSC(MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE,
                                               row_ptr.data(), col.data(), val.data(), other_row_ptr.data(),
                                               other_col.data(), other_val.data(), &handle));
    if (ours) CHECK_PETSC(MatConvert(handle, MATMPIAIJGOSSAMER, MAT_INPLACE_MATRIX, &handle));
  }
  split(const split&) = delete;
  split& operator=(const split&) = delete;
  ~split() { MatDestroy(&handle); }
};

TEST(PetscUserArrays, BothBlocksOfAParallelMatrix) {
  split expected(false);
  split ours(true);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(products(ours.handle), products(expected.handle));
    for (split* each : {&expected, &ours}) {
      for (PetscScalar& value : each->val) value += 1;
      for (PetscScalar& value : each->other_val) value *= -2;
    }
  }
  EXPECT_EQ(counts(ours.handle), std::pair(0, 0));
}

/// PETSc copies these arrays into blocks of its own, which have plans.
TEST(PetscUserArrays, ArraysThatPetscCopies) {
  constexpr PetscInt rows = 12;
  std::vector<PetscInt> row_ptr(rows + 1);
  std::vector<PetscInt> col;
  std::vector<PetscScalar> val;
  for (PetscInt i = 0; i < rows; ++i) {
    for (PetscInt j = i % 3; j < rows * processes(); j += 5) {
      col.push_back(j);
      val.push_back(static_cast<PetscScalar>(i - j));
    }
    row_ptr[static_cast<std::size_t>(i) + 1] = static_cast<PetscInt>(col.size());
  }
  const auto create = [&](const char* type) {
    Mat a = nullptr;
    CHECK_PETSC(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE,
                                          row_ptr.data(), col.data(), val.data(), &a));
    CHECK_PETSC(MatConvert(a, type, MAT_INPLACE_MATRIX, &a));
    return matrix(a);
  };
  const matrix expected = create(MATMPIAIJ);
  const matrix ours = create(MATMPIAIJGOSSAMER);
  EXPECT_EQ(products(ours), products(expected));
  const auto before = counts(ours);
  EXPECT_GT(before.first, 0);
  for (PetscScalar& each : val) each *= 10;
  EXPECT_EQ(products(ours), products(expected));
  EXPECT_EQ(counts(ours), before);
  for (Mat each : {Mat(expected), Mat(ours)}) {
    CHECK_PETSC(MatUpdateMPIAIJWithArrays(each, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, row_ptr.data(),
                                          col.data(), val.data()));
  }
  EXPECT_EQ(products(ours), products(expected));
  for (PetscScalar& each : val) each += 1;
  for (Mat each : {Mat(expected), Mat(ours)}) CHECK_PETSC(MatUpdateMPIAIJWithArray(each, val.data()));
  EXPECT_EQ(products(ours), products(expected));
  EXPECT_EQ(counts(ours).first, before.first);
}

}  // namespace
}  // namespace gossamer::petsc_tests
