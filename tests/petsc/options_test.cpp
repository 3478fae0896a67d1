// SPDX-License-Identifier: BSD-3-Clause
// -mat_gossamer_format, _device and _option: what they choose, and what they refuse.
#include <gmock/gmock.h>

#include <algorithm>

#include "gossamer/resource.hpp"
#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string message;
MPI_Comm raised_on = MPI_COMM_NULL;

PetscErrorCode keep_message(MPI_Comm comm, int, const char*, const char*, PetscErrorCode code,
                            PetscErrorType type, const char* text, void*) {
  if (type == PETSC_ERROR_INITIAL) {
    message = text;
    raised_on = comm;
  }
  return code;
}

/// What assembling or multiplying says, with the same options on every process.
std::string failure() {
  message.clear();
  const matrix a = make(MATAIJ, {.tridiagonal = true});
  Mat ours = nullptr;
  Vec x = nullptr;
  Vec y = nullptr;
  CHECK_PETSC(PetscPushErrorHandler(keep_message, nullptr));
  CHECK_PETSC(MatDuplicate(a, MAT_COPY_VALUES, &ours));
  CHECK_PETSC(MatCreateVecs(a, &x, &y));
  PetscErrorCode code = MatConvert(ours, MATGOSSAMER, MAT_INPLACE_MATRIX, &ours);
  if (!code) code = MatMult(ours, x, y);
  CHECK_PETSC(PetscPopErrorHandler());
  EXPECT_EQ(message.empty(), !code);
  if (code) return message;  // what stopped half-way PETSc does not destroy
  CHECK_PETSC(MatDestroy(&ours));
  CHECK_PETSC(VecDestroy(&x));
  CHECK_PETSC(VecDestroy(&y));
  return message;
}

TEST(PetscOptions, ViewShowsThePlan) {
  const option format("-mat_gossamer_format", "sliced_ell");
  const option setting("-mat_gossamer_option", "slice_rows=8,max_padding=100");
  const matrix a = make(MATGOSSAMER);
  const std::string text = summary(a);
  if (rank() != 0) return;
  EXPECT_THAT(text, HasSubstr("format sliced_ell on cpu"));
  EXPECT_THAT(text, HasSubstr("slice_rows=8"));
  EXPECT_THAT(text, HasSubstr("inspections 1, value updates 0"));
}

TEST(PetscOptions, ViewShowsThePlanOfTheTranspose) {
  const option format("-mat_gossamer_format", "csr");
  const matrix a = make(MATGOSSAMER);
  products(a);
  const std::string text = summary(a);
  if (rank() != 0) return;
  EXPECT_THAT(text, HasSubstr("; transposed: format csr on cpu"));
  EXPECT_THAT(text, HasSubstr("inspections 2, value updates 0"));
}

TEST(PetscOptions, DetailedViewShowsEveryProcess) {
  if (processes() == 1) GTEST_SKIP() << "one process has no others to show";
  const matrix a = make(MATGOSSAMER);
  const std::string text = summary(a, PETSC_VIEWER_ASCII_INFO_DETAIL);
  if (rank() != 0) return;
  for (int i = 0; i < processes(); ++i) {
    EXPECT_THAT(text,
                HasSubstr("Gossamer, process " + std::to_string(i) + " of " + std::to_string(processes())));
  }
}

TEST(PetscOptions, EntriesArePrintedAsByAij) {
  // Between the names, in which the types are.
  const auto entries = [](const char* type) {
    const std::string text = summary(make(type), PETSC_VIEWER_ASCII_MATLAB);
    return text.substr(std::min(text.find("zzz = ["), text.size()), text.find("];") - text.find("zzz = ["));
  };
  const std::string expected = entries(MATAIJ);
  EXPECT_EQ(entries(MATGOSSAMER), expected);
  EXPECT_EQ(expected.empty(), rank() != 0);
}

