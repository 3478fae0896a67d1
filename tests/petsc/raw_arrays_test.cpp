// SPDX-License-Identifier: BSD-3-Clause
// Arrays that PETSc hands out, and functions that write into a matrix without MatSetValues(): products equal
// AIJ's afterwards. Matrices whose arrays PETSc allocated, in each way that it has, get plans.
#include <functional>
#include <numeric>

#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

using matrix_change = std::function<void(Mat)>;

/// Applies the same change to an AIJ matrix and to one of ours that has a plan.
void expect_same_after(const matrix_change& apply, const shape& s = {}, const matrix_change& before = {}) {
  const matrix expected = make(MATAIJ, s);
  const matrix ours = make(MATGOSSAMER, s);
  for (Mat each : {Mat(expected), Mat(ours)}) {
    if (before) before(each);
    products(each);
    apply(each);
  }
  EXPECT_EQ(products(ours), products(expected));
  // Twice: a second change must be seen as well.
  for (Mat each : {Mat(expected), Mat(ours)}) apply(each);
  EXPECT_EQ(products(ours), products(expected));
}

TEST(PetscRawArrays, ReadAndWrite) {
  expect_same_after([](Mat a) {
    for (Mat block : blocks_of(a)) {
      PetscScalar* values = nullptr;
      CHECK_PETSC(MatSeqAIJGetArray(block, &values));
      for (PetscInt k = 0; k < entries_of(block); ++k) values[k] = 2 * values[k] + 1;
      CHECK_PETSC(MatSeqAIJRestoreArray(block, &values));
    }
  });
}

TEST(PetscRawArrays, WriteAlone) {
  expect_same_after([](Mat a) {
    for (Mat block : blocks_of(a)) {
      PetscScalar* values = nullptr;
      CHECK_PETSC(MatSeqAIJGetArrayWrite(block, &values));
      for (PetscInt k = 0; k < entries_of(block); ++k) values[k] = static_cast<PetscScalar>(k % 9 - 4);
      CHECK_PETSC(MatSeqAIJRestoreArrayWrite(block, &values));
    }
  });
}

/// The state of the block increases, that of the parallel matrix does not.
TEST(PetscRawArrays, TheOffDiagonalBlockAlone) {
  expect_same_after([](Mat a) {
    Mat block = blocks_of(a).back();
    PetscScalar* values = nullptr;
    CHECK_PETSC(MatSeqAIJGetArray(block, &values));
    for (PetscInt k = 0; k < entries_of(block); ++k) values[k] -= 3;
    CHECK_PETSC(MatSeqAIJRestoreArray(block, &values));
  });
}

TEST(PetscRawArrays, ReadingUpdatesNothing) {
  const matrix ours = make(MATGOSSAMER);
  const auto expected = products(ours);
  const auto before = counts(ours);
  for (Mat block : blocks_of(ours)) {
    const PetscScalar* values = nullptr;
    const PetscInt* row_ptr = nullptr;
    const PetscInt* col = nullptr;
    PetscScalar* also_values = nullptr;
    PetscInt rows = 0;
    PetscBool done = PETSC_FALSE;
    CHECK_PETSC(MatSeqAIJGetArrayRead(block, &values));
    CHECK_PETSC(MatSeqAIJGetCSRAndMemType(block, &row_ptr, &col, &also_values, nullptr));
    EXPECT_EQ(values, also_values);
    CHECK_PETSC(MatSeqAIJRestoreArrayRead(block, &values));
    for (const PetscInt base : {0, 1}) {
      CHECK_PETSC(MatGetRowIJ(block, base, PETSC_FALSE, PETSC_FALSE, &rows, &row_ptr, &col, &done));
      EXPECT_EQ(row_ptr[0], base);
      CHECK_PETSC(MatRestoreRowIJ(block, base, PETSC_FALSE, PETSC_FALSE, &rows, &row_ptr, &col, &done));
    }
    entries_of(block);
  }
  EXPECT_EQ(products(ours), expected);
  EXPECT_EQ(counts(ours), before);
}

/// PETSc does not know of values that are written through a kept pointer, until the program assembles the
/// matrix.
TEST(PetscRawArrays, KeptPointersNeedAnAssembly) {
  std::vector<PetscScalar*> kept;
  const matrix_change keep = [&](Mat a) {
    for (Mat block : blocks_of(a)) {
      PetscScalar* values = nullptr;
      CHECK_PETSC(MatSeqAIJGetCSRAndMemType(block, nullptr, nullptr, &values, nullptr));
      kept.push_back(values);
    }
  };
  const matrix expected = make(MATAIJ);
  const matrix ours = make(MATGOSSAMER);
  keep(expected);
  keep(ours);
  products(ours);
  std::size_t next = 0;
  for (Mat each : {Mat(expected), Mat(ours)}) {
    for (Mat block : blocks_of(each)) {
      PetscScalar* const values = kept[next++];
      for (PetscInt k = 0; k < entries_of(block); ++k) values[k] *= 4;
    }
    assemble_again(each);
  }
  EXPECT_EQ(products(ours), products(expected));
}

