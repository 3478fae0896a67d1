// SPDX-License-Identifier: BSD-3-Clause
// Products are AIJ's, whatever the shape, the format and what was done to the matrix before.
#include <algorithm>
#include <functional>
#include <tuple>

#include "gossamer/formats.hpp"
#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

void expect_same(const shape& s) {
  const matrix expected = make(MATAIJ, s);
  const matrix ours = make(MATGOSSAMER, s);
  EXPECT_EQ(type_of(ours), processes() == 1 ? MATSEQAIJGOSSAMER : MATMPIAIJGOSSAMER);
  EXPECT_EQ(products(ours), products(expected));
}

TEST(PetscProducts, Square) {
  expect_same({});
}
TEST(PetscProducts, Wide) {
  expect_same({.rows = 37, .cols = 91});
}
TEST(PetscProducts, Tall) {
  expect_same({.rows = 91, .cols = 37});
}
TEST(PetscProducts, ProcessesWithoutRows) {
  expect_same({.last_has_all = true});
}
TEST(PetscProducts, FewerRowsThanProcesses) {
  expect_same({.rows = 3, .cols = 3});
}
TEST(PetscProducts, NoRows) {
  expect_same({.rows = 0, .cols = 5});
}
TEST(PetscProducts, NoColumns) {
  expect_same({.rows = 5, .cols = 0});
}
TEST(PetscProducts, EntriesOfOtherProcesses) {
  expect_same({.others_insert = true});
}

TEST(PetscProducts, NothingInserted) {
  const matrix a = make(MATGOSSAMER);
  CHECK_PETSC(MatZeroEntries(a));
  for (const PetscScalar each : products(a)) EXPECT_EQ(each, each);
  Mat empty = nullptr;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &empty));
  CHECK_PETSC(MatSetSizes(empty, PETSC_DECIDE, PETSC_DECIDE, 9, 9));
  CHECK_PETSC(MatSetType(empty, MATGOSSAMER));
  CHECK_PETSC(MatSetUp(empty));
  CHECK_PETSC(MatAssemblyBegin(empty, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(empty, MAT_FINAL_ASSEMBLY));
  const matrix owner(empty);
  products(owner);
  EXPECT_EQ(counts(owner), std::pair(0, 0));
}

TEST(PetscProducts, EveryFormat) {
  const shape s{.tridiagonal = true};
  const auto expected = products(make(MATAIJ, s));
  for (const format_info& format : list_formats()) {
    if (!contains(format.devices, device_set::cpu)) continue;
    const option chosen("-mat_gossamer_format", std::string(format.name).c_str());
    // A process's entries in columns of others are too few for some formats that pad.
    const bool pads = std::any_of(format.options.begin(), format.options.end(),
                                  [](const option_info& each) { return each.is_limit; });
    if (pads && processes() > 1) continue;
    EXPECT_EQ(products(make(MATGOSSAMER, s)), expected) << format.name;
  }
}

using change = std::function<void(Mat)>;

void shift(Mat a) {
  CHECK_PETSC(MatShift(a, 3));
}
void scale(Mat a) {
  CHECK_PETSC(MatScale(a, 2));
}
void clear(Mat a) {
  CHECK_PETSC(MatZeroEntries(a));
}
void clear_rows(Mat a) {
  const PetscInt rows[] = {2, 8, 9};
  CHECK_PETSC(MatZeroRows(a, rank() == 0 ? 3 : 0, rows, 7, nullptr, nullptr));
}
void scale_columns(Mat a) {
  Vec x = nullptr;
  CHECK_PETSC(MatCreateVecs(a, &x, nullptr));
  CHECK_PETSC(VecSet(x, -2));
  CHECK_PETSC(MatDiagonalScale(a, nullptr, x));
  CHECK_PETSC(VecDestroy(&x));
}
void add_itself(Mat a) {
  const matrix copy = convert(a, MATSAME);
  CHECK_PETSC(MatAXPY(a, 2, copy, SAME_NONZERO_PATTERN));
}
void set_diagonal(Mat a) {
  Vec x = nullptr;
  CHECK_PETSC(MatCreateVecs(a, &x, nullptr));
  CHECK_PETSC(VecSet(x, 5));
  CHECK_PETSC(MatDiagonalSet(a, x, INSERT_VALUES));
  CHECK_PETSC(VecDestroy(&x));
}
void scale_rows(Mat a) {
  Vec y = nullptr;
  PetscInt begin = 0;
  PetscInt end = 0;
  CHECK_PETSC(MatCreateVecs(a, nullptr, &y));
  CHECK_PETSC(VecGetOwnershipRange(y, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) CHECK_PETSC(VecSetValue(y, i, i % 7 - 3, INSERT_VALUES));
  CHECK_PETSC(VecAssemblyBegin(y));
  CHECK_PETSC(VecAssemblyEnd(y));
  CHECK_PETSC(MatDiagonalScale(a, y, nullptr));
  CHECK_PETSC(VecDestroy(&y));
}
void set_values(Mat a) {
  PetscInt begin = 0;
  PetscInt end = 0;
  CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) CHECK_PETSC(MatSetValue(a, i, i, -i, INSERT_VALUES));
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}
void write_into_array(Mat a) {
  Mat block = a;
  PetscScalar* values = nullptr;
  if (processes() > 1) CHECK_PETSC(MatMPIAIJGetSeqAIJ(a, &block, nullptr, nullptr));
  CHECK_PETSC(MatSeqAIJGetArray(block, &values));
  values[0] = 11;
  CHECK_PETSC(MatSeqAIJRestoreArray(block, &values));
}

