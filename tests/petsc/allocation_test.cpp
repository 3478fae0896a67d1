// SPDX-License-Identifier: BSD-3-Clause
// Matrices whose arrays PETSc allocated, in each way that it has, get plans.
#include <algorithm>

#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

/// Two entries a row, the second in the next process's columns where there are several. By MatSetValues().
void insert_two_in_each_row(Mat a) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscInt cols = 0;
  CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
  CHECK_PETSC(MatGetSize(a, nullptr, &cols));
  for (PetscInt i = begin; i < end; ++i) {
    const PetscInt other = (i + 12) % cols;
    const PetscInt where[] = {std::min(i, other), std::max(i, other)};
    const PetscScalar values[] = {static_cast<PetscScalar>(i + 1), -4};
    CHECK_PETSC(MatSetValues(a, 1, &i, 2, where, values, INSERT_VALUES));
  }
  assemble_again(a);
}

void allocate_rows(Mat a) {
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 2, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 2, nullptr, 2, nullptr));
  insert_two_in_each_row(a);
}
void allocate_too_little(Mat a) {
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 0, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 0, nullptr, 0, nullptr));
  CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  insert_two_in_each_row(a);
}
void allocate_nothing(Mat a) {
  CHECK_PETSC(MatSetUp(a));
  insert_two_in_each_row(a);
}
void allocate_all_entries_together(Mat a) {
  PetscInt rows = 0;
  CHECK_PETSC(MatGetLocalSize(a, &rows, nullptr));
  if (processes() > 1) return allocate_rows(a);
  CHECK_PETSC(MatSeqAIJSetTotalPreallocation(a, 2 * rows));
  insert_two_in_each_row(a);
}
void give_rows(Mat a) {
  const std::vector<PetscInt> row_ptr{0, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4};
  const std::vector<PetscInt> col{0, 3, 7, 11};
  const std::vector<PetscScalar> val{5, 6, 7, 8};
  CHECK_PETSC(MatSeqAIJSetPreallocationCSR(a, row_ptr.data(), col.data(), val.data()));
  CHECK_PETSC(MatMPIAIJSetPreallocationCSR(a, row_ptr.data(), col.data(), val.data()));
}
void give_coordinates(Mat a) {
  std::vector<PetscInt> rows;
  std::vector<PetscInt> cols;
  std::vector<PetscScalar> values;
  for (PetscInt i = 12 * rank(); i < 12 * (rank() + 1); ++i) {
    for (const PetscInt j : {i, (i * 5 + 1) % (12 * processes())}) {
      rows.push_back(i);
      cols.push_back(j);
      values.push_back(static_cast<PetscScalar>(i - 3 * j));
    }
  }
  CHECK_PETSC(MatSetPreallocationCOO(a, static_cast<PetscCount>(rows.size()), rows.data(), cols.data()));
  CHECK_PETSC(MatSetValuesCOO(a, values.data(), INSERT_VALUES));
}

/// None of these counts as arrays of the program.
TEST(PetscAllocation, PetscOwnedArraysHaveAPlan) {
  for (const auto& fill : {allocate_rows, allocate_too_little, allocate_nothing,
                           allocate_all_entries_together, give_rows, give_coordinates}) {
    std::vector<std::vector<PetscScalar>> results;
    for (const char* type : {MATAIJ, MATGOSSAMER}) {
      Mat a = nullptr;
      CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
      const matrix owner(a);
      CHECK_PETSC(MatSetSizes(a, 12, 12, PETSC_DETERMINE, PETSC_DETERMINE));
      CHECK_PETSC(MatSetType(a, type));
      fill(a);
      results.push_back(products(a));
      if (type_of(a).find("gossamer") == std::string::npos) continue;
      // Blocks without an entry have none.
      int expected = 0;
      for (Mat block : blocks_of(a)) expected += entries_of(block) > 0 ? plans_of_products : 0;
      EXPECT_GT(expected, 0);
      EXPECT_EQ(counts(a), std::pair(expected, 0));
    }
    EXPECT_EQ(results[1], results[0]);
  }
}

}  // namespace
}  // namespace gossamer::petsc_tests