/// PETSc increases no state here.
TEST(PetscRawArrays, StoredValues) {
  const matrix_change store = [](Mat a) {
    CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
    CHECK_PETSC(MatStoreValues(a));
  };
  expect_same_after(
      [](Mat a) {
        CHECK_PETSC(MatScale(a, 3));
        products(a);
        CHECK_PETSC(MatRetrieveValues(a));
      },
      {}, store);
  const matrix ours = make(MATGOSSAMER);
  store(ours);
  products(ours);
  const int inspections = counts(ours).first;
  CHECK_PETSC(MatRetrieveValues(ours));
  products(ours);
  EXPECT_EQ(counts(ours).first, inspections);
}

/// Gives three columns in each row, then the values. One process.
void set_columns(Mat a, PetscInt first) {
  std::vector<PetscInt> col;
  for (PetscInt i = 0; i < 20; ++i) {
    for (const PetscInt j : {i / 4, i / 4 + first, i / 4 + first + 1}) col.push_back(j);
  }
  CHECK_PETSC(MatSeqAIJSetColumnIndices(a, col.data()));
  for (PetscInt i = 0; i < 20; ++i) {
    const PetscInt* const row = &col[static_cast<std::size_t>(3 * i)];
    const PetscScalar values[] = {1, static_cast<PetscScalar>(i), -2};
    CHECK_PETSC(MatSetValues(a, 1, &i, 3, row, values, INSERT_VALUES));
  }
  assemble_again(a);
}

TEST(PetscRawArrays, ColumnsChangedInPlace) {
  std::vector<matrix> made;
  for (const char* type : {MATSEQAIJ, MATSEQGOSSAMER}) {
    Mat a = nullptr;
    CHECK_PETSC(MatCreate(PETSC_COMM_SELF, &a));
    made.emplace_back(a);
    CHECK_PETSC(MatSetSizes(a, 20, 20, 20, 20));
    CHECK_PETSC(MatSetType(a, type));
    CHECK_PETSC(MatSetOption(a, MAT_USE_INODES, PETSC_FALSE));
    CHECK_PETSC(MatSeqAIJSetPreallocation(a, 3, nullptr));
    set_columns(a, 2);
    products(a);
    set_columns(a, 7);
  }
  EXPECT_EQ(products(made[1]), products(made[0]));
}

TEST(PetscRawArrays, PreallocationThatIsReset) {
  const matrix_change fewer = [](Mat a) {
    CHECK_PETSC(MatResetPreallocation(a));
    PetscInt begin = 0;
    PetscInt end = 0;
    CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
    for (PetscInt i = begin; i < end; ++i) {
      CHECK_PETSC(MatSetValue(a, i, (i * 7 + 2) % 60, i, INSERT_VALUES));
      CHECK_PETSC(MatSetValue(a, i, (i * 3) % 60, 5, INSERT_VALUES));
    }
    assemble_again(a);
  };
  expect_same_after(fewer);
}

TEST(PetscRawArrays, ValuesByLocalNumbers) {
  const matrix_change add = [](Mat a) {
    Mat block = blocks_of(a).front();
    const PetscInt row = 7;
    const PetscInt cols[] = {6, 7, 8};
    const PetscScalar values[] = {5, 6, 7};
    CHECK_PETSC(MatSeqAIJSetValuesLocalFast(block, 1, &row, 3, cols, values, ADD_VALUES));
  };
  const matrix_change number = [](Mat a) {
    Mat block = blocks_of(a).front();
    ISLocalToGlobalMapping map = nullptr;
    PetscInt rows = 0;
    CHECK_PETSC(MatGetSize(block, &rows, nullptr));
    std::vector<PetscInt> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), 0);
    CHECK_PETSC(ISLocalToGlobalMappingCreate(PETSC_COMM_SELF, 1, rows, all.data(), PETSC_COPY_VALUES, &map));
    CHECK_PETSC(MatSetLocalToGlobalMapping(block, map, map));
    CHECK_PETSC(ISLocalToGlobalMappingDestroy(&map));
  };
  expect_same_after(add, {.tridiagonal = true}, number);
}