TEST(PetscProducts, NewValuesWithoutInspection) {
  for (const change& apply :
       {change(shift), change(scale), change(clear), change(scale_columns), change(scale_rows),
        change(set_values), change(add_itself), change(set_diagonal), change(write_into_array)}) {
    const matrix expected = make(MATAIJ);
    const matrix ours = make(MATGOSSAMER);
    products(ours);
    const auto before = counts(ours);
    EXPECT_GT(before.first, 0);
    EXPECT_EQ(before.second, 0);
    products(ours);
    EXPECT_EQ(counts(ours), before);
    apply(expected);
    apply(ours);
    EXPECT_EQ(products(ours), products(expected));
    EXPECT_EQ(counts(ours).first, before.first);
    EXPECT_GT(counts(ours).second, 0);
    EXPECT_LE(counts(ours).second, before.first);
  }
}

TEST(PetscProducts, RowsWithoutTheirEntries) {
  const matrix expected = make(MATAIJ);
  const matrix ours = make(MATGOSSAMER);
  products(ours);
  clear_rows(expected);
  clear_rows(ours);
  EXPECT_EQ(products(ours), products(expected));
}

void insert(Mat a, PetscInt i, PetscInt j) {
  CHECK_PETSC(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (rank() == 0) CHECK_PETSC(MatSetValue(a, i, j, 9, ADD_VALUES));
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

TEST(PetscProducts, NewEntriesAreInspected) {
  for (const auto& [i, j] : {std::pair(4, 5), std::pair(0, 59), std::pair(59, 1)}) {
    const matrix expected = make(MATAIJ);
    const matrix ours = make(MATGOSSAMER);
    products(ours);
    const auto before = counts(ours);
    insert(expected, i, j);
    insert(ours, i, j);
    EXPECT_EQ(products(ours), products(expected));
    // For entries in columns of others MPIAIJ makes the second block again, and its counts with it.
    if (processes() > 1 && j != 5) continue;
    EXPECT_EQ(counts(ours).first, before.first + (rank() == 0 ? plans_of_products : 0));
    EXPECT_LE(counts(ours).second, before.first);
  }
}

/// An entry in each row, those of the shape `make` has none of included.
matrix shifted_diagonal(const char* type) {
  matrix a = make(type, {.tridiagonal = true});
  insert(a, 7, 50);
  return a;
}

void add_another_structure(Mat a, const char* type) {
  CHECK_PETSC(MatAXPY(a, 2, shifted_diagonal(type), DIFFERENT_NONZERO_PATTERN));
}
void add_part_of_the_structure(Mat a, const char* type) {
  const matrix part = make(type);
  CHECK_PETSC(MatAXPY(a, 1, part, SUBSET_NONZERO_PATTERN));
}
void transpose(Mat a, const char*) {
  CHECK_PETSC(MatTranspose(a, MAT_INPLACE_MATRIX, &a));
}
void take_another(Mat a, const char* type) {
  matrix other = shifted_diagonal(type);
  products(other);
  Mat handle = other.release();
  CHECK_PETSC(MatHeaderReplace(a, &handle));
}

TEST(PetscProducts, WhatMovesOneMatrixIntoAnother) {
  for (const auto& apply : {add_another_structure, add_part_of_the_structure, transpose, take_another}) {
    const matrix expected = make(MATAIJ);
    const matrix ours = make(MATGOSSAMER);
    products(ours);
    apply(expected, MATAIJ);
    apply(ours, MATGOSSAMER);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(products(ours), products(expected));
      scale(expected);
      scale(ours);
    }
    EXPECT_EQ(type_of(ours), processes() == 1 ? MATSEQAIJGOSSAMER : MATMPIAIJGOSSAMER);
    EXPECT_GT(counts(ours).first, 0);
  }
}

/// Rows that differ in values alone, several in turn: AIJ multiplies such by other code, chosen when the
/// matrix is assembled.
TEST(PetscProducts, RowsOfOneStructureAreThePlans) {
  Mat a = nullptr;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
  CHECK_PETSC(MatSetSizes(a, 40, 40, PETSC_DETERMINE, PETSC_DETERMINE));
  CHECK_PETSC(MatSetBlockSize(a, 4));
  CHECK_PETSC(MatSetType(a, MATGOSSAMER));
  const matrix owner(a);
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 4, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 4, nullptr, 0, nullptr));
  for (int round = 1; round <= 3; ++round) {
    for (PetscInt i = 40 * rank(); i < 40 * (rank() + 1); ++i) {
      for (PetscInt j = i / 4 * 4; j < i / 4 * 4 + 4; ++j)
        CHECK_PETSC(MatSetValue(a, i, j, round + i + j, INSERT_VALUES));
    }
    CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    EXPECT_EQ(products(a), products(convert(a, MATAIJ)));
    EXPECT_EQ(counts(a), std::pair(plans_of_products, plans_of_products * (round - 1)));
  }
}

