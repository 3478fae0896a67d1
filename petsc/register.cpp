// SPDX-License-Identifier: BSD-3-Clause
// What PETSc calls when it loads the library, and what a program may call: checks PETSc and registers the
// types.
#include "gossamer_petsc.h"
#include "shadow.hpp"
#include "success.hpp"
#include "types.hpp"

namespace gossamer::petsc {
namespace {

const char* name_of(PetscDataType type) {
  return PetscDataTypes[type];
}

/// The PETSc that runs may be another than the one whose headers were used: its objects would then be
/// misread.
PetscErrorCode check_version() {
  PetscInt major = 0;
  PetscInt minor = 0;
  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, nullptr, nullptr));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "libgossamer_petsc was built for PETSc %d.%d, this is PETSc %d.%d: build it against this one",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, static_cast<int>(major), static_cast<int>(minor));
  PetscFunctionReturn(success);
}

PetscErrorCode check_types() {
  PetscDataType scalar = PETSC_DATATYPE_UNKNOWN;
  PetscBool known = PETSC_FALSE;
  std::size_t bytes_of_int = 0;
  PetscFunctionBegin;
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &known));
  PetscCheck(scalar == PETSC_SCALAR, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "libgossamer_petsc was built for a PETSc of %s scalars, those of this PETSc are %s",
             name_of(PETSC_SCALAR), name_of(scalar));
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &bytes_of_int));
  PetscCheck(bytes_of_int == sizeof(PetscInt), PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "libgossamer_petsc was built for a PETSc of %d-bit indices, those of this PETSc have %d bits",
             static_cast<int>(8 * sizeof(PetscInt)), static_cast<int>(8 * bytes_of_int));
  PetscFunctionReturn(success);
}

bool registered = false;

/// PetscFinalize() forgets all types; a later PetscInitialize() needs them again.
PetscErrorCode forget_registration() {
  registered = false;
  return success;
}

PetscErrorCode register_types() {
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(register_events());
  PetscCall(find_local_rank());
  PetscCall(inherit_sequential());
  PetscCall(inherit_parallel());
  // The first root name is the one that PETSc finds for a matrix of ours.
  PetscCall(MatRegisterRootName(MATGOSSAMER, MATSEQAIJGOSSAMER, MATMPIAIJGOSSAMER));
  PetscCall(MatRegisterRootName(MATAIJGOSSAMER, MATSEQAIJGOSSAMER, MATMPIAIJGOSSAMER));
  for (const char* name : {MATSEQGOSSAMER, MATSEQAIJGOSSAMER}) {
    PetscCall(MatRegister(name, create_sequential));
    PetscCall(MatSeqAIJRegister(name, sequential_from_aij));
  }
  for (const char* name : {MATMPIGOSSAMER, MATMPIAIJGOSSAMER}) PetscCall(MatRegister(name, create_parallel));
  PetscFunctionReturn(success);
}

}  // namespace
}  // namespace gossamer::petsc

PetscErrorCode GossamerPetscRegister() {
  PetscFunctionBegin;
  if (gossamer::petsc::registered) PetscFunctionReturn(gossamer::petsc::success);
  PetscCall(gossamer::petsc::check_version());
  PetscCall(gossamer::petsc::check_types());
  PetscCall(gossamer::petsc::register_types());
  PetscCall(PetscRegisterFinalize(gossamer::petsc::forget_registration));
  gossamer::petsc::registered = true;
  PetscFunctionReturn(gossamer::petsc::success);
}

/// PETSc looks for this name after it has opened libgossamer_petsc.so.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_gossamer_petsc() {
  PetscFunctionBegin;
  PetscCall(GossamerPetscRegister());
  PetscFunctionReturn(gossamer::petsc::success);
}