void zero_rows_and_columns(Mat a) {
  const PetscInt rows[] = {2, 8, 9};
  CHECK_PETSC(MatZeroRowsColumns(a, rank() == 0 ? 3 : 0, rows, 7, nullptr, nullptr));
}
void zero_rows_of_one_structure(Mat a) {
  const PetscInt rows[] = {2, 8, 9};
  CHECK_PETSC(MatSetOption(a, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  CHECK_PETSC(MatZeroRows(a, rank() == 0 ? 3 : 0, rows, 7, nullptr, nullptr));
}
void take_imaginary_part(Mat a) {
  CHECK_PETSC(MatImaginaryPart(a));
}
void conjugate(Mat a) {
  CHECK_PETSC(MatConjugate(a));
}
void copy_another(Mat a) {
  const matrix other = convert(a, MATSAME);
  CHECK_PETSC(MatScale(other, 3));
  CHECK_PETSC(MatCopy(other, a, SAME_NONZERO_PATTERN));
}
void scale_and_add(Mat a) {
  const matrix other = convert(a, MATSAME);
  CHECK_PETSC(MatAYPX(a, 2, other, SAME_NONZERO_PATTERN));
}
void scale_the_diagonal_block(Mat a) {
  Mat block = nullptr;
  CHECK_PETSC(MatGetDiagonalBlock(a, &block));
  CHECK_PETSC(MatScale(block, 5));
}
void bind_to_cpu(Mat a) {
  CHECK_PETSC(MatScale(a, 2));
  CHECK_PETSC(MatBindToCPU(a, PETSC_TRUE));
  CHECK_PETSC(MatScale(a, 2));
  CHECK_PETSC(MatBindToCPU(a, PETSC_FALSE));
}
TEST(PetscRawArrays, OperationsThatWriteInPlace) {
  for (const auto& apply : {zero_rows_and_columns, zero_rows_of_one_structure, take_imaginary_part, conjugate,
                            copy_another, scale_and_add, scale_the_diagonal_block, bind_to_cpu}) {
    expect_same_after(apply);
  }
}

/// Makes a matrix of another, or makes it again in place after new values.
using maker = std::function<void(Mat, MatReuse, Mat*)>;

void expect_same_reused(const maker& make_from) {
  std::vector<std::vector<PetscScalar>> results[2];
  const char* const types[] = {MATAIJ, MATGOSSAMER};
  for (int t = 0; t < 2; ++t) {
    const matrix a = make(types[t]);
    Mat made = nullptr;
    make_from(a, MAT_INITIAL_MATRIX, &made);
    // PETSc may choose AIJ for the result.
    if (t == 1) CHECK_PETSC(MatConvert(made, MATGOSSAMER, MAT_INPLACE_MATRIX, &made));
    for (int round = 0; round < 3; ++round) {
      results[t].push_back(products(made));
      CHECK_PETSC(MatScale(a, -2));
      CHECK_PETSC(MatShift(a, round + 1));
      make_from(a, MAT_REUSE_MATRIX, &made);
    }
    results[t].push_back(products(made));
    if (t == 1) {
      EXPECT_GT(counts(made).first, 0);
    }
    CHECK_PETSC(MatDestroy(&made));
  }
  EXPECT_EQ(results[1], results[0]);
}

TEST(PetscRawArrays, MatReuseMatrix) {
  expect_same_reused(
      [](Mat a, MatReuse reuse, Mat* made) { CHECK_PETSC(MatMatMult(a, a, reuse, PETSC_DEFAULT, made)); });
  expect_same_reused(
      [](Mat a, MatReuse reuse, Mat* made) { CHECK_PETSC(MatPtAP(a, a, reuse, PETSC_DEFAULT, made)); });
  expect_same_reused([](Mat a, MatReuse reuse, Mat* made) {
    CHECK_PETSC(MatTransposeMatMult(a, a, reuse, PETSC_DEFAULT, made));
  });
  expect_same_reused([](Mat a, MatReuse reuse, Mat* made) { CHECK_PETSC(MatTranspose(a, reuse, made)); });
  expect_same_reused([](Mat a, MatReuse reuse, Mat* made) {
    IS some = nullptr;
    PetscInt begin = 0;
    PetscInt end = 0;
    CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
    CHECK_PETSC(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin, 2, &some));
    CHECK_PETSC(MatCreateSubMatrix(a, some, some, reuse, made));
    CHECK_PETSC(ISDestroy(&some));
  });
  expect_same_reused([](Mat a, MatReuse reuse, Mat* made) {
    CHECK_PETSC(MatConvert(a, processes() == 1 ? MATSEQAIJ : MATMPIAIJ, reuse, made));
  });
}

/// Each algorithm writes the result in its own way.
TEST(PetscRawArrays, ProductsOfEveryAlgorithm) {
  const maker multiply = [](Mat a, MatReuse reuse, Mat* made) {
    CHECK_PETSC(MatMatMult(a, a, reuse, PETSC_DEFAULT, made));
  };
  const maker project = [](Mat a, MatReuse reuse, Mat* made) {
    CHECK_PETSC(MatPtAP(a, a, reuse, PETSC_DEFAULT, made));
  };
  const std::vector<const char*> multiply_by =
      processes() == 1 ? std::vector<const char*>{"sorted", "scalable",    "scalable_fast", "heap",
                                                  "btheap", "llcondensed", "rowmerge"}
                       : std::vector<const char*>{"scalable", "nonscalable", "seqmpi"};
  const std::vector<const char*> project_by =
      processes() == 1 ? std::vector<const char*>{"scalable", "rap"}
                       : std::vector<const char*>{"scalable", "nonscalable", "allatonce", "allatonce_merged"};
  for (const char* name : multiply_by) {
    const option algorithm("-matmatmult_via", name);
    const option also("-mat_product_algorithm", name);
    SCOPED_TRACE(name);
    expect_same_reused(multiply);
  }
  for (const char* name : project_by) {
    const option algorithm("-matptap_via", name);
    const option also("-mat_product_algorithm", name);
    SCOPED_TRACE(name);
    expect_same_reused(project);
  }
}

/// Sequential matrices that PETSc makes for parallel products are ours as well here.
TEST(PetscRawArrays, BlocksBehindProductsOfParallelMatrices) {
  const option type("-mat_seqaij_type", MATSEQGOSSAMER);
  expect_same_reused(
      [](Mat a, MatReuse reuse, Mat* made) { CHECK_PETSC(MatPtAP(a, a, reuse, PETSC_DEFAULT, made)); });
  expect_same_after([](Mat a) {
    if (processes() == 1) return;
    Mat local = nullptr;
    CHECK_PETSC(MatMPIAIJGetLocalMat(a, MAT_INITIAL_MATRIX, &local));
    const auto once = products(local);
    CHECK_PETSC(MatScale(a, 2));
    CHECK_PETSC(MatMPIAIJGetLocalMat(a, MAT_REUSE_MATRIX, &local));
    auto twice = products(convert(local, MATAIJ));
    EXPECT_EQ(products(local), twice);
    EXPECT_NE(once, twice);
    CHECK_PETSC(MatDestroy(&local));
  });
}

/// A matrix with global columns, which has a plan, becomes the block of a parallel one. PETSc renumbers its
/// columns in place.
TEST(PetscRawArrays, SequentialMatricesThatBecomeBlocks) {
  constexpr PetscInt rows = 12;
  const auto create = [](bool ours) {
    Mat parts[2] = {};
    for (int p = 0; p < 2; ++p) {
      const PetscInt cols = p == 0 ? rows : rows * processes();
      const PetscInt next = (rank() + 1) % processes() * rows;
      CHECK_PETSC(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, cols, 2, nullptr, &parts[p]));
      for (PetscInt i = 0; i < rows && (p == 0 || processes() > 1); i += p + 1)
        CHECK_PETSC(MatSetValue(parts[p], i, p == 0 ? i : next + i, i + 1, INSERT_VALUES));
      assemble_again(parts[p]);
      if (ours) CHECK_PETSC(MatConvert(parts[p], MATSEQGOSSAMER, MAT_INPLACE_MATRIX, &parts[p]));
      products(parts[p]);
    }
    Mat a = nullptr;
#if PETSC_VERSION_LT(3, 23, 0)
    std::vector<PetscInt> columns(static_cast<std::size_t>(rows * processes()));
    std::iota(columns.begin(), columns.end(), 0);
    CHECK_PETSC(MatCreateMPIAIJWithSeqAIJ(PETSC_COMM_WORLD, parts[0], parts[1], columns.data(), &a));
#else
    CHECK_PETSC(MatCreateMPIAIJWithSeqAIJ(PETSC_COMM_WORLD, PETSC_DETERMINE, PETSC_DETERMINE, parts[0],
                                          parts[1], nullptr, &a));
#endif
    return matrix(a);
  };
  const matrix expected = create(false);
  const matrix ours = create(true);
  EXPECT_EQ(products(ours), products(expected));
}

}  // namespace
}  // namespace gossamer::petsc_tests