TEST(PetscOptions, APrefixIsThatMatrixsAlone) {
  const option format("-mine_mat_gossamer_format", "coo");
  const std::string with = summary(make(MATGOSSAMER, {}, "mine_"));
  const std::string without = summary(make(MATGOSSAMER));
  if (rank() != 0) return;
  EXPECT_THAT(with, HasSubstr("format coo on cpu"));
  EXPECT_THAT(without, Not(HasSubstr("format coo")));
}

TEST(PetscOptions, CopiesAreStoredAlike) {
  const option format("-mine_mat_gossamer_format", "coo");
  const matrix a = make(MATGOSSAMER, {}, "mine_");
  Mat copy = nullptr;
  CHECK_PETSC(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  const std::string text = summary(matrix(copy));
  if (rank() == 0) {
    EXPECT_THAT(text, HasSubstr("format coo on cpu"));
  }
}

/// PETSc copies no prefix, and assembling reads the options again.
TEST(PetscOptions, CopiesStayStoredAlikeWhenTheyAreAssembledAgain) {
  const option format("-mine_mat_gossamer_format", "coo");
  const matrix a = make(MATGOSSAMER, {}, "mine_");
  Mat handle = nullptr;
  CHECK_PETSC(MatDuplicate(a, MAT_COPY_VALUES, &handle));
  const matrix copy(handle);
  CHECK_PETSC(MatDuplicate(copy, MAT_COPY_VALUES, &handle));
  const matrix copy_of_copy(handle);
  for (Mat each : {Mat(copy), Mat(copy_of_copy)}) {
    CHECK_PETSC(MatAssemblyBegin(each, MAT_FINAL_ASSEMBLY));
    CHECK_PETSC(MatAssemblyEnd(each, MAT_FINAL_ASSEMBLY));
    const std::string text = summary(each);
    if (rank() == 0) {
      EXPECT_THAT(text, HasSubstr("format coo on cpu"));
    }
  }
  const option other("-yours_mat_gossamer_format", "csr");
  CHECK_PETSC(MatSetOptionsPrefix(copy, "yours_"));
  CHECK_PETSC(MatAssemblyBegin(copy, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(copy, MAT_FINAL_ASSEMBLY));
  const std::string text = summary(copy);
  if (rank() == 0) {
    EXPECT_THAT(text, HasSubstr("format csr on cpu"));
  }
}

/// A block that a program copies is a matrix of its own.
TEST(PetscOptions, ACopiedBlockReadsTheOptions) {
  if (processes() == 1) GTEST_SKIP() << "one process has no blocks";
  const matrix a = make(MATGOSSAMER);
  Mat block = nullptr;
  Mat handle = nullptr;
  CHECK_PETSC(MatMPIAIJGetSeqAIJ(a, &block, nullptr, nullptr));
  CHECK_PETSC(MatDuplicate(block, MAT_COPY_VALUES, &handle));
  const matrix copy(handle);
  const option format("-mat_gossamer_format", "coo");
  CHECK_PETSC(MatAssemblyBegin(copy, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(copy, MAT_FINAL_ASSEMBLY));
  MatInfo info{};
  CHECK_PETSC(MatGetInfo(copy, MAT_LOCAL, &info));
  if (info.nz_used > 0) {
    EXPECT_THAT(summary(copy), HasSubstr("format coo on cpu"));
  }
}

TEST(PetscOptions, AnotherFormatFromTheNextAssemblyOn) {
  const matrix a = make(MATGOSSAMER);
  products(a);
  const option format("-mat_gossamer_format", "coo");
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  const std::string text = summary(a);
  if (rank() == 0) {
    EXPECT_THAT(text, HasSubstr("format coo on cpu"));
  }
}

TEST(PetscOptions, SequentialAijMayBeOursThroughout) {
  const option type("-mat_seqaij_type", MATSEQGOSSAMER);
  Mat a = nullptr;
  CHECK_PETSC(MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 4, 2, nullptr, &a));
  EXPECT_EQ(type_of(matrix(a)), MATSEQAIJGOSSAMER);
  const matrix outer = make(MATAIJ);
  Mat block = outer;
  if (processes() > 1) CHECK_PETSC(MatMPIAIJGetSeqAIJ(outer, &block, nullptr, nullptr));
  EXPECT_EQ(type_of(block), MATSEQAIJGOSSAMER);
  products(outer);
  EXPECT_EQ(counts(block), std::pair(plans_of_products, 0));
}

TEST(PetscOptions, WhatIsRefused) {
  EXPECT_THAT(failure(), IsEmpty());
  {
    const option format("-mat_gossamer_format", "brcc");
    EXPECT_THAT(failure(),
                HasSubstr("-mat_gossamer_format brcc: unknown format \"brcc\"; there are coo, csr"));
  }
  {
    const option setting("-mat_gossamer_option", "kernel=warp");
    EXPECT_THAT(failure(), HasSubstr("-mat_gossamer_option kernel=warp: -mat_gossamer_format is auto"));
  }
  {
    const std::string many(2000, 'a');
    const option format("-mat_gossamer_format", many.c_str());
    EXPECT_THAT(failure(), HasSubstr("more than 1022 characters"));
  }
  {
    const option device("-mat_gossamer_device", "gpu");
    EXPECT_THAT(failure(), HasSubstr("-mat_gossamer_device gpu: "));
  }
  {
    const option device("-mat_gossamer_device", "cuda:77");
    EXPECT_THAT(failure(), HasSubstr("-mat_gossamer_device cuda:77: "));
  }
  const option format("-mat_gossamer_format", "csr");
  {
    const option setting("-mat_gossamer_option", "kernal=warp");
    EXPECT_THAT(failure(),
                HasSubstr("-mat_gossamer_option kernal=warp: format csr has no such option; it has kernel"));
  }
  {
    const option setting("-mat_gossamer_option", "kernel");
    EXPECT_THAT(failure(), HasSubstr("-mat_gossamer_option kernel: expected name=value"));
  }
  {
    const option setting("-mat_gossamer_option", "kernel=fast");
    EXPECT_THAT(failure(), HasSubstr("fast"));
  }
}

/// Each process adds to an entry of the next one.
void add_to_others(Mat a) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscInt rows = 0;
  CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
  CHECK_PETSC(MatGetSize(a, &rows, nullptr));
  const PetscInt next = end % rows;
  CHECK_PETSC(MatSetValue(a, next, next, 5, ADD_VALUES));
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
}

/// Of a tridiagonal matrix the diagonal's, in this process's first row: also where a matrix is not assembled.
PetscScalar first_of(Mat a) {
  Mat block = a;
  const PetscScalar* values = nullptr;
  if (processes() > 1) CHECK_PETSC(MatMPIAIJGetSeqAIJ(a, &block, nullptr, nullptr));
  CHECK_PETSC(MatSeqAIJGetArrayRead(block, &values));
  const PetscScalar first = values[0];
  CHECK_PETSC(MatSeqAIJRestoreArrayRead(block, &values));
  return first;
}

/// They are under way when the options are read.
TEST(PetscOptions, AWrongOneLosesNoEntriesOfOtherProcesses) {
  const matrix plain = make(MATAIJ, {.tridiagonal = true});
  const matrix ours = make(MATGOSSAMER, {.tridiagonal = true});
  add_to_others(plain);
  CHECK_PETSC(MatAssemblyEnd(plain, MAT_FINAL_ASSEMBLY));
  {
    const option format("-mat_gossamer_format", "brcc");
    message.clear();
    CHECK_PETSC(PetscPushErrorHandler(keep_message, nullptr));
    add_to_others(ours);
    const PetscErrorCode code = MatAssemblyEnd(ours, MAT_FINAL_ASSEMBLY);
    CHECK_PETSC(PetscPopErrorHandler());
    EXPECT_TRUE(code);
    EXPECT_THAT(message, HasSubstr("unknown format \"brcc\""));
    EXPECT_EQ(first_of(ours), first_of(plain));
  }
  CHECK_PETSC(MatAssemblyBegin(ours, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(ours, MAT_FINAL_ASSEMBLY));
  EXPECT_EQ(products(ours), products(plain));
}

/// As failure(), of a process's own options.
TEST(PetscOptions, WhatOneProcessRefusesAllDo) {
  const bool last = rank() == processes() - 1;
  const option device("-mat_gossamer_device", last ? "cuda:77" : "cpu");
  EXPECT_THAT(failure(), HasSubstr("-mat_gossamer_device cuda:77: "));
}

/// A plan is made where a product first needs it, and only there it may fail: that process says so itself,
/// since the first of all may know nothing of it.
TEST(PetscOptions, WhatOneProductRefuses) {
  const option format("-mat_gossamer_format", "ellpack");
  const option limit("-mat_gossamer_option", "max_padding=1");
  constexpr PetscInt rows = 600;  // with fewer no padding is refused
  Mat a = nullptr;
  CHECK_PETSC(MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0,
                           nullptr, &a));
  const matrix owner(a);
  const PetscInt begin = rows * rank();
  const bool last = rank() == processes() - 1;
  CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = begin; i < begin + rows; ++i) CHECK_PETSC(MatSetValue(a, i, i, 1, INSERT_VALUES));
  for (PetscInt j = begin; last && j < begin + rows; ++j)
    CHECK_PETSC(MatSetValue(a, begin, j, 1, INSERT_VALUES));
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  matrix ours = convert(a, MATGOSSAMER);
  Vec x = nullptr;
  Vec y = nullptr;
  CHECK_PETSC(MatCreateVecs(ours, &x, &y));
  message.clear();
  raised_on = MPI_COMM_NULL;
  CHECK_PETSC(PetscPushErrorHandler(keep_message, nullptr));
  const PetscErrorCode code = MatMult(ours, x, y);
  CHECK_PETSC(PetscPopErrorHandler());
  EXPECT_EQ(code != PetscErrorCode{}, last);
  if (last) {
    EXPECT_EQ(raised_on, PETSC_COMM_SELF);
    EXPECT_THAT(message, HasSubstr("ellpack"));
  }
  ours.release();  // what stopped half-way PETSc does not destroy
}

