// SPDX-License-Identifier: BSD-3-Clause
#include "petsc_support.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "gossamer_petsc.h"

namespace gossamer::petsc_tests {
namespace {

PetscScalar number(PetscInt i) {
  return static_cast<PetscScalar>((i * 7 + 3) % 11 - 5);
}

void fill(Vec v) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscScalar* x = nullptr;
  CHECK_PETSC(VecGetOwnershipRange(v, &begin, &end));
  CHECK_PETSC(VecGetArrayWrite(v, &x));
  for (PetscInt i = begin; i < end; ++i) x[i - begin] = number(i);
  CHECK_PETSC(VecRestoreArrayWrite(v, &x));
}

void append(Vec v, std::vector<PetscScalar>& all) {
  PetscInt size = 0;
  const PetscScalar* x = nullptr;
  CHECK_PETSC(VecGetLocalSize(v, &size));
  CHECK_PETSC(VecGetArrayRead(v, &x));
  all.insert(all.end(), x, x + size);
  CHECK_PETSC(VecRestoreArrayRead(v, &x));
}

void insert_row(Mat a, PetscInt i, const shape& s) {
  if (s.cols == 0) return;
  if (s.tridiagonal) {
    for (PetscInt j = std::max<PetscInt>(i - 1, 0); j < std::min(i + 2, s.cols); ++j) {
      CHECK_PETSC(MatSetValue(a, i, j, i == j ? 2 : -1, ADD_VALUES));
    }
    return;
  }
  if (i % 5 != 4) {
    for (PetscInt k = 0; k < i % 4 + 1; ++k) {
      CHECK_PETSC(MatSetValue(a, i, (i * 3 + k * 13) % s.cols, number(i + k), ADD_VALUES));
    }
  }
  // The factorisations of PETSc want a diagonal.
  if (i < s.cols) CHECK_PETSC(MatSetValue(a, i, i, 40, ADD_VALUES));
}

}  // namespace

matrix make(const char* type, const shape& s, const char* prefix) {
  Mat a = nullptr;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
  const bool last = rank() == processes() - 1;
  if (s.last_has_all) {
    CHECK_PETSC(MatSetSizes(a, last ? s.rows : 0, last ? s.cols : 0, s.rows, s.cols));
  } else {
    CHECK_PETSC(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, s.rows, s.cols));
  }
  CHECK_PETSC(MatSetOptionsPrefix(a, prefix));
  CHECK_PETSC(MatSetType(a, type));
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 6, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 6, nullptr, 6, nullptr));
  PetscInt begin = 0;
  PetscInt end = s.rows;
  if (!s.others_insert) CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    if (!s.others_insert || i % processes() == rank()) insert_row(a, i, s);
  }
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return matrix(a);
}

matrix convert(Mat from, const char* type) {
  Mat to = nullptr;
  CHECK_PETSC(MatConvert(from, type, MAT_INITIAL_MATRIX, &to));
  return matrix(to);
}

std::string type_of(Mat a) {
  MatType type = nullptr;
  CHECK_PETSC(MatGetType(a, &type));
  return type;
}

std::vector<Mat> blocks_of(Mat a) {
  if (processes() == 1) return {a};
  std::vector<Mat> blocks(2);
  CHECK_PETSC(MatMPIAIJGetSeqAIJ(a, blocks.data(), &blocks[1], nullptr));
  return blocks;
}

PetscInt entries_of(Mat block) {
  PetscInt rows = 0;
  PetscBool done = PETSC_FALSE;
  const PetscInt* row_ptr = nullptr;
  const PetscInt* col = nullptr;
  CHECK_PETSC(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_ptr, &col, &done));
  const PetscInt count = row_ptr[rows];
  CHECK_PETSC(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_ptr, &col, &done));
  return count;
}

void assemble_again(Mat a) {
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

std::vector<PetscScalar> products(Mat a) {
  std::vector<PetscScalar> all;
  Vec x = nullptr;
  Vec y = nullptr;
  Vec z = nullptr;
  CHECK_PETSC(MatCreateVecs(a, &x, &y));
  CHECK_PETSC(VecDuplicate(y, &z));
  fill(x);
  CHECK_PETSC(MatMult(a, x, y));
  append(y, all);
  fill(y);
  CHECK_PETSC(MatMultAdd(a, x, y, z));
  append(z, all);
  CHECK_PETSC(MatMultAdd(a, x, y, y));
  append(y, all);
  fill(y);
  CHECK_PETSC(MatMultTranspose(a, y, x));
  append(x, all);
  CHECK_PETSC(MatMultTransposeAdd(a, y, x, x));
  append(x, all);
  Vec other = nullptr;
  CHECK_PETSC(VecDuplicate(x, &other));
  CHECK_PETSC(MatMultTransposeAdd(a, y, x, other));
  append(other, all);
  CHECK_PETSC(VecDestroy(&other));
  CHECK_PETSC(VecDestroy(&x));
  CHECK_PETSC(VecDestroy(&y));
  CHECK_PETSC(VecDestroy(&z));
  return all;
}

std::pair<int, int> counts(Mat a) {
  PetscInt inspections = 0;
  PetscInt updates = 0;
  CHECK_PETSC(GossamerPetscGetCounts(a, &inspections, &updates));
  return {inspections, updates};
}

std::string summary(Mat a, PetscViewerFormat format) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  PetscViewer viewer = nullptr;
  CHECK_PETSC(PetscViewerASCIIOpenWithFILE(PetscObjectComm(reinterpret_cast<PetscObject>(a)), file, &viewer));
  CHECK_PETSC(PetscViewerPushFormat(viewer, format));
  CHECK_PETSC(MatView(a, viewer));
  CHECK_PETSC(PetscViewerPopFormat(viewer));
  CHECK_PETSC(PetscViewerDestroy(&viewer));
  std::fclose(file);
  std::string all(text, size);
  std::free(text);
  return all;
}

}  // namespace gossamer::petsc_tests
