// SPDX-License-Identifier: BSD-3-Clause
// Krylov methods converge as they do with AIJ.
#include <petscksp.h>

#include <cmath>
#include <limits>

#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

constexpr PetscInt side = 16;

matrix laplacian(const char* type) {
  constexpr PetscInt n = side * side;
  Mat a = nullptr;
  PetscInt begin = 0;
  PetscInt end = 0;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
  CHECK_PETSC(MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, n, n));
  CHECK_PETSC(MatSetType(a, type));
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 5, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 5, nullptr, 5, nullptr));
  CHECK_PETSC(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    CHECK_PETSC(MatSetValue(a, i, i, 4.1, INSERT_VALUES));
    if (i % side > 0) CHECK_PETSC(MatSetValue(a, i, i - 1, -1.1, INSERT_VALUES));
    if (i % side < side - 1) CHECK_PETSC(MatSetValue(a, i, i + 1, -1.1, INSERT_VALUES));
    if (i >= side) CHECK_PETSC(MatSetValue(a, i, i - side, -0.9, INSERT_VALUES));
    if (i < n - side) CHECK_PETSC(MatSetValue(a, i, i + side, -0.9, INSERT_VALUES));
  }
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return matrix(a);
}

std::vector<PetscReal> history(const char* type, KSPType method, PCType preconditioner) {
  const matrix a = laplacian(type);
  Vec x = nullptr;
  Vec b = nullptr;
  KSP solver = nullptr;
  PC inner = nullptr;
  const PetscReal* residuals = nullptr;
  PetscInt count = 0;
  CHECK_PETSC(MatCreateVecs(a, &x, &b));
  CHECK_PETSC(VecSet(b, 1));
  CHECK_PETSC(KSPCreate(PETSC_COMM_WORLD, &solver));
  CHECK_PETSC(KSPSetOperators(solver, a, a));
  CHECK_PETSC(KSPSetType(solver, method));
  CHECK_PETSC(KSPGetPC(solver, &inner));
  CHECK_PETSC(PCSetType(inner, preconditioner));
  CHECK_PETSC(KSPSetResidualHistory(solver, nullptr, PETSC_DECIDE, PETSC_TRUE));
  CHECK_PETSC(KSPSolve(solver, b, x));
  CHECK_PETSC(KSPGetResidualHistory(solver, &residuals, &count));
  std::vector<PetscReal> all(residuals, residuals + count);
  CHECK_PETSC(KSPDestroy(&solver));
  CHECK_PETSC(VecDestroy(&x));
  CHECK_PETSC(VecDestroy(&b));
  if (std::string(type) == MATGOSSAMER) {
    EXPECT_GT(counts(a).first, 0);
  }
  return all;
}

void expect_same_history(KSPType method, PCType preconditioner) {
  const auto expected = history(MATAIJ, method, preconditioner);
  const auto ours = history(MATGOSSAMER, method, preconditioner);
  ASSERT_EQ(ours.size(), expected.size());
  ASSERT_GT(ours.size(), 3u);
  // What rounding may do in one step to a vector of as many entries, taken once for every step so far.
  const PetscReal step = side * side * std::numeric_limits<PetscReal>::epsilon() * expected[0];
  for (std::size_t k = 0; k < ours.size(); ++k) {
    EXPECT_LE(std::abs(ours[k] - expected[k]), static_cast<PetscReal>(k + 1) * step) << method << ' ' << k;
  }
}

TEST(PetscSolvers, GmresWithIlu) {
  expect_same_history(KSPGMRES, PCBJACOBI);
}
TEST(PetscSolvers, GmresWithJacobi) {
  expect_same_history(KSPGMRES, PCJACOBI);
}
TEST(PetscSolvers, ConjugateGradients) {
  expect_same_history(KSPCG, PCNONE);
}
TEST(PetscSolvers, ConjugateGradientsWithSor) {
  expect_same_history(KSPCG, PCSOR);
}
TEST(PetscSolvers, ConjugateGradientsWithMultigrid) {
  expect_same_history(KSPCG, PCGAMG);
}
TEST(PetscSolvers, AdditiveSchwarz) {
  expect_same_history(KSPGMRES, PCASM);
}

}  // namespace
}  // namespace gossamer::petsc_tests
