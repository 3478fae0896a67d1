// SPDX-License-Identifier: BSD-3-Clause
// The same work for each process however many there are: a cube of a 27-point stencil each, stacked, with all
// of a face's columns from the neighbours. Products are exact, and conjugate gradients take as many steps as
// with AIJ.
#include <petscksp.h>

#include <cmath>
#include <limits>

#include "gossamer_petsc.h"
#include "petsc_support.hpp"

namespace gossamer::petsc_tests {
namespace {

constexpr PetscInt cube_side = 9;
constexpr PetscInt cube = cube_side * cube_side * cube_side;

matrix stacked_cubes(const char* type) {
  Mat a = nullptr;
  CHECK_PETSC(MatCreate(PETSC_COMM_WORLD, &a));
  CHECK_PETSC(MatSetSizes(a, cube, cube, PETSC_DETERMINE, PETSC_DETERMINE));
  CHECK_PETSC(MatSetType(a, type));
  CHECK_PETSC(MatSeqAIJSetPreallocation(a, 27, nullptr));
  CHECK_PETSC(MatMPIAIJSetPreallocation(a, 27, nullptr, 9, nullptr));
  const PetscInt layers = cube_side * processes();
  for (PetscInt i = cube * rank(); i < cube * (rank() + 1); ++i) {
    for (PetscInt near = 0; near < 27; ++near) {
      const PetscInt x = i % cube_side + near % 3 - 1;
      const PetscInt y = i / cube_side % cube_side + near / 3 % 3 - 1;
      const PetscInt z = i / (cube_side * cube_side) + near / 9 - 1;
      if (x < 0 || x >= cube_side || y < 0 || y >= cube_side || z < 0 || z >= layers) continue;
      const PetscInt j = (z * cube_side + y) * cube_side + x;
      CHECK_PETSC(MatSetValue(a, i, j, i == j ? 27 : -1, INSERT_VALUES));
    }
  }
  CHECK_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  CHECK_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return matrix(a);
}

struct solved {
  PetscInt steps = 0;
  PetscReal norm = 0;
};

solved solve(Mat a) {
  solved result;
  Vec x = nullptr;
  Vec b = nullptr;
  KSP solver = nullptr;
  PC inner = nullptr;
  CHECK_PETSC(MatCreateVecs(a, &x, &b));
  CHECK_PETSC(VecSet(b, 1));
  CHECK_PETSC(KSPCreate(PETSC_COMM_WORLD, &solver));
  CHECK_PETSC(KSPSetOperators(solver, a, a));
  CHECK_PETSC(KSPSetType(solver, KSPCG));
  CHECK_PETSC(KSPGetPC(solver, &inner));
  CHECK_PETSC(PCSetType(inner, PCJACOBI));
  CHECK_PETSC(KSPSolve(solver, b, x));
  CHECK_PETSC(KSPGetIterationNumber(solver, &result.steps));
  CHECK_PETSC(VecNorm(x, NORM_2, &result.norm));
  CHECK_PETSC(KSPDestroy(&solver));
  CHECK_PETSC(VecDestroy(&x));
  CHECK_PETSC(VecDestroy(&b));
  return result;
}

TEST(PetscWeakScaling, ACubeEach) {
  const matrix expected = stacked_cubes(MATAIJ);
  const matrix ours = stacked_cubes(MATGOSSAMER);
  MatInfo info{};
  CHECK_PETSC(MatGetInfo(ours, MAT_GLOBAL_SUM, &info));
  const PetscInt layers = cube_side * processes();
  EXPECT_EQ(info.nz_used, std::pow(3 * cube_side - 2, 2) * (3 * layers - 2));
  EXPECT_EQ(products(ours), products(expected));
  // A plan for the columns of each process, and one for those of its neighbours.
  EXPECT_EQ(counts(ours), std::pair(plans_of_products * (processes() == 1 ? 1 : 2), 0));
  const solved by_aij = solve(expected);
  const solved by_ours = solve(ours);
  EXPECT_EQ(by_ours.steps, by_aij.steps);
  EXPECT_GT(by_ours.steps, 3);
  // As in solver_test.cpp: what rounding may do to a vector, once for every step.
  EXPECT_LE(std::abs(by_ours.norm - by_aij.norm), static_cast<PetscReal>(by_aij.steps * cube * processes()) *
                                                      std::numeric_limits<PetscReal>::epsilon() *
                                                      by_aij.norm);
}

}  // namespace
}  // namespace gossamer::petsc_tests
