// SPDX-License-Identifier: BSD-3-Clause
// Every process runs every test; one that fails anywhere fails the run.
#include <gtest/gtest.h>
#include <petscksp.h>

#include <cstdlib>

#include "gossamer_petsc.h"

int main(int argc, char** argv) {
  // What someone tuned on this machine is none of the tests' business.
  setenv("GOSSAMER_CACHE", "", 1);
  testing::InitGoogleTest(&argc, argv);
  // A PETSc of before, which takes its types with it.
  MPI_Init(&argc, &argv);
  PetscCallAbort(MPI_COMM_WORLD, PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCallAbort(PETSC_COMM_WORLD, GossamerPetscRegister());
  PetscCallAbort(PETSC_COMM_WORLD, PetscFinalize());
  PetscCallAbort(MPI_COMM_WORLD, PetscInitialize(&argc, &argv, nullptr, nullptr));
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank != 0) testing::GTEST_FLAG(brief) = true;
  PetscCallAbort(PETSC_COMM_WORLD, GossamerPetscRegister());
  PetscCallAbort(PETSC_COMM_WORLD, GossamerPetscRegister());  // does nothing
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  PetscCallAbort(PETSC_COMM_WORLD, PetscFinalize());
  MPI_Finalize();
  return failed;
}