TEST(PetscProducts, WithoutPreallocation) {
  const auto fill = [](const char* type) {
    Mat a = nullptr;
    CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
    CHECK_PETSC(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, 50, 50));
    CHECK_PETSC(MatSetType(a, type));
    CHECK_PETSC(MatSetUp(a));
    for (PetscInt i = rank(); i < 50; i += processes()) {
      for (const PetscInt j : {i, (i * 7 + 1) % 50}) CHECK_PETSC(MatSetValue(a, i, j, i - 2 * j, ADD_VALUES));
    }
    CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    return products(matrix(a));
  };
  EXPECT_EQ(fill(MATGOSSAMER), fill(MATAIJ));
}

TEST(PetscProducts, AnotherPreallocation) {
  const matrix expected = make(MATAIJ);
  const matrix ours = make(MATGOSSAMER);
  products(ours);
  for (Mat each : {static_cast<Mat>(expected), static_cast<Mat>(ours)}) {
    CHECK_PETSC(MatSeqAIJSetPreallocation(each, 2, nullptr));
    CHECK_PETSC(MatMPIAIJSetPreallocation(each, 2, nullptr, 2, nullptr));
    insert(each, 3, 30);
  }
  EXPECT_EQ(products(ours), products(expected));
}

TEST(PetscProducts, Coordinates) {
  const auto fill = [](const char* type) {
    Mat a = nullptr;
    std::vector<PetscInt> rows;
    std::vector<PetscInt> cols;
    std::vector<PetscScalar> values;
    for (PetscInt k = rank(); k < 90; k += processes()) {
      rows.push_back((k * 5) % 30);
      cols.push_back((k * 11) % 30);
      values.push_back(static_cast<PetscScalar>(k % 9 - 4));
    }
    CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
    CHECK_PETSC(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, 30, 30));
    CHECK_PETSC(MatSetType(a, type));
    CHECK_PETSC(MatSetPreallocationCOO(a, static_cast<PetscCount>(rows.size()), rows.data(), cols.data()));
    CHECK_PETSC(MatSetValuesCOO(a, values.data(), INSERT_VALUES));
    matrix made(a);
    const auto first = products(made);
    CHECK_PETSC(MatSetValuesCOO(a, values.data(), ADD_VALUES));
    return std::tuple(first, products(made), type_of(made));
  };
  const auto expected = fill(MATAIJ);
  const auto ours = fill(MATGOSSAMER);
  EXPECT_EQ(std::get<0>(ours), std::get<0>(expected));
  EXPECT_EQ(std::get<1>(ours), std::get<1>(expected));
  EXPECT_EQ(std::get<2>(ours), processes() == 1 ? MATSEQAIJGOSSAMER : MATMPIAIJGOSSAMER);
}

}  // namespace
}  // namespace gossamer::petsc_tests
