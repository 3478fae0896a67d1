/* SPDX-License-Identifier: BSD-3-Clause
   Functions of PETSc that answer as another PETSc would: another version, other scalars, or longer indices. */
#include <petscsys.h>

#if defined(OTHER_version)
PetscErrorCode PetscGetVersionNumber(PetscInt* major, PetscInt* minor, PetscInt* subminor,
                                     PetscInt* release) {
  if (major) *major = 9;
  if (minor) *minor = 99;
  if (subminor) *subminor = 0;
  if (release) *release = 1;
  return 0;
}
#elif defined(OTHER_scalars)
PetscErrorCode PetscDataTypeFromString(const char* name, PetscDataType* type, PetscBool* found) {
  (void)name;
  *type = PETSC_COMPLEX;
  *found = PETSC_TRUE;
  return 0;
}
#elif defined(OTHER_indices)
PetscErrorCode PetscDataTypeGetSize(PetscDataType type, size_t* size) {
  (void)type;
  *size = 8;
  return 0;
}
#endif
