// SPDX-License-Identifier: BSD-3-Clause
// PETSc loads the plug-in that -dll_append names, multiplies by it on several threads, and unloads it when it
// ends: twice.
#include <dlfcn.h>
#include <petscmat.h>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

PetscErrorCode multiply() {
  constexpr PetscInt rows = 20000;  // enough that it pays to have two threads
  constexpr PetscInt each = 8;
  PetscFunctionBeginUser;
  Mat a = nullptr;
  PetscCall(MatCreate(PETSC_COMM_SELF, &a));
  PetscCall(MatSetSizes(a, rows, rows, rows, rows));
  PetscCall(MatSetType(a, "gossamer"));
  PetscCall(MatSeqAIJSetPreallocation(a, each, nullptr));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt k = 0; k < each; ++k) PetscCall(MatSetValue(a, i, (i + 7 * k) % rows, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  Vec x = nullptr;
  Vec y = nullptr;
  PetscCall(MatCreateVecs(a, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(a, x, y));
  PetscScalar sum = 0;
  PetscCall(VecSum(y, &sum));
  PetscCheck(sum == PetscScalar(rows * each), PETSC_COMM_SELF, PETSC_ERR_PLIB, "wrong product");
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&a));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* const plugin = argc > 2 && std::string_view(argv[1]) == "-dll_append" ? argv[2] : "";
  for (int turn = 0; turn < 2; ++turn) {
    PetscCallAbort(MPI_COMM_WORLD, PetscInitialize(&argc, &argv, nullptr, nullptr));
    PetscCallAbort(MPI_COMM_WORLD, multiply());
    PetscCallAbort(MPI_COMM_WORLD, PetscFinalize());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (dlopen(plugin, RTLD_NOW | RTLD_NOLOAD) == nullptr) {
      std::printf("the plug-in was unloaded\n");
      return 1;
    }
  }
  MPI_Finalize();
}