TEST(PetscOptions, BlocksMadeAnewKeepTheirMatrixsOptions) {
  if (processes() == 1) GTEST_SKIP() << "one process has no blocks";
  const option format("-mine_mat_gossamer_format", "coo");
  const matrix a = make(MATGOSSAMER, {}, "mine_");
  products(a);
  CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (rank() == 0) CHECK_PETSC(MatSetValue(a, 0, 59, 9, ADD_VALUES));
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  const std::string text = summary(a, PETSC_VIEWER_ASCII_INFO_DETAIL);
  if (rank() != 0) return;
  int blocks = 0;
  for (std::size_t at = text.find(" block: "); at != std::string::npos; at = text.find(" block: ", at + 1)) {
    ++blocks;
    EXPECT_EQ(text.compare(at, 18, " block: format coo"), 0) << text.substr(at, 40);
  }
  EXPECT_EQ(blocks, 2 * processes());
}

TEST(PetscOptions, BlocksOfAnotherTypeStay) {
  const option type("-mat_seqaij_type", MATSEQAIJPERM);
  const matrix a = make(MATAIJ);
  const matrix b = convert(a, MATGOSSAMER);
  EXPECT_EQ(products(b), products(a));
  const std::string text = summary(b);
  if (rank() == 0 && processes() > 1) {
    EXPECT_THAT(text, HasSubstr("diagonal block: none, the type is seqaijperm"));
  }
}

TEST(PetscOptions, AutomaticDeviceIsThereOnEveryMachine) {
  const option device("-mat_gossamer_device", "auto");
  EXPECT_EQ(products(make(MATGOSSAMER)), products(make(MATAIJ)));
}

TEST(PetscOptions, CountsAreOfOurTypesAlone) {
  const matrix a = make(MATAIJ);
  PetscInt inspections = 0;
  CHECK_PETSC(PetscPushErrorHandler(keep_message, nullptr));
  EXPECT_NE(GossamerPetscGetCounts(a, &inspections, nullptr), PetscErrorCode{});
  CHECK_PETSC(PetscPopErrorHandler());
  EXPECT_THAT(message, HasSubstr("not of type gossamer"));
}

}  // namespace
}  // namespace gossamer::petsc_tests
