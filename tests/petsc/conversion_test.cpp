// SPDX-License-Identifier: BSD-3-Clause
// Copies and conversions, both ways and in each of PETSc's three manners.
#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

const char* plain() {
  return processes() == 1 ? MATSEQAIJ : MATMPIAIJ;
}
const char* ours() {
  return processes() == 1 ? MATSEQAIJGOSSAMER : MATMPIAIJGOSSAMER;
}

TEST(PetscConversion, TheTypesOfBlocks) {
  if (processes() == 1) GTEST_SKIP() << "one process has no blocks";
  const matrix a = make(MATGOSSAMER);
  Mat diagonal = nullptr;
  Mat other = nullptr;
  CHECK_PETSC(MatMPIAIJGetSeqAIJ(a, &diagonal, &other, nullptr));
  EXPECT_EQ(type_of(diagonal), MATSEQAIJGOSSAMER);
  EXPECT_EQ(type_of(other), MATSEQAIJGOSSAMER);
}

TEST(PetscConversion, Copies) {
  const matrix a = make(MATGOSSAMER);
  const auto expected = products(a);
  Mat copy = nullptr;
  CHECK_PETSC(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  const matrix owner(copy);
  EXPECT_EQ(type_of(copy), ours());
  EXPECT_EQ(products(copy), expected);
  CHECK_PETSC(MatScale(copy, 3));
  EXPECT_EQ(products(a), expected);
  CHECK_PETSC(MatCopy(a, copy, SAME_NONZERO_PATTERN));
  EXPECT_EQ(products(copy), expected);
  Mat zeros = nullptr;
  CHECK_PETSC(MatDuplicate(a, MAT_DO_NOT_COPY_VALUES, &zeros));
  const matrix zeros_owner(zeros);
  CHECK_PETSC(MatAXPY(zeros, 1, a, SAME_NONZERO_PATTERN));
  EXPECT_EQ(products(zeros), expected);
}

TEST(PetscConversion, NewMatrices) {
  const matrix a = make(MATAIJ);
  const auto expected = products(a);
  for (const char* name :
       {MATGOSSAMER, MATAIJGOSSAMER, ours(), processes() == 1 ? MATSEQGOSSAMER : MATMPIGOSSAMER}) {
    const matrix b = convert(a, name);
    EXPECT_EQ(type_of(b), ours()) << name;
    EXPECT_EQ(products(b), expected) << name;
    const matrix same = convert(b, name);
    EXPECT_EQ(type_of(same), ours()) << name;
    EXPECT_EQ(products(same), expected) << name;
    for (const char* back : {MATAIJ, plain(), MATDENSE}) {
      const matrix c = convert(b, back);
      EXPECT_EQ(type_of(c).find("gossamer"), std::string::npos);
      EXPECT_EQ(products(c), expected) << back;
    }
  }
  EXPECT_EQ(type_of(a), plain());
}

TEST(PetscConversion, InPlace) {
  const matrix owner = make(MATAIJ);
  Mat a = owner;
  const auto expected = products(a);
  for (int round = 0; round < 2; ++round) {
    CHECK_PETSC(MatConvert(a, MATGOSSAMER, MAT_INPLACE_MATRIX, &a));
    EXPECT_EQ(a, static_cast<Mat>(owner));
    EXPECT_EQ(type_of(a), ours());
    EXPECT_EQ(products(a), expected);
    EXPECT_GT(counts(a).first, 0);
    CHECK_PETSC(MatConvert(a, MATAIJ, MAT_INPLACE_MATRIX, &a));
    EXPECT_EQ(type_of(a), plain());
    EXPECT_EQ(products(a), expected);
  }
}

TEST(PetscConversion, IntoAMatrixThatIsThere) {
  const matrix a = make(MATAIJ);
  const matrix b = convert(a, MATGOSSAMER);
  products(b);
  CHECK_PETSC(MatScale(a, 2));
  Mat target = b;
  CHECK_PETSC(MatConvert(a, MATGOSSAMER, MAT_REUSE_MATRIX, &target));
  EXPECT_EQ(products(b), products(a));
  CHECK_PETSC(MatScale(b, 5));
  target = a;
  CHECK_PETSC(MatConvert(b, MATAIJ, MAT_REUSE_MATRIX, &target));
  EXPECT_EQ(products(a), products(b));
}

TEST(PetscConversion, AnAssembledMatrixGetsTheType) {
  const matrix a = make(MATAIJ);
  const auto expected = products(a);
  CHECK_PETSC(MatSetType(a, MATGOSSAMER));
  EXPECT_EQ(type_of(a), ours());
  EXPECT_EQ(products(a), expected);
}

TEST(PetscConversion, CopiesWithoutValues) {
  for (const MatDuplicateOption option : {MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}) {
    matrix a = make(MATGOSSAMER);
    const auto expected = products(a);
    Mat copy = nullptr;
    CHECK_PETSC(MatDuplicate(a, option, &copy));
    const matrix owner(copy);
    EXPECT_EQ(type_of(copy), ours());
    const matrix zeros = convert(copy, MATAIJ);
    EXPECT_EQ(products(copy), products(zeros));
    CHECK_PETSC(MatCopy(a, copy, SAME_NONZERO_PATTERN));
    Mat first = a.release();
    CHECK_PETSC(MatDestroy(&first));
    EXPECT_EQ(products(copy), expected);
  }
}

PetscErrorCode multiply_by_zero(Mat, Vec, Vec y) {
  return VecSet(y, 0);
}

TEST(PetscConversion, AnOperationThatAProgramReplacedIsThatMatrixsAlone) {
  const matrix a = make(MATAIJ);
  const matrix b = convert(make(MATAIJ), MATGOSSAMER);
  const auto expected = products(b);
  CHECK_PETSC(MatSetOperation(a, MATOP_MULT, reinterpret_cast<void (*)()>(multiply_by_zero)));
  Mat handle = a;
  CHECK_PETSC(MatConvert(a, MATGOSSAMER, MAT_INPLACE_MATRIX, &handle));
  handle = b;
  CHECK_PETSC(MatConvert(b, MATAIJ, MAT_INPLACE_MATRIX, &handle));
  EXPECT_EQ(products(b), expected);
  if (processes() > 1) return;  // MPIAIJ's product is not replaced
  EXPECT_EQ(products(a), expected);
}

TEST(PetscConversion, FromOtherTypesOfAij) {
  const auto product_of = [](Mat a) {
    void (*found)() = nullptr;
    CHECK_PETSC(MatGetOperation(a, MATOP_MULT, &found));
    return found;
  };
  const matrix b = make(MATAIJ);
  const auto expected = products(b);
  const matrix perm = convert(b, MATAIJPERM);
  EXPECT_EQ(products(convert(perm, MATGOSSAMER)), expected);
  EXPECT_EQ(products(convert(convert(b, MATGOSSAMER), MATAIJPERM)), expected);
  if (processes() > 1) return;
  CHECK_PETSC(MatSeqAIJSetType(perm, MATSEQGOSSAMER));
  EXPECT_EQ(type_of(perm), ours());
  EXPECT_EQ(products(perm), expected);
  Mat handle = perm;
  CHECK_PETSC(MatConvert(perm, MATAIJ, MAT_INPLACE_MATRIX, &handle));
  EXPECT_EQ(product_of(perm), product_of(b));
}

TEST(PetscConversion, WhatIsInherited) {
  const auto apply = [](const char* type) {
    std::vector<std::vector<PetscScalar>> results;
    const matrix a = make(type);
    Mat made = nullptr;
    CHECK_PETSC(MatTranspose(a, MAT_INITIAL_MATRIX, &made));
    results.push_back(products(matrix(made)));
    CHECK_PETSC(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made));
    results.push_back(products(matrix(made)));
    CHECK_PETSC(MatPtAP(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made));
    results.push_back(products(matrix(made)));
    IS some = nullptr;
    CHECK_PETSC(ISCreateStride(PETSC_COMM_WORLD, 5, 5 * rank(), 1, &some));
    CHECK_PETSC(MatCreateSubMatrix(a, some, some, MAT_INITIAL_MATRIX, &made));
    CHECK_PETSC(ISDestroy(&some));
    results.push_back(products(matrix(made)));
    Vec diagonal = nullptr;
    CHECK_PETSC(MatCreateVecs(a, nullptr, &diagonal));
    CHECK_PETSC(MatGetDiagonal(a, diagonal));
    PetscScalar sum = 0;
    CHECK_PETSC(VecSum(diagonal, &sum));
    CHECK_PETSC(VecDestroy(&diagonal));
    PetscReal norm = 0;
    CHECK_PETSC(MatNorm(a, NORM_INFINITY, &norm));
    results.push_back({sum, norm});
    return results;
  };
  EXPECT_EQ(apply(MATGOSSAMER), apply(MATAIJ));
}

}  // namespace
}  // namespace gossamer::petsc_tests
